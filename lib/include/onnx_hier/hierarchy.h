// SPDX-License-Identifier: Apache-2.0

// Questions about an annotated model: what a module holds, which nodes and parameters are its own,
// what a name or a pattern means.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   const ModuleId layer = hierarchy.Find("encoder.layer.1");    // or "/encoder/layer.1"
//   if (layer.valid()) ...                                       // else there is no such module
//   for (NodeId node : hierarchy.Nodes(layer)) ...               // all that is inside, too
//   for (ModuleId query : *hierarchy.Match("encoder.layer.[0-3].**.query")) ...
#ifndef ONNX_HIER_HIERARCHY_H_
#define ONNX_HIER_HIERARCHY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class Hierarchy {
 public:
  // Both must outlive this. Time and memory are linear in nodes, parameters and modules.
  Hierarchy(const Graph& graph, const Annotation& annotation);

  // By tag or qualified name; "/" and "" are the root. None: there is no such module, or it is a
  // list that only holds others (a ModuleList).
  ModuleId Find(absl::string_view name) const;
  // None: the hierarchy is of another graph than the node.
  ModuleId ModuleOf(NodeId node) const { return modules().Find(PathOf(node)); }
  // Of a node in the body of a function that stands for several modules: those that own it in
  // further calls. Of others none.
  std::vector<ModuleId> ModulesInFurtherCalls(NodeId node) const;
  // In order of first appearance.
  std::vector<ModuleId> Children(ModuleId module) const;

  // In graph order.
  absl::Span<const NodeId> OwnNodes(ModuleId module) const { return nodes_.of(module); }
  // Of the module and all inside it: by module, then in graph order.
  absl::Span<const NodeId> Nodes(ModuleId module) const {
    return nodes_.Within(module, annotation_.modules.subtree_end(module));
  }
  // Likewise. Tied parameters have one owner.
  absl::Span<const ValueId> OwnParameters(ModuleId module) const { return parameters_.of(module); }
  absl::Span<const ValueId> Parameters(ModuleId module) const {
    return parameters_.Within(module, annotation_.modules.subtree_end(module));
  }

  // All nodes of that name, which need not be unique, in graph order.
  std::vector<NodeId> NodesNamed(absl::string_view name) const;

  // The modules that a pattern means, in the tree's order; what is inside them is not listed. A
  // pattern is a tag or qualified name in which
  //   *        stands for any part of one name           encoder.layer.0.*
  //   **       for any number of names, none included    **.attention
  //   [2-5]    for a number                              encoder.layer.[2-5], /block_[0-1]
  //   {a,b}    for either                                {encoder,decoder}.norm
  //   @Name    for a module of that class                encoder.**.@LayerNorm
  //   @norm    for one that normalises, as @attention and @activation for what their names say;
  //            alone for all such modules                @norm, encoder.**.@activation
  // One that means no module may mean lists that only hold others (a ModuleList): then it means the
  // members of these ("encoder.layer").
  // kInvalidArgument if brackets do not match, or alternatives multiply beyond measure.
  absl::StatusOr<std::vector<ModuleId>> Match(absl::string_view pattern) const;
  // The nodes whose names such a pattern means, in graph order; names of nodes have no classes.
  absl::StatusOr<std::vector<NodeId>> MatchNodes(absl::string_view pattern) const;
  // Those modules whose paths are most like a pattern that means none, the most alike first; before
  // all others those that end as it does.
  std::vector<ModuleId> Nearest(absl::string_view pattern, size_t count) const;

  const Graph& graph() const { return graph_; }
  const Annotation& annotation() const { return annotation_; }
  const ModuleTree& modules() const { return annotation_.modules; }

 private:
  PathId PathOf(NodeId node) const { return annotation_.assignments[node].primary; }

  const Graph& graph_;
  const Annotation& annotation_;
  // Those of a subtree stand together, as its modules do.
  Grouped<ModuleId, NodeId> nodes_;
  Grouped<ModuleId, ValueId> parameters_;
};

// --- selections

// Nodes chosen by the modules that hold them.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   SelectOptions options;
//   options.patterns = {"encoder.layer.[0-3]", "!**.LayerNorm"};   // as in Hierarchy::Match()
//   options.op_types = {"MatMul", "Gemm"};
//   const absl::StatusOr<Selection> selection = Select(hierarchy, options);
//   for (NodeId node : selection->nodes) ...

struct SelectOptions {
  // Modules, with all that is inside them; one that begins with '!' takes away again, wherever it
  // stands. Without any that adds, all modules are meant.
  std::vector<std::string> patterns;
  bool own = false;  // only nodes that are the modules' own
  // Only nodes of these operators; empty: of all.
  std::vector<std::string> op_types;
  std::optional<float> below;  // only nodes whose module is less sure than this
  BlockId graph = {};          // only nodes in it, such as a branch of an If; none: in all
};

struct Selection {
  std::vector<NodeId> nodes;       // in graph order
  std::vector<ModuleId> modules;   // that patterns mean, not what is inside them; in tree order
  std::vector<std::string> unmet;  // patterns that mean no module, as they were given
};

// kInvalidArgument: a pattern cannot be read.
absl::StatusOr<Selection> Select(const Hierarchy& hierarchy, const SelectOptions& options);

// Values of a set of nodes.
struct SelectedValues {
  std::vector<ValueId> inputs;   // read, not made in it, and neither parameters nor constants
  std::vector<ValueId> outputs;  // made, and read by others or given out by a graph
  std::vector<ValueId> all;      // made
};

// In order of first appearance. `nodes` in graph order, each once.
SelectedValues ValuesOf(const Graph& graph, absl::Span<const NodeId> nodes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_HIERARCHY_H_
