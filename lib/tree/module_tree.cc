// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/module_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "lib/base/hash.h"
#include "lib/graph/callees.h"
#include "lib/graph/inner_blocks.h"
#include "lib/graph/weight.h"
#include "lib/names/parameter_name.h"
#include "lib/owners/class_paths.h"
#include "lib/tree/call_counts.h"

namespace onnx_hier {
namespace {

// Some converters keep all weights in Constants; where initializers hold any, other Constants are
// what the model computes with.
bool KeepsWeightsInConstants(const Graph& graph) {
  for (TensorId id : graph.tensor_ids()) {
    if (graph.tensor(id).block.valid() && IsWeight(graph.tensor(id))) return false;
  }
  return true;
}

bool IsParameter(const Value& value, const Tensor& tensor, bool keeps_weights_in_constants) {
  return value.kind == ValueKind::kInitializer ||
         (IsWeight(tensor) &&
          (keeps_weights_in_constants || !OwnerInParameterName(value.name).empty()));
}

// The module that holds all who read a parameter; none: nobody does. What members of a list share
// is not the list's, which has no code, but of what is around it.
PathId CommonReader(absl::Span<const Use> uses, const ModulePaths& paths,
                    const Assignments& assignments, const Evidence& evidence) {
  PathId common;
  for (const Use& use : uses) common = paths.Join(common, assignments[use.node].primary);
  const auto is_readers = [&](const Use& use) { return assignments[use.node].primary == common; };
  if (std::any_of(uses.begin(), uses.end(), is_readers)) return common;
  while (common.valid() && !evidence.MayBeCalled(common)) common = paths.parent(common);
  return common;
}

}  // namespace

class ModuleTreeBuilder {
 public:
  ModuleTreeBuilder(const Flow& flow, const Annotation& annotation,
                    const IdVector<PathId, uint32_t>& calls, const Evidence& evidence,
                    const ModuleMap& map)
      : flow_(flow),
        graph_(flow.graph()),
        paths_(annotation.paths),
        assignments_(annotation.assignments),
        calls_(calls),
        parameters_(annotation.parameters),
        evidence_(evidence),
        classes_(paths_, evidence, map),
        facts_(paths_.size()) {
    tree_.of_path_.resize(paths_.size());
  }

  static ModuleTree WithNodesOf(ModuleTree tree, size_t path_count,
                                const Assignments& assignments) {
    IdVector<PathId, uint64_t> nodes(path_count, 0);
    for (const Assignment& assignment : assignments) ++nodes[assignment.primary];
    for (Module& module : tree.modules_) module.nodes = module.total_nodes = nodes[module.path];
    for (size_t i = tree.size(); i-- > 1;) {
      const Module& module = tree.modules_[ModuleId(i)];
      tree.modules_[module.parent].total_nodes += module.total_nodes;
    }
    return tree;
  }

  // Of a tree, what holds some of the nodes and parameters, with what is around these.
  static ModuleTree Restricted(const ModuleTree& tree, const Graph& graph,
                               const Annotation& annotation) {
    IdVector<ModuleId, Module> modules = tree.modules_;
    for (Module& module : modules) {
      module.nodes = module.total_nodes = 0;
      module.parameters = module.total_parameters = module.total_parameter_bytes = 0;
    }
    IdSet<ModuleId> listed(tree.size());
    listed.Add(tree.root());
    for (const Assignment& assignment : annotation.assignments) {
      const ModuleId id = tree.Find(assignment.primary);
      if (!id.valid()) continue;
      ++modules[id].nodes;
      ++modules[id].total_nodes;
      listed.Add(id);
    }
    for (const OwnedParameter& parameter : annotation.parameters) {
      const Tensor& tensor = graph.tensor(parameter.tensor);
      const ModuleId id = tree.Find(parameter.owner);
      Module& module = modules[id];
      module.parameters = AddSaturated(module.parameters, tensor.elements);
      module.total_parameters = module.parameters;
      module.total_parameter_bytes = AddSaturated(module.total_parameter_bytes, tensor.bytes);
      listed.Add(id);
    }
    for (size_t i = tree.size(); i-- > 1;) {
      const Module& module = modules[ModuleId(i)];
      if (listed.Has(ModuleId(i))) listed.Add(module.parent);
      AddTo(modules[module.parent], module);
    }
    return Listed(tree, modules, listed);
  }

