// SPDX-License-Identifier: Apache-2.0

// A model and its hierarchy in formats of programs that draw graphs.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   Write(model, {{ExportOf(model, hierarchy, ExportFormat::kModelExplorer),
//                  Destination::File("bert.json")}});
#ifndef ONNX_HIER_EXPORTS_H_
#define ONNX_HIER_EXPORTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/node_data.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

enum class ExportFormat {
  // Model Explorer's GraphCollection: all nodes and edges, grouped by module, a graph for each
  // graph and function of the model. As in input_graph.ts of google-ai-edge/model-explorer.
  kModelExplorer,
  kGraphml,  // modules and how many values go from one to the other (graphml.graphdrawing.org)
  kDot,      // the same for Graphviz
};
// By its name on the command line ("model-explorer", ...); none: there is no such format.
std::optional<ExportFormat> ExportFormatNamed(absl::string_view name);

struct ExportOptions {
  static constexpr uint32_t kAll = 0xFFFFFFFFu;
  uint32_t depth = kAll;  // of a picture of modules: levels below the root, or below `modules`
  std::vector<ModuleId> modules;  // only these, with what is inside of them; none: all
};

// How many levels of these modules (none: of all) Graphviz draws in seconds, if not all there are.
std::optional<uint32_t> DrawableDepth(const Hierarchy& hierarchy,
                                      const std::vector<ModuleId>& modules);

// Both arguments must outlive it. Weights are not read.
Document ExportOf(const Model& model, const Hierarchy& hierarchy, ExportFormat format,
                  const ExportOptions& options = {});

// Model Explorer's node data for the graphs that ExportOf() writes. `data` must outlive it.
Document NodeDataOf(const Model& model, const NodeData& data);

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPORTS_H_
