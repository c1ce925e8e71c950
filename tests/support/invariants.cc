// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invariants.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"

namespace onnx_hier::testing {
namespace {

// As large as it can be where a sum is larger.
uint64_t Sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

class Checker {
 public:
  Checker(const Graph& graph, const Annotation& annotation, bool is_folded)
      : graph_(graph), annotation_(annotation), tree_(annotation.modules), is_folded_(is_folded) {}

  std::string Check() {
    if (annotation_.assignments.size() != graph_.node_count()) {
      return "not one assignment for each node\n";
    }
    if (tree_.size() == 0) return "no root module\n";
    CheckModules();
    for (NodeId id : graph_.node_ids()) CheckNode(id);
    CheckTotals();
    return text_;
  }

 private:
  void Expect(bool holds, absl::string_view what, absl::string_view where) {
    if (holds || ++breaches_ > 5) return;
    absl::StrAppend(&text_, where, ": ", what, "\n");
  }
  bool Exists(PathId path) const { return path.valid() && path.index() < annotation_.paths.size(); }

  void CheckModules() {
    const ModulePaths& paths = annotation_.paths;
    Expect(tree_.module(tree_.root()).path == paths.root(), "the first module is not /", "modules");
    for (ModuleId id : tree_.ids()) {
      const Module& module = tree_.module(id);
      const std::string where = absl::StrCat("module ", id.index());
      if (!Exists(module.path)) {
        Expect(false, "has no path", where);
        continue;
      }
      Expect(listed_.emplace(module.path, id).second, "is listed twice", where);
      Expect(module.calls >= 1, "is never called", where);
      const ModuleId end = tree_.subtree_end(id);
      Expect(id < end && end.index() <= tree_.size(), "its subtree is no range", where);
      if (id == tree_.root()) {
        Expect(!module.parent.valid(), "the root has a parent", where);
        Expect(end.index() == tree_.size(), "the root does not hold all", where);
        continue;
      }
      if (!module.parent.valid() || !(module.parent < id)) {
        Expect(false, "its parent does not come before it", where);
        continue;
      }
      const PathId around = tree_.module(module.parent).path;
      Expect(around != module.path && paths.Contains(around, module.path),
             "its parent does not contain it", where);
      Expect(id < tree_.subtree_end(module.parent) && !(tree_.subtree_end(module.parent) < end),
             "lies outside its parent's subtree", where);
    }
  }

  void CheckNode(NodeId id) {
    const std::string where = absl::StrCat("node ", graph_.NodePath(id));
    const Assignment& node = annotation_.assignments[id];
    if (!Exists(node.primary)) return Expect(false, "has no primary module", where);
    const auto module = listed_.find(node.primary);
    if (module == listed_.end()) return Expect(false, "its module is not listed", where);
    ++own_nodes_[module->second];
    Expect(node.call < tree_.module(module->second).calls, "its call does not exist", where);
    Expect(node.confidence >= 0 && node.confidence <= 1, "its confidence is no probability", where);
    Expect(static_cast<size_t>(node.method) < kMethodCount, "its method does not exist", where);
    if (node.auxiliary.begin > node.auxiliary.end ||
        node.auxiliary.end > annotation_.auxiliary.size()) {
      return Expect(false, "its auxiliary modules are no range", where);
    }
    std::set<uint32_t> seen = {node.primary.index()};
    for (PathId path : annotation_.auxiliary_of(id)) {
      Expect(Exists(path), "an auxiliary module does not exist", where);
      Expect(seen.insert(path.index()).second, "a module is named twice", where);
    }
  }

  void CheckTotals() {
    std::vector<uint64_t> nodes(tree_.size()), parameters(tree_.size());
    for (size_t i = tree_.size(); i-- > 0;) {
      const Module& module = tree_.module(ModuleId(i));
      const std::string where = absl::StrCat("module ", i);
      nodes[i] += module.nodes;
      parameters[i] = Sum(parameters[i], module.parameters);
      Expect(module.nodes == own_nodes_[ModuleId(i)], "its own nodes are miscounted", where);
      Expect(module.total_nodes == nodes[i], "its total of nodes does not add up", where);
      Expect(module.total_parameters == parameters[i], "its parameters do not add up", where);
      if (!module.parent.valid()) continue;
      nodes[module.parent.index()] += nodes[i];
      parameters[module.parent.index()] = Sum(parameters[module.parent.index()], parameters[i]);
    }
    uint64_t elements = 0;
    uint64_t bytes = 0;
    size_t initializers = 0;
    for (ValueId id : graph_.value_ids()) {
      initializers += graph_.value(id).kind == ValueKind::kInitializer ? 1 : 0;
    }
    ValueId last;
    IdSet<PathId> listed(annotation_.paths.size());
    for (ModuleId id : annotation_.modules.ids()) listed.Add(annotation_.modules.module(id).path);
    for (const OwnedParameter& parameter : annotation_.parameters) {
      Expect(listed.Has(parameter.owner), "the owner of a parameter is not listed",
             annotation_.paths.Tag(parameter.owner));
      const Value& value = graph_.value(parameter.value);
      const bool is_initializer = value.kind == ValueKind::kInitializer;
      initializers -= is_initializer ? 1 : 0;
      Expect(!last.valid() || last < parameter.value, "parameters are out of order", "/");
      Expect(is_initializer ? value.tensor == parameter.tensor
                            : graph_.tensor(parameter.tensor).owner == value.producer,
             "a parameter has another one's tensor", "/");
      last = parameter.value;
      elements = Sum(elements, graph_.tensor(parameter.tensor).elements);
      bytes = Sum(bytes, graph_.tensor(parameter.tensor).bytes);
    }
    Expect(initializers == 0, "not all initializers are parameters", "/");
    const Module& root = tree_.module(tree_.root());
    Expect(root.total_nodes == graph_.node_count(), "nodes are missing or counted twice", "/");
    if (is_folded_) return;
    Expect(root.total_parameters == elements, "parameters are missing or counted twice", "/");
    Expect(root.total_parameter_bytes == bytes, "bytes are missing or counted twice", "/");
  }

  const Graph& graph_;
  const Annotation& annotation_;
  const ModuleTree& tree_;
  const bool is_folded_;
  std::map<PathId, ModuleId> listed_;
  std::map<ModuleId, uint64_t> own_nodes_;
  std::string text_;
  int breaches_ = 0;
};

}  // namespace

std::string Invariants(const Graph& graph, const Annotation& annotation) {
  return Checker(graph, annotation, /*is_folded=*/false).Check();
}

std::string InvariantsOfFolded(const Graph& graph, const Annotation& annotation) {
  return Checker(graph, annotation, /*is_folded=*/true).Check();
}

}  // namespace onnx_hier::testing
