// SPDX-License-Identifier: Apache-2.0

// Nodes chosen by the modules that hold them.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   SelectOptions options;
//   options.patterns = {"encoder.layer.[0-3]", "!**.LayerNorm"};   // as in Hierarchy::Match()
//   options.op_types = {"MatMul", "Gemm"};
//   const absl::StatusOr<Selection> selection = Select(hierarchy, options);
//   for (NodeId node : selection->nodes) ...
#ifndef ONNX_HIER_SELECTION_H_
#define ONNX_HIER_SELECTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct SelectOptions {
  // Modules, with all that is inside them; one that begins with '!' takes away again, wherever it
  // stands. Without any that adds, all modules are meant.
  std::vector<std::string> patterns;
  bool own = false;  // only nodes that are the modules' own
  // Only nodes of these operators; empty: of all.
  std::vector<std::string> op_types;
  std::optional<float> below;  // only nodes whose module is less sure than this
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

#endif  // ONNX_HIER_SELECTION_H_
