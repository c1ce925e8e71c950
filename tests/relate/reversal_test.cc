// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/reversal.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// x -> Shape -> Mul with w -> Relu
const Graph& Exported(TestGraph& model) {
  model.Initializer("w", {1});
  model.Node("Shape", {"x"}, {"s"}, "shape");
  model.Node("Mul", {"s", "w"}, {"m"}, "mul");
  model.Node("Relu", {"m"}, {"y"}, "relu");
  return model.Build();
}

TEST_CASE("values that one model works out and the other one holds") {
  TestGraph a;
  const Graph& exported = Exported(a);
  TestGraph b;
  b.Initializer("m", {1});
  b.Node("Relu", {"m"}, {"y"}, "relu");
  const Graph& folded = b.Build();
  CHECK(SignOfReversal(exported, folded).empty());
  CHECK(SignOfReversal(folded, exported) == "the original holds 1 value that the model works out");
  CHECK(SignOfReversal(exported, exported).empty());
}

TEST_CASE("operators of quantisation, which no exporter takes away") {
  TestGraph a;
  const Graph& exported = Exported(a);
  TestGraph b;
  b.Initializer("w", {1});
  b.Node("QuantizeLinear", {"x"}, {"q"}, "q");
  b.Node("DequantizeLinear", {"q"}, {"d"}, "dq");
  b.Node("Mul", {"d", "w"}, {"m"}, "mul");
  b.Node("Relu", {"m"}, {"y"}, "relu");
  const Graph& quantised = b.Build();
  CHECK(SignOfReversal(exported, quantised).empty());
  CHECK(SignOfReversal(quantised, exported) == "the original is quantised, the model is not");
}

TEST_CASE("weights that were quantised, and nothing else") {
  TestGraph a;
  const Graph& exported = Exported(a);
  TestGraph b;
  b.Initializer("w_quantized", {1});
  b.Node("DequantizeLinear", {"w_quantized"}, {"d"}, "dq");
  b.Node("Shape", {"x"}, {"s"}, "shape");
  b.Node("Mul", {"s", "d"}, {"m"}, "mul");
  b.Node("Relu", {"m"}, {"y"}, "relu");
  CHECK(SignOfReversal(b.Build(), exported) == "the original is quantised, the model is not");
}

}  // namespace
}  // namespace onnx_hier
