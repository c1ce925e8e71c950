// SPDX-License-Identifier: Apache-2.0

// Models that a program joined into one file, each behind a prefix of its own, one of them perhaps
// behind none (onnx.compose.merge_models):
//
//   enc_/conv1/Conv, enc_conv1.weight        one model
//   dec_node_linear_3, dec_layers.0.weight   another one, of another exporter
//
// So has an If the same model in both of its branches. Each is read as if it were a file of its
// own: two that were written alike have modules of the same names, and what one exporter means by a
// name is not what another does.
#ifndef ONNX_HIER_LIB_NAMES_JOINED_MODELS_H_
#define ONNX_HIER_LIB_NAMES_JOINED_MODELS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/graph_part.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct JoinedModel {
  absl::string_view prefix;  // "": it has none
  GraphPart part;
};

// Nodes go by the names that they and what they make have; those inside of a node with it, and the
// nodes of a function with its first call. A node without a prefix is in the model without one if
// there is such a model, else in the one that it lies within. Of several prefixes that fit the
// first one counts. Empty if all is one model.
std::vector<JoinedModel> SplitByPrefixes(const Graph& graph,
                                         absl::Span<const absl::string_view> prefixes);

// Of a file with one model twice, in the two branches of an If (optimum merges a decoder with the
// same one that has a cache so): what reads the same parameters in both is read once, since only
// one of them runs. All that is not in the second branch is in the first model; the If is in both.
// Empty if there is no such If.
std::vector<JoinedModel> SplitByBranches(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_JOINED_MODELS_H_
