// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/shared_functions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// "Layer Act" of the functions that are found.
std::string Shared(const Graph& graph) {
  const IdSet<BlockId> shared = FindSharedFunctions(graph);
  std::string names;
  for (BlockId id : graph.block_ids()) {
    if (shared.Has(id)) absl::StrAppend(&names, names.empty() ? "" : " ", graph.block(id).name);
  }
  return names;
}

BlockId AddFunction(TestGraph& model, const std::string& domain, const std::string& name) {
  const BlockId body = model.Function(domain, name);
  model.builder().AddInput(body, "in");
  model.builder().AddInput(body, "w");
  return body;
}

TEST_CASE("a function that is given other weights in each call stands for several modules") {
  TestGraph model;
  for (const char* name : {"a.w", "b.w", "c.w"}) model.Initializer(name, {4, 4});
  model.Node("Layer", {"x", "a.w"}, {"y"}, "", "my");
  model.Node("Layer", {"y", "b.w"}, {"z"}, "", "my");
  model.Node("Head", {"z", "c.w"}, {"h"}, "", "my");
  model.Node("Head", {"h", "c.w"}, {"o"}, "", "my");
  model.In(AddFunction(model, "my", "Layer")).Node("MatMul", {"in", "w"}, {"out"});
  model.In(AddFunction(model, "my", "Head")).Node("MatMul", {"in", "w"}, {"out"});
  CHECK(Shared(model.Build()) == "Layer");
}

TEST_CASE("so do those around it, and those in it; functions of operators do not") {
  TestGraph model;
  model.Initializer("a.w", {4, 4});
  model.Initializer("b.w", {4, 4});
  model.Node("Stack", {"x", "a.w", "b.w"}, {"y"}, "", "my");
  const BlockId stack = AddFunction(model, "my", "Stack");
  model.builder().AddInput(stack, "v");
  model.In(stack).Node("Layer", {"in", "w"}, {"h"}, "", "my");
  model.In(stack).Node("Layer", {"h", "v"}, {"out"}, "", "my");
  const BlockId layer = AddFunction(model, "my", "Layer");
  model.In(layer).Node("Act", {"in"}, {"a"}, "", "my");
  model.In(layer).Node("aten_linear", {"a", "w"}, {"l"}, "", "my");
  model.In(layer).Node("FusedMatMul", {"l", "w"}, {"out"}, "", "com.microsoft");
  model.In(model.Function("my", "Act")).Node("Relu", {"in"}, {"out"});
  model.In(AddFunction(model, "my", "aten_linear")).Node("MatMul", {"in", "w"}, {"out"});
  model.In(AddFunction(model, "com.microsoft", "FusedMatMul")).Node("MatMul", {"in", "w"}, {"out"});
  CHECK(Shared(model.Build()) == "Stack Layer Act");
}

TEST_CASE("calls whose metadata names different modules are different modules") {
  TestGraph model;
  const auto call = [&model](const char* in, const char* out, absl::string_view scopes) {
    const NodeId node = model.Node("Act", {in}, {out}, "", "my");
    model.builder().AddMetadata(node, {"pkg.torch.onnx.name_scopes", scopes});
  };
  call("x", "y", "['', 'a.act', 'relu']");
  call("y", "z", "['', 'b.act', 'relu']");
  model.In(model.Function("my", "Act")).Node("Relu", {"in"}, {"out"});
  CHECK(Shared(model.Build()) == "Act");
}

TEST_CASE("functions that call each other, and none") {
  TestGraph model;
  model.Node("F", {"x"}, {"y"}, "", "d");
  model.In(model.Function("d", "F")).Node("G", {"a"}, {"b"}, "", "d");
  model.In(model.Function("d", "G")).Node("F", {"a"}, {"b"}, "", "d");
  CHECK(Shared(model.Build()).empty());
  CHECK(Shared(TestGraph().Build()).empty());
}

}  // namespace
}  // namespace onnx_hier
