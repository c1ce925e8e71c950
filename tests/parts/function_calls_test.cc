// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/function_calls.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Names;
using testing::TestGraph;

TEST_CASE("every way to a function, in the order in which it runs") {
  TestGraph model;
  const BlockId f = model.Function("d", "F");
  const BlockId g = model.Function("d", "G");
  const BlockId never = model.Function("d", "Never");
  model.Node("F", {}, {}, "first", "d");
  const NodeId branch = model.Node("If", {}, {}, "if");
  model.In(model.Subgraph(branch, "then_branch")).Node("G", {}, {}, "in branch", "d");
  model.In(BlockId(0)).Node("F", {}, {}, "last", "d");
  model.In(f).Node("G", {}, {}, "one", "d");
  model.In(f).Node("G", {}, {}, "two", "d");
  model.In(g).Node("Neg", {}, {}, "neg");
  const Graph& graph = model.Build();
  const FunctionCalls calls(graph);
  std::string ways;
  for (uint32_t i = 0; i < calls.CountOf(g); ++i) {
    absl::StrAppend(&ways, Names(graph, calls.WayTo(g, i)), ", ");
  }
  CHECK(ways == "first one, first two, in branch, last one, last two, ");
  CHECK(Names(graph, calls.WayTo(f, 1)) == "last");
  CHECK(calls.DepthOf(graph.main_block()) == 0);
  CHECK(calls.DepthOf(f) == 1);
  CHECK(calls.DepthOf(g) == 1);
  CHECK(calls.DepthOf(never) == FunctionCalls::kNever);
  CHECK(calls.CountOf(never) == 0);
}

TEST_CASE("more calls than a number holds, and functions that call each other") {
  TestGraph model;
  std::vector<BlockId> functions;
  for (int i = 0; i < 40; ++i) {
    functions.push_back(model.Function("d", model.Keep(absl::StrCat("F", i))));
  }
  model.In(BlockId(0)).Node("F0", {}, {}, "", "d");
  for (int i = 0; i + 1 < 40; ++i) {
    const absl::string_view next = model.Keep(absl::StrCat("F", i + 1));
    model.In(functions[i]).Node(next, {}, {}, "", "d");
    model.In(functions[i]).Node(next, {}, {}, "", "d");
  }
  model.In(functions[39]).Node("F0", {}, {}, "", "d");
  const FunctionCalls calls(model.Build());
  CHECK(calls.CountOf(functions[39]) == FunctionCalls::kNever);
  CHECK(calls.WayTo(functions[39], 5).size() == 40);
}

TEST_CASE("weights that a function is given, by way of other functions too") {
  TestGraph model;
  model.Input("x");
  model.Initializer("a", {1});
  model.Initializer("b", {1});
  const BlockId f = model.Function("d", "F");
  const BlockId g = model.Function("d", "G");
  model.Node("F", {"x", "a", "b", "a"}, {}, "call", "d");
  model.In(f).Input("fx").Input("fa").Input("fb").Input("again");
  model.Node("G", {"fb", "fx", "made"}, {}, "inner", "d");
  model.In(g).Input("gb").Input("gx").Input("gm").Input("not given");
  const Graph& graph = model.Build();
  const FunctionCalls calls(graph);
  const auto given = [&](BlockId function) {
    std::string text;
    const GivenTensors tensors = calls.GivenOn(calls.WayTo(function, 0));
    for (ValueId value : graph.inputs(function)) {
      const auto found = tensors.find(value);
      if (found == tensors.end()) continue;
      absl::StrAppend(&text, graph.value(value).name, "=", graph.tensor(found->second).name, " ");
    }
    return text;
  };
  CHECK(given(f) == "fa=a fb=b ");
  CHECK(given(g) == "gb=b ");
}

}  // namespace
}  // namespace onnx_hier
