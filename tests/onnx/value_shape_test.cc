// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_shape.h"

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;
using wire::Bytes;
using wire::Number;

// A ValueInfoProto of a tensor of floats with these dimensions.
std::string Stated(const std::string& dims) {
  return Bytes(1, "x") + Bytes(2, Bytes(1, Number(1, 1) + Bytes(2, dims)));
}
std::string Size(uint64_t size) { return Bytes(1, Number(1, size)); }
std::string Named(const std::string& name) { return Bytes(1, Bytes(2, name)); }

TEST_CASE("shapes that a model states") {
  CHECK(ShapeText(Stated("")) == "[]");
  CHECK(ShapeText(Stated(Size(4))) == "[4]");
  CHECK(ShapeText(Stated(Named("batch") + Size(128) + Size(0))) == "[batch,128,0]");
  CHECK(ShapeText(Stated(Bytes(1, "") + Named(""))) == "[?,?]");
}

TEST_CASE("shapes that it does not state") {
  CHECK(ShapeText("") == "");
  CHECK(ShapeText(Bytes(1, "x")) == "");
  CHECK(ShapeText(Bytes(2, Bytes(1, Number(1, 1)))) == "");
  CHECK(ShapeText(Bytes(2, Bytes(4, Bytes(1, Bytes(1, Number(1, 1)))))) == "");  // a sequence
  CHECK(ShapeText("\x0a") == "");
}

TEST_CASE("tensors with their types") {
  TestGraph model;
  const TensorId weight = model.Initializer("w", {32, 64});
  const TensorId number = model.Initializer("n", {}, data_type::kInt64);
  const Graph& graph = model.Build();
  CHECK(TensorText(graph, weight) == "float32[32,64]");
  CHECK(TensorText(graph, number) == "int64[]");
}

}  // namespace
}  // namespace onnx_hier