  ModuleTree Build(bool with_mapped) {
    CountNodes();
    CountParameters();
    if (with_mapped) SeeMapped();
    SortMembers();
    ListModules();
    AddUpTotals();
    return std::move(tree_);
  }

 private:
  // Sizes come from the file and may be anything.
  static uint64_t AddSaturated(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
  }

  // What lies in a module counts for it, too.
  static void AddTo(Module& around, const Module& module) {
    around.total_nodes += module.total_nodes;
    around.total_parameters = AddSaturated(around.total_parameters, module.total_parameters);
    around.total_parameter_bytes =
        AddSaturated(around.total_parameter_bytes, module.total_parameter_bytes);
  }

  // The listed ones of a tree's modules, with figures of `modules`.
  static ModuleTree Listed(const ModuleTree& tree, const IdVector<ModuleId, Module>& modules,
                           const IdSet<ModuleId>& listed) {
    // Of each module, and of the end: how many are listed before it.
    std::vector<ModuleId> places(tree.size() + 1);
    uint32_t count = 0;
    for (ModuleId id : tree.ids()) {
      places[id.index()] = ModuleId(count);
      if (listed.Has(id)) ++count;
    }
    places.back() = ModuleId(count);
    ModuleTree part;
    part.of_path_.resize(tree.of_path_.size());
    part.modules_.resize(count);
    part.subtree_ends_.resize(count);
    for (ModuleId id : tree.ids()) {
      if (!listed.Has(id)) continue;
      const ModuleId place = places[id.index()];
      Module& module = part.modules_[place];
      module = modules[id];
      if (module.parent.valid()) module.parent = places[module.parent.index()];
      part.of_path_[module.path] = place;
      part.subtree_ends_[place] = places[tree.subtree_end(id).index()];
    }
    return part;
  }

  static constexpr uint32_t kNever = 0xFFFFFFFFu;

  struct PathFacts {
    uint32_t first_seen = kNever;  // order of first appearance, of it or anything inside it
    uint64_t nodes = 0;
    uint64_t operators = 0;  // as of a Module
    uint64_t parameters = 0;
    uint64_t parameter_bytes = 0;
    bool owns_parameters = false;  // which may hold nothing
    PathId readers;                // of one that owns no node: what holds those of its parameters
    bool has_named_child = false;  // among those seen
    bool only_mapped = false;      // nothing but the module map tells of it
    ModuleId module;
    std::vector<PathId> children;  // seen, in order of first appearance, members by number
  };

  // Adds the path and what contains it, at their first appearance.
  void See(PathId path) {
    while (facts_[path].first_seen == kNever) {
      facts_[path].first_seen = seen_++;
      const PathId parent = paths_.parent(path);
      if (!parent.valid()) return;
      facts_[parent].children.push_back(path);
      if (!paths_.is_number(path)) facts_[parent].has_named_child = true;
      path = parent;
    }
  }

  // What is worked out of sizes alone, and looks nothing up in a weight.
  IdSet<Rank> FindSizes() const {
    IdSet<Rank> sizes(flow_.size());
    if (!graph_.HasOperator("Shape") && !graph_.HasOperator("Size")) return sizes;
    IdSet<OpId> makes_size(graph_.op_count());
    for (OpId op : graph_.op_ids()) {
      const absl::string_view type = graph_.op(op).type;
      if (type == "Shape" || type == "Size") makes_size.Add(op);
    }
    for (Rank rank : flow_.ranks()) {
      if (makes_size.Has(graph_.node(flow_.node(rank)).op)) {
        sizes.Add(rank);
        continue;
      }
      const absl::Span<const Flow::Edge> producers = flow_.producers(rank);
      if (producers.empty()) continue;
      const Rank first = producers[0].rank;
      if (!sizes.Has(first) && !flow_.is_constant(first)) continue;
      const bool is_size =
          !flow_.reads_input(rank) && !ReadsMatrix(graph_, flow_.node(rank)) &&
          std::all_of(producers.begin(), producers.end(), [&](const Flow::Edge& edge) {
            return flow_.is_constant(edge.rank) || sizes.Has(edge.rank);
          });
      if (is_size) sizes.Add(rank);
    }
    return sizes;
  }

