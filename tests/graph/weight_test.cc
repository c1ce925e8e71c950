// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/weight.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("which operators have weights of their own") {
  for (const char* op : {"Conv", "FusedConv", "QLinearConv", "ConvInteger", "ConvTranspose", "Gemm",
                         "MatMul", "QLinearMatMul", "MatMulInteger", "MatMulNBits"}) {
    CHECK(IsWeighted(op));
  }
  for (const char* op : {"Add", "Gather", "LayerNormalization", "Convert"}) {
    CHECK_FALSE(IsWeighted(op));
  }
}

TEST_CASE("a matrix is read as well where it is stored in another form") {
  TestGraph model;
  model.Initializer("w", {4, 4});
  model.Initializer("w_quantized", {4, 4}, data_type::kInt8);
  model.Initializer("bias", {4});
  const NodeId plain = model.Node("MatMul", {"x", "w"}, {"a"});
  model.Node("DequantizeLinear", {"w_quantized", "scale"}, {"w_dequantized"});
  const NodeId quantised = model.Node("MatMul", {"a", "w_dequantized"}, {"b"});
  const NodeId without = model.Node("MatMul", {"a", "b"}, {"c"});
  const NodeId add = model.Node("Add", {"c", "bias"}, {"d"});
  const Graph& graph = model.Build();
  CHECK(ReadsMatrix(graph, plain));
  CHECK(ReadsMatrix(graph, quantised));
  CHECK_FALSE(ReadsMatrix(graph, without));
  CHECK_FALSE(ReadsMatrix(graph, add));
}

}  // namespace
}  // namespace onnx_hier
