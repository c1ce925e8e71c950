// SPDX-License-Identifier: Apache-2.0

// A graph from a few lines of text, for targets that are not about files:
//
//   /encoder/layer.0/fc/MatMul <tab> MatMul <tab> x,w <tab> y <tab> KEY=VALUE ...   a node
//   =encoder.layer.0.fc.weight                                    an initializer
//   (domain name                                                  a local function begins
//   {then_branch                                                  a graph in the node before
//   }                                                             back to the main graph
//
// Any text is a graph. A node without inputs reads what the one before it made.
#ifndef ONNX_HIER_TESTS_FUZZ_TEXT_GRAPH_H_
#define ONNX_HIER_TESTS_FUZZ_TEXT_GRAPH_H_

#include "absl/strings/string_view.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::fuzz {

// Adds the graph that `text` tells of.
void AddTextGraph(absl::string_view text, testing::TestGraph& graph);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_TEXT_GRAPH_H_
