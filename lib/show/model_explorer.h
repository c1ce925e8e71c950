// SPDX-License-Identifier: Apache-2.0

// Model Explorer's JSON: input_graph.ts and node_data_builder.py of google-ai-edge/model-explorer.
#ifndef ONNX_HIER_LIB_SHOW_MODEL_EXPLORER_H_
#define ONNX_HIER_LIB_SHOW_MODEL_EXPLORER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/onnx/value_types.h"
#include "lib/show/chosen_modules.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/exports.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"

namespace onnx_hier {

// {"label":FILE,"graphs":[...]}: the main graph first. Every input of a node is one edge: from the
// node that makes the value, or from one that stands for an input, a parameter or a value of a
// graph around it. Of nodes that are not chosen, values stand likewise; a graph without chosen
// nodes is left out, but for the main one.
absl::Status WriteModelExplorer(const Hierarchy& hierarchy, const ChosenModules& chosen,
                                absl::Span<const Column* const> columns, const ValueTypes& types,
                                absl::string_view file, ByteSink& sink);

// {GRAPH:{"name":...,"results":{NODE:{"value":...}}}}
absl::Status WriteNodeData(const Graph& graph, const NodeData& data, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_MODEL_EXPLORER_H_
