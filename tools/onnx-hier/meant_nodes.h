// SPDX-License-Identifier: Apache-2.0

// Nodes that words of the command line mean.
#ifndef ONNX_HIER_TOOLS_MEANT_NODES_H_
#define ONNX_HIER_TOOLS_MEANT_NODES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

// Each node once. A word is the id of a node ("12", "1045/then_branch/0"), its name, the name of a
// value that it makes, or else a pattern of modules or of nodes' names. In the order of the words;
// then the nodes of `chosen` and of modules among the words, in graph order. kNotFound: a word
// means nothing; the error says what may have been meant.
absl::StatusOr<std::vector<NodeId>> FindNodes(const Model& model, const AnnotateOptions& annotate,
                                              absl::Span<const std::string> words,
                                              SelectOptions chosen);

// --op and --below.
absl::Status ReadOpAndBelow(const ParsedFlags& flags, SelectOptions& options);

// "no node has the operator 'Matmul' (did you mean 'MatMul'?)" of the first of `types` that no node
// has; "" where each has one.
std::string UnmetOperator(const Graph& graph, absl::Span<const std::string> types);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MEANT_NODES_H_