  // Modules stand in the order in which they begin to compute: converters and quantisers put
  // constants, and what is made of weights, in front of everything, exporters what they need to
  // know of sizes.
  void CountNodes() {
    See(paths_.root());
    const IdSet<Rank> sizes = FindSizes();
    for (size_t i = 0; i < graph_.node_count(); ++i) {
      const NodeId id = NodeAt(i);
      // What graphs inside of a node read is none of its inputs.
      const Rank rank = flow_.rank(id);
      const bool computes =
          !(flow_.is_constant(rank) || sizes.Has(rank)) || !graph_.blocks(id).empty();
      if (computes) See(assignments_[id].primary);
    }
    const IdVector<OpId, uint64_t> looks = LooksOfOperators();
    for (size_t i = 0; i < graph_.node_count(); ++i) {
      const NodeId id = NodeAt(i);
      See(assignments_[id].primary);
      PathFacts& facts = facts_[assignments_[id].primary];
      ++facts.nodes;
      const Node& node = graph_.node(id);
      const uint64_t look = looks[node.op];
      facts.operators += look == kCall ? kCall : look * (node.attribute_hash | 1);
    }
  }

  // Calls of functions are alike, whichever and whatever they are given.
  static constexpr uint64_t kCall = 2;  // an odd number stands for an operator

  // 0: a Constant, which says nothing of what a module does.
  IdVector<OpId, uint64_t> LooksOfOperators() const {
    const IdVector<OpId, BlockId> callees = FindCallees(graph_);
    IdVector<OpId, uint64_t> looks(graph_.op_count(), 0);
    for (OpId op : graph_.op_ids()) {
      if (graph_.op(op).type == "Constant") continue;
      looks[op] = CalleeOf(op, callees).valid() ? kCall : MixHash(0, op.index() + 1) | 1;
    }
    return looks;
  }

  // The node at a place of the file, or of the order that names tell.
  NodeId NodeAt(size_t place) const {
    return flow_.is_restored() ? flow_.node(Rank(place)) : NodeId(place);
  }

  void CountParameters() {
    for (const OwnedParameter& parameter : parameters_) {
      const Tensor& tensor = graph_.tensor(parameter.tensor);
      See(parameter.owner);
      PathFacts& facts = facts_[parameter.owner];
      facts.owns_parameters = true;
      facts.parameters = AddSaturated(facts.parameters, tensor.elements);
      facts.parameter_bytes = AddSaturated(facts.parameter_bytes, tensor.bytes);
      if (facts.nodes > 0) continue;
      for (const Use& use : graph_.uses(parameter.value)) {
        facts.readers = paths_.Join(facts.readers, assignments_[use.node].primary);
      }
    }
  }

  void SeeMapped() {
    for (PathId path : classes_.mapped()) {
      facts_[path].only_mapped = facts_[path].first_seen == kNever || !IsListed(path);
    }
    for (PathId path : classes_.mapped()) See(path);
  }

  // Members of a list stand by their numbers, in whichever order they run.
  void SortMembers() {
    for (PathFacts& facts : facts_) {
      std::vector<PathId> members;
      const auto is_member = [this](PathId path) { return paths_.is_number(path); };
      absl::c_copy_if(facts.children, std::back_inserter(members), is_member);
      absl::c_stable_sort(
          members, [this](PathId a, PathId b) { return paths_.number(a) < paths_.number(b); });
      auto next = members.begin();
      for (PathId& child : facts.children) {
        if (is_member(child)) child = *next++;
      }
    }
  }

  bool IsListed(PathId path) const {
    const PathFacts& facts = facts_[path];
    return path == paths_.root() || facts.only_mapped || facts.nodes > 0 || facts.owns_parameters ||
           facts.has_named_child || facts.children.empty() ||
           (evidence_.called.size() > 0 && evidence_.MayBeCalled(path));
  }

  void ListModules() {
    struct Frame {
      PathId path;
      ModuleId module;  // the path's own, or the listed one around it
      size_t next_child = 0;
    };
    std::vector<Frame> stack;
    const auto open = [&](PathId path, ModuleId around) {
      if (IsListed(path)) {
        const PathFacts& facts = facts_[path];
        const ModuleId id = tree_.modules_.add();
        Module& module = tree_.modules_[id];
        module.path = path;
        module.parent = around;
        module.class_name = classes_.class_name(path);
        module.class_path = classes_.ClassPath(path);
        module.calls = facts.only_mapped ? 0 : calls_[path];
        module.nodes = module.total_nodes = facts.nodes;
        module.parameters = module.total_parameters = facts.parameters;
        module.total_parameter_bytes = facts.parameter_bytes;
        module.operators = facts.operators;
        module.read_in = facts.readers;
        around = id;
        tree_.of_path_[path] = around;
        tree_.subtree_ends_.push_back(ModuleId());
      }
      stack.push_back({path, around});
    };
    open(paths_.root(), ModuleId());
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::vector<PathId>& children = facts_[frame.path].children;
      if (frame.next_child < children.size()) {
        open(children[frame.next_child++], frame.module);
        continue;
      }
      if (tree_.modules_[frame.module].path == frame.path) {
        tree_.subtree_ends_[frame.module] = tree_.modules_.next_id();
      }
      stack.pop_back();
    }
  }

