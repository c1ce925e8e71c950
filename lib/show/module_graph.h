// SPDX-License-Identifier: Apache-2.0

// Modules and the values that go from one to the other, for pictures.
#ifndef ONNX_HIER_LIB_SHOW_MODULE_GRAPH_H_
#define ONNX_HIER_LIB_SHOW_MODULE_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/show/chosen_modules.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/measures.h"

namespace onnx_hier {

class ModuleGraph {
 public:
  // Nodes of one read values that nodes of the other make.
  struct Edge {
    ModuleId from;
    ModuleId to;
    uint64_t values = 0;
  };

  // `hierarchy` must outlive this. Modules that lie more than `depth` deep in the chosen ones, or
  // in the root, count as those around them.
  ModuleGraph(const Hierarchy& hierarchy, ChosenModules chosen, uint32_t depth);

  const Hierarchy& hierarchy() const { return hierarchy_; }
  // Whether it is shown for itself, not for what is in it.
  bool IsChosen(ModuleId module) const { return chosen_.Has(module); }
  // Depth first: `begin` before the modules inside of one, `end` behind them; with the number of
  // modules around it.
  using Visit = absl::FunctionRef<void(ModuleId module, size_t depth)>;
  void ForEach(Visit begin, Visit end) const;
  // Those that are shown in it, in the tree's order.
  const std::vector<ModuleId>& children(ModuleId module) const { return children_[module]; }
  // Whether there is a box for a module's nodes that lie in none of the modules inside of it.
  bool HasOwnBox(ModuleId module) const {
    return !children_[module].empty() && IsChosen(module) &&
           hierarchy_.modules().module(module).nodes > 0;
  }
  // Of modules, and of the nodes of those with others inside.
  size_t CountBoxes() const;
  // By `from`, then by `to`.
  const std::vector<Edge>& edges() const { return edges_; }

 private:
  void FindEdges(const IdVector<ModuleId, ModuleId>& shown);

  const Hierarchy& hierarchy_;
  const ChosenModules chosen_;
  IdVector<ModuleId, std::vector<ModuleId>> children_;
  std::vector<Edge> edges_;
};

// The deepest levels that Graphviz draws in seconds.
uint32_t DrawableDepthOf(const Hierarchy& hierarchy, const ChosenModules& chosen);

absl::Status WriteDot(const ModuleGraph& modules, absl::string_view file, ByteSink& sink);
absl::Status WriteGraphml(const ModuleGraph& modules, absl::Span<const Column* const> columns,
                          absl::string_view file, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_MODULE_GRAPH_H_
