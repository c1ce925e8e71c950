// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialect.h"

#include <string>

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string DialectOf(const char* weight) {
  TestGraph model;
  model.Initializer(weight, {4, 4});
  model.Node("MatMul", {"x", weight}, {"y"});
  return std::string(RecognizeDialect(model.Build()).name);
}

TEST_CASE("only weights that are counted are named as Paddle does") {
  CHECK(DialectOf("linear_0.w_0") == "paddle");
  CHECK(DialectOf("layer.query.w") == "torchscript-flat");
}

}  // namespace
}  // namespace onnx_hier