  // Modules come after what contains them, so one walk backwards adds everything up.
  void AddUpTotals() {
    for (size_t i = tree_.modules_.size(); i-- > 1;) {
      Module& module = tree_.modules_[ModuleId(i)];
      module.is_idle = module.total_nodes == 0;
      if (!module.is_idle) module.read_in = PathId();
      Module& around = tree_.modules_[module.parent];
      around.read_in = paths_.Join(around.read_in, module.read_in);
      AddTo(around, module);
    }
    tree_.modules_[tree_.root()].read_in = PathId();  // it holds all nodes
  }

  const Flow& flow_;
  const Graph& graph_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  const IdVector<PathId, uint32_t>& calls_;
  const absl::Span<const OwnedParameter> parameters_;
  const Evidence& evidence_;
  const ClassPaths classes_;
  IdVector<PathId, PathFacts> facts_;
  uint32_t seen_ = 0;
  ModuleTree tree_;
};

void SetModules(const Flow& flow, const Evidence& evidence, const ModuleMap& map,
                Annotation& annotation) {
  const IdVector<PathId, uint32_t> calls =
      CountCalls(flow, evidence, annotation.paths, annotation.assignments);
  const auto build = [&](bool with_mapped) {
    return ModuleTreeBuilder(flow, annotation, calls, evidence, map).Build(with_mapped);
  };
  annotation.modules = build(/*with_mapped=*/false);
  if (!map.empty()) annotation.network = build(/*with_mapped=*/true);
}

Annotation OnlyIn(const Graph& graph, const Annotation& annotation, BlockId block) {
  const IdSet<BlockId> inside = WithInnerBlocks(graph, block);
  const auto is_inside = [&](NodeId node) { return inside.Has(graph.node(node).block); };
  Annotation part;
  part.dialect = annotation.dialect;
  part.paths = annotation.paths.Clone();
  part.assignments = annotation.assignments;
  part.auxiliary = annotation.auxiliary;
  part.unfolding = annotation.unfolding;
  part.rules = annotation.rules;
  part.parameter_names = annotation.parameter_names;
  for (NodeId node : graph.node_ids()) {
    if (!is_inside(node)) part.assignments[node].primary = PathId();
  }
  absl::c_copy_if(annotation.ruled, std::back_inserter(part.ruled),
                  [&](const RuledNode& ruled) { return is_inside(ruled.node); });
  absl::c_copy_if(annotation.parameters, std::back_inserter(part.parameters),
                  [&](const OwnedParameter& parameter) {
                    return absl::c_any_of(graph.uses(parameter.value),
                                          [&](const Use& use) { return is_inside(use.node); });
                  });
  part.modules = ModuleTreeBuilder::Restricted(annotation.modules, graph, part);
  if (annotation.network.size() > 0) {
    part.network = ModuleTreeBuilder::Restricted(annotation.network, graph, part);
  }
  return part;
}

ModuleTree WithNodesOf(ModuleTree modules, size_t path_count, const Assignments& assignments) {
  return ModuleTreeBuilder::WithNodesOf(std::move(modules), path_count, assignments);
}

std::vector<OwnedParameter> ListParameters(const Graph& graph, const ModulePaths& paths,
                                           const Assignments& assignments,
                                           const Evidence& evidence) {
  const bool in_constants = KeepsWeightsInConstants(graph);
  std::vector<OwnedParameter> parameters;
  for (ValueId id : graph.value_ids()) {
    const TensorId tensor = HeldTensor(graph, id);
    if (!tensor.valid()) continue;
    if (!IsParameter(graph.value(id), graph.tensor(tensor), in_constants)) continue;
    PathId owner = evidence.value_owners[id];
    if (!owner.valid()) owner = CommonReader(graph.uses(id), paths, assignments, evidence);
    parameters.push_back({id, tensor, owner.valid() ? owner : paths.root()});
  }
  return parameters;
}

}  // namespace onnx_hier
