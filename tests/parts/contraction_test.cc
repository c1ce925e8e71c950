// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/contraction.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/parts/folded.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Folded;
using testing::Names;
using testing::TestGraph;

TEST_CASE("runs become calls, from the inside out") {
  TestGraph model;
  model.Input("x").Output("y");
  model.Initializer("w", {1});
  model.Node("Neg", {"x"}, {"a"}, "before");
  model.Node("Mul", {"a", "w"}, {"b"}, "fc");
  model.Node("Relu", {"b"}, {"c"}, "act");
  model.Node("Neg", {"c"}, {"y"}, "behind");
  const Folded folded(model, {"", "net.fc", "net", ""});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "before net(net.fc(fc) act) behind");
  CHECK(contraction.left.empty());
  const FoldItem& net = contraction.items[contraction.top[1]];
  CHECK(Names(folded.graph, net.reads) == "a w");
  CHECK(Names(folded.graph, net.makes) == "c");
}

TEST_CASE("what a run makes for itself alone is no output, what the graph gives out is one") {
  TestGraph model;
  model.Output("b").Output("c");
  model.Node("Neg", {"x"}, {"a"}, "one");
  model.Node("Neg", {"a"}, {"b"}, "two");
  model.Node("Neg", {"b"}, {"c"}, "three");
  const Folded folded(model, {"net", "net", "net"});
  const Contraction contraction = folded.Contract();
  CHECK(Names(folded.graph, contraction.items[contraction.top[0]].makes) == "b c");
}

TEST_CASE("a run whose values come back is left, and what is inside of it is not") {
  TestGraph model;
  model.Output("y").Output("z");
  model.Node("Neg", {"x"}, {"a"}, "a");
  model.Node("Neg", {"a"}, {"b"}, "b");
  model.Node("Neg", {"b"}, {"c"}, "elsewhere");
  model.Node("Neg", {"b"}, {"z"}, "too");
  model.Node("Add", {"c", "b"}, {"y"}, "back");
  const Folded folded(model, {"net.fc", "net.fc", "other", "other", "net"});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "net.fc(a b) other(elsewhere too) back");
  REQUIRE(contraction.left.size() == 1);
  CHECK(contraction.left[0].why == LeftInline::Why::kComesBack);
  CHECK(Names(folded.graph, std::vector<NodeId>{contraction.left[0].through}) == "elsewhere");
}

TEST_CASE("a run of which nothing is read is left") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"a"}, "dead");
  model.Node("Neg", {"x"}, {"y"}, "alive");
  const Folded folded(model, {"net", ""});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "dead alive");
  REQUIRE(contraction.left.size() == 1);
  CHECK(contraction.left[0].why == LeftInline::Why::kNothingRead);
}

TEST_CASE("two runs that could each be called, but not both") {
  TestGraph model;
  model.Output("y").Output("z");
  model.Node("Neg", {"x"}, {"p1"}, "p1");
  model.Node("Neg", {"x"}, {"q1"}, "q1");
  model.Node("Add", {"p1", "x"}, {"y"}, "q2");  // q needs p
  model.Node("Add", {"q1", "x"}, {"z"}, "p2");  // p needs q
  const Folded folded(model, {"p", "q", "q", "p"});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "q1 p(p1 p2) q2");
  REQUIRE(contraction.left.size() == 1);
  CHECK(contraction.left[0].why == LeftInline::Why::kComesBack);
  CHECK(folded.ModuleName(contraction.left[0].run) == "q");
}

TEST_CASE("cheap units that feed the way back stay outside") {
  TestGraph model;
  model.Output("y");
  model.Node("Constant", {}, {"c"}, "constant");
  model.Node("Add", {"x", "c"}, {"a"}, "elsewhere");
  model.Node("Neg", {"a"}, {"d"}, "elsewhere2");
  model.Node("Mul", {"d", "c"}, {"b"}, "one");
  model.Node("Neg", {"b"}, {"y"}, "two");
  const Folded folded(model, {"net", "", "", "net", "net"});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "constant elsewhere elsewhere2 net(one two)");
  CHECK(contraction.hoisted == 1);
}

TEST_CASE("a few units of others that only the run reads are taken in") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"a"}, "one");
  model.Node("Relu", {"a"}, {"b"}, "shared");
  model.Node("Neg", {"b"}, {"y"}, "two");
  const Folded folded(model, {"net", "act", "net"});
  const Contraction contraction = folded.Contract();
  CHECK(folded.Text(contraction) == "net(one act(shared) two)");
  CHECK(contraction.taken == 1);
}

TEST_CASE("runs that lend leave outside what others read, if it is cheap") {
  TestGraph model;
  model.Output("y");
  model.Initializer("w", {1});
  model.Node("Constant", {}, {"c"}, "constant");
  model.Node("Mul", {"c", "w"}, {"cw"}, "scaled");
  model.Node("Add", {"x", "cw"}, {"a"}, "first");
  model.Node("Add", {"a", "cw"}, {"y"}, "second");
  Folded folded(model, {"l.0", "l.0", "l.0", "l.1"});
  CHECK(folded.Text(folded.Contract()) == "l.0(constant scaled first) l.1(second)");
  folded.choices.lending.AddAll();
  CHECK(folded.Text(folded.Contract()) == "constant scaled l.0(first) l.1(second)");
}

TEST_CASE("pinned units stay in the outermost graph, in their order") {
  TestGraph model;
  model.Output("y");
  model.Node("Constant", {}, {"c"}, "pinned");
  model.Node("Add", {"x", "c"}, {"a"}, "one");
  model.Node("Constant", {}, {"d"}, "pinned2");
  model.Node("Add", {"a", "d"}, {"y"}, "two");
  Folded folded(model, {"net", "net", "net", "net"});
  folded.traits.pinned.Add(Unit(0));
  folded.traits.pinned.Add(Unit(2));
  CHECK(folded.Text(folded.Contract()) == "pinned pinned2 net(one two)");
}

TEST_CASE("skipped runs are part of those around them") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"a"}, "one");
  model.Node("Neg", {"a"}, {"y"}, "two");
  Folded folded(model, {"net.fc", "net"});
  folded.choices.skipped.Add(folded.runs.of(Unit(0)));
  CHECK(folded.Text(folded.Contract()) == "net(one two)");
}

TEST_CASE("constants at the head of the file are in the runs that read them") {
  TestGraph model;
  model.Output("y");
  model.Node("Constant", {}, {"c0"}, "c0");
  model.Node("Constant", {}, {"c1"}, "c1");
  model.Node("Add", {"x", "c0"}, {"a"}, "add0");
  model.Node("Add", {"a", "c1"}, {"y"}, "add1");
  const Folded folded(model, {"l.0", "l.1", "l.0", "l.1"});
  CHECK(folded.Text(folded.Contract()) == "l.0(c0 add0) l.1(c1 add1)");
}

}  // namespace
}  // namespace onnx_hier
