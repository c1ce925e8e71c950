// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/repeatable.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Names;
using testing::TestGraph;

// "name(sources)" of the repeatable ones.
std::string Text(const Units& units) {
  const Repeatable repeatable(units);
  std::string text;
  for (Unit unit : units.ids()) {
    if (!repeatable.Has(unit)) continue;
    CHECK(repeatable.IsConstant(unit) == repeatable.sources(unit).empty());
    absl::StrAppend(&text, units.graph().node(units.node(unit)).name, "(",
                    Names(units.graph(), repeatable.sources(unit)), ") ");
  }
  return text;
}
std::string Text(TestGraph& model) {
  const Graph& graph = model.Build();
  return Text(Units(graph, graph.main_block()));
}

TEST_CASE("constants, and what is made of them and of parameters") {
  TestGraph model;
  model.Initializer("w", {1});
  model.Node("Constant", {}, {"c"}, "constant");
  model.Node("Transpose", {"w"}, {"t"}, "transpose");
  model.Node("Add", {"c", "t"}, {"sum"}, "add");
  model.Node("Mul", {"x", "sum"}, {"y"}, "mul");
  CHECK(Text(model) == "constant() transpose() add() ");
}

TEST_CASE("arithmetic with shapes, with the values whose shapes they are") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"h"}, "relu");
  model.Node("Shape", {"h"}, {"s"}, "shape");
  model.Node("Size", {"z"}, {"n"}, "size");
  model.Node("Concat", {"n", "s", "s"}, {"to"}, "concat");
  model.Node("Reshape", {"h", "to"}, {"y"}, "reshape");
  // The shape of what is a shape already.
  model.Node("Shape", {"to"}, {"rank"}, "rank");
  CHECK(Text(model) == "shape(h) size(z) concat(h z) rank(h z) ");
}

TEST_CASE("what does not compute the same each time, or is somebody's") {
  TestGraph model;
  for (const char* op : {"RandomNormal", "RandomUniform", "Multinomial", "Bernoulli", "Dropout"}) {
    model.Node(op, {}, {}, op);
  }
  const NodeId choice = model.Node("If", {}, {"i"}, "if");
  model.Subgraph(choice, "then_branch");
  model.Node("Clock", {}, {}, "other", "somebody");
  model.Node("Shape", {"x"}, {}, "others' shape", "somebody");
  model.Node("Shape", {"i"}, {"s"}, "shape of if");
  model.Node("Gelu", {"s"}, {}, "known", "com.microsoft");
  CHECK(Text(model) == "shape of if(i) known(i) ");
}

TEST_CASE("shapes of too many values are not repeated") {
  for (const int count : {16, 17}) {
    TestGraph model;
    std::vector<std::string> shapes;
    for (int i = 0; i < count; ++i) {
      shapes.push_back(absl::StrCat("s", i));
      model.Node("Shape", {absl::StrCat("x", i)}, {shapes.back()});
    }
    const NodeId concat = model.Node("Concat", shapes, {"all"});
    const Graph& graph = model.Build();
    const Units units(graph, graph.main_block());
    CHECK(Repeatable(units).Has(units.unit(concat)) == (count == 16));
  }
}

TEST_CASE("a file that is not sorted, and one that has cycles") {
  TestGraph unsorted;
  unsorted.Node("Neg", {"s"}, {"n"}, "neg");
  unsorted.Node("Shape", {"x"}, {"s"}, "shape");
  CHECK(Text(unsorted) == "shape(x) neg(x) ");
  TestGraph cycle;
  cycle.Node("Neg", {"b"}, {"a"}, "one");
  cycle.Node("Neg", {"a"}, {"b"}, "two");
  CHECK(Text(cycle) == "");
}

}  // namespace
}  // namespace onnx_hier
