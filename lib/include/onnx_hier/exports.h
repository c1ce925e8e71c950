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
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/check.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

class Model;

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
  std::vector<ModuleId> modules;       // only these, with what is inside of them; none: all
  std::vector<const Column*> columns;  // what is said of modules besides; they must outlive it
};

// How many levels of these modules (none: of all) Graphviz draws in seconds, if not all there are.
std::optional<uint32_t> DrawableDepth(const Hierarchy& hierarchy,
                                      const std::vector<ModuleId>& modules);

// Both arguments must outlive it. Weights are not read.
Document ExportOf(const Model& model, const Hierarchy& hierarchy, ExportFormat format,
                  const ExportOptions& options = {});

// What nodes of a drawn graph are coloured by: a number or a text for some of them.
struct NodeData {
  struct Item {
    NodeId node;
    double number = 0;
    std::string text;  // in its place, where there is one
  };
  std::string name;
  std::vector<Item> items;
  // Colours of the least and the greatest number; "": none.
  std::string least_colour;
  std::string greatest_colour;
  // In words, what of all there is no node has; "": nothing.
  std::string left_out;
};

// What nodes have of a column: times in microseconds. Where nodes do not have all of it, the name
// says what is left out.
NodeData ColumnData(const Column& column);
// Where nodes belong whose tags are wrong; `found` of FindContamination(graph, ..., tags).
NodeData FindingData(const Tags& tags, const std::vector<Finding>& found);

// Model Explorer's node data for the graphs that ExportOf() writes. `data` must outlive it.
Document NodeDataOf(const Model& model, const NodeData& data);

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPORTS_H_
