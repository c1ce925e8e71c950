// SPDX-License-Identifier: Apache-2.0

// What modules do, as their operators tell.
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

// "/a /b" of the modules that the pattern means.
std::string Meant(const Model& model, absl::string_view pattern) {
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  std::string text;
  for (ModuleId id : Value(hierarchy.Match(pattern))) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    annotation.paths.Tag(hierarchy.modules().module(id).path));
  }
  return text;
}

Model Block() {
  return Value(Model::FromBytes(wire::Model(
      wire::Graph(wire::Node("ReduceMean", {"x"}, {"m"}, "/block.0/norm/ReduceMean") +
                  wire::Node("Sub", {"x", "m"}, {"d"}, "/block.0/norm/Sub") +
                  wire::Node("Sqrt", {"d"}, {"s"}, "/block.0/norm/Sqrt") +
                  wire::Node("MatMul", {"s", "s"}, {"q"}, "/block.0/attn/MatMul") +
                  wire::Node("Softmax", {"q"}, {"p"}, "/block.0/attn/Softmax") +
                  wire::Node("MatMul", {"p", "s"}, {"a"}, "/block.0/attn/MatMul_1") +
                  wire::Node("Erf", {"a"}, {"e"}, "/block.0/act/Erf") +
                  wire::Node("Mul", {"e", "a"}, {"g"}, "/block.0/act/Mul") +
                  wire::Node("LayerNormalization", {"g", "w"}, {"n"}, "/norm/LayerNormalization") +
                  wire::Node("Gemm", {"n", "v"}, {"y"}, "/head/Gemm") + wire::Input("x") +
                  wire::Output("y")))));
}

TEST_CASE("roles mean modules by their operators, wherever they are") {
  const Model model = Block();
  CHECK(Meant(model, "@norm") == "/block.0/norm /norm");
  CHECK(Meant(model, "block.*.@norm") == "/block.0/norm");
  CHECK(Meant(model, "@attention") == "/block.0/attn");
  CHECK(Meant(model, "{@activation,head}") == "/block.0/act /head");
  CHECK(Meant(model, "@norms").empty());
}

}  // namespace
}  // namespace onnx_hier
