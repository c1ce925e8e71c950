// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/closure.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Names;
using testing::TestGraph;
using testing::UnitsNamed;

using List = std::vector<std::string>;

// What is asked of one model, by the names of nodes.
class Cut {
 public:
  explicit Cut(TestGraph& model)
      : graph_(model.Build()), units_(graph_, graph_.main_block()), repeatable_(units_) {}

  // "units | copied | inputs | outputs"
  std::string Close(const List& own) const {
    const Closure closure = onnx_hier::Close(units_, repeatable_, UnitsNamed(units_, own));
    return absl::StrCat(Names(units_, closure.units), " | ", closure.copied, " | ",
                        Names(graph_, closure.inputs), " | ", Names(graph_, closure.outputs));
  }
  std::string Between(const List& own) const {
    return Names(units_, onnx_hier::Between(units_, repeatable_, UnitsNamed(units_, own)));
  }
  std::string WithMakers(const List& own) const {
    return Names(units_, onnx_hier::WithMakers(units_, UnitsNamed(units_, own)));
  }
  std::string WithReaders(const List& own) const {
    return Names(units_, onnx_hier::WithReaders(units_, repeatable_, UnitsNamed(units_, own)));
  }

 private:
  const Graph& graph_;
  const Units units_;
  const Repeatable repeatable_;
};

TEST_CASE("inputs are what is read and not made, outputs what others read") {
  TestGraph model;
  model.Input("x").Output("y").Output("b");
  model.Initializer("w", {1});
  model.Node("Neg", {"x"}, {"a"}, "before");
  model.Node("Mul", {"a", "w"}, {"b"}, "mul");
  model.Node("Add", {"b", "x"}, {"c"}, "add");
  model.Node("Neg", {"c"}, {"y"}, "behind");
  const Cut cut(model);
  CHECK(cut.Close({"mul", "add"}) == "mul add | 0 | a x | b c");
  CHECK(cut.Close({"mul"}) == "mul | 0 | a | b");
  CHECK(cut.Close({"before", "mul", "add", "behind"}) == "before mul add behind | 0 | x | b y");
}

TEST_CASE("of a part that nobody reads, what it does not read itself") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"a"}, "one");
  model.Node("Split", {"a"}, {"b", "c"}, "two");
  model.Node("Neg", {"x"}, {"y"}, "other");
  const Cut cut(model);
  CHECK(cut.Close({"one", "two"}) == "one two | 0 | x | b c");
  CHECK(cut.Close({"one"}) == "one | 0 | x | a");
}

TEST_CASE("constants are copied, and are outputs only where there are no others") {
  TestGraph model;
  model.Output("y");
  model.Initializer("w", {1});
  model.Node("Constant", {}, {"c"}, "constant");
  model.Node("Mul", {"c", "w"}, {"cw"}, "scaled");
  model.Node("Add", {"x", "cw"}, {"h"}, "add");
  model.Node("Pow", {"h", "cw"}, {"y"}, "pow");
  const Cut cut(model);
  CHECK(cut.Close({"pow"}) == "constant scaled pow | 2 | h | y");
  CHECK(cut.Close({"constant", "scaled", "add"}) == "constant scaled add | 0 | x | h");
  CHECK(cut.Close({"constant", "scaled"}) == "constant scaled | 0 |  | cw");
  CHECK(cut.Close({"scaled"}) == "constant scaled | 1 |  | cw");
}

TEST_CASE("shape arithmetic is copied only where the source is at hand") {
  TestGraph model;
  model.Output("y").Output("z");
  model.Node("Neg", {"x"}, {"h"}, "neg");
  model.Node("Shape", {"h"}, {"s"}, "shape");
  model.Node("Gather", {"s", "i"}, {"n"}, "gather");
  model.Node("Reshape", {"h", "n"}, {"y"}, "near");
  model.Node("Expand", {"other", "n"}, {"z"}, "far");
  const Cut cut(model);
  // "i" is no constant, so only the Shape can be worked out again.
  CHECK(cut.Close({"near"}) == "near | 0 | h n | y");
  CHECK(cut.Close({"gather"}) == "gather | 0 | s i | n");
  CHECK(cut.Close({"gather", "near"}) == "shape gather near | 1 | i h | n y");

  TestGraph constant;
  constant.Output("y").Output("z");
  constant.Initializer("i", {1});
  constant.Node("Neg", {"x"}, {"h"}, "neg");
  constant.Node("Shape", {"h"}, {"s"}, "shape");
  constant.Node("Gather", {"s", "i"}, {"n"}, "gather");
  constant.Node("Reshape", {"h", "n"}, {"y"}, "near");
  constant.Node("Expand", {"other", "n"}, {"z"}, "far");
  const Cut second(constant);
  CHECK(second.Close({"near"}) == "shape gather near | 2 | h | y");
  CHECK(second.Close({"far"}) == "far | 0 | other n | z");
  CHECK(second.Close({"neg", "far"}) == "neg shape gather far | 2 | x other | h z");
  // Others can work out the shapes, too: these are no outputs.
  CHECK(second.Close({"neg", "shape", "gather"}) == "neg shape gather | 0 | x | h");
}

TEST_CASE("a repeatable value that is an output of the graph is one of the part") {
  TestGraph model;
  model.Output("s").Output("y");
  model.Node("Shape", {"x"}, {"s"}, "shape");
  model.Node("Neg", {"x"}, {"y"}, "neg");
  CHECK(Cut(model).Close({"shape", "neg"}) == "shape neg | 0 | x | s y");
}

TEST_CASE("what only copies read is no output") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"h"}, "neg");
  model.Node("Shape", {"h"}, {"s"}, "shape");
  model.Node("Expand", {"z", "s"}, {"y"}, "last");
  CHECK(Cut(model).Close({"neg", "last"}) == "neg shape last | 1 | x z | y");

  // Others need the shape, too, and for that the value.
  TestGraph shared;
  shared.Output("y").Output("v");
  shared.Node("Neg", {"x"}, {"h"}, "neg");
  shared.Node("Shape", {"h"}, {"s"}, "shape");
  shared.Node("Squeeze", {"s"}, {"t"}, "squeeze");
  shared.Node("Expand", {"z", "t"}, {"y"}, "last");
  shared.Node("Expand", {"w", "t"}, {"v"}, "other");
  CHECK(Cut(shared).Close({"neg", "last"}) == "neg shape squeeze last | 2 | x z | h y");
}

// One layer whose value leaves it through another module and comes back.
TestGraph& Leaving(TestGraph& model) {
  model.Input("x").Output("y");
  model.Node("Neg", {"x"}, {"a"}, "first");
  model.Node("Abs", {"a"}, {"b"}, "outside");
  model.Node("Shape", {"a"}, {"s"}, "shape");
  model.Node("Add", {"a", "b"}, {"c"}, "second");
  model.Node("Reshape", {"c", "s"}, {"y"}, "third");
  return model;
}

TEST_CASE("between: on a way that leaves and comes back") {
  TestGraph model;
  const Cut cut(Leaving(model));
  CHECK(cut.Between({"first", "second"}) == "outside");
  CHECK(cut.Between({"first"}) == "");
  // Shape arithmetic is in nobody's way, but what it needs the shape of may be.
  CHECK(cut.Between({"first", "third"}) == "outside second");
  CHECK(cut.Between({"outside", "third"}) == "second");
  CHECK(cut.Close({"first", "second"}) == "first second | 0 | x b | a c");
}

TEST_CASE("between: through arithmetic with the shape of what lies there") {
  TestGraph model;
  model.Node("Neg", {"x"}, {"a"}, "first");
  model.Node("Abs", {"a"}, {"b"}, "middle");
  model.Node("Shape", {"b"}, {"s"}, "shape");
  model.Node("Expand", {"z", "s"}, {"y"}, "last");
  CHECK(Cut(model).Between({"first", "last"}) == "middle");
}

TEST_CASE("with all that is needed, and with all that needs it") {
  TestGraph model;
  const Cut cut(Leaving(model));
  CHECK(cut.WithMakers({"outside"}) == "first outside");
  CHECK(cut.WithMakers({"third"}) == "first outside shape second third");
  CHECK(cut.WithReaders({"third"}) == "third");
  CHECK(cut.WithReaders({"outside"}) == "outside second third");
  CHECK(cut.WithReaders({"first"}) == "first outside shape second third");
}

TEST_CASE("what an If's branches take from outside is needed") {
  TestGraph model;
  model.Output("y");
  model.Node("Neg", {"x"}, {"a"}, "neg");
  const NodeId choice = model.Node("If", {"c"}, {"y"}, "if");
  model.In(model.Subgraph(choice, "then_branch")).Output("a");
  const Cut cut(model);
  CHECK(cut.Close({"if"}) == "if | 0 | c a | y");
  CHECK(cut.WithMakers({"if"}) == "neg if");
}

TEST_CASE("cycles end") {
  TestGraph model;
  model.Node("Add", {"x", "b"}, {"a"}, "one");
  model.Node("Neg", {"a"}, {"b"}, "two");
  const Cut cut(model);
  CHECK(cut.Close({"one"}) == "one | 0 | x b | a");
  CHECK(cut.WithMakers({"one", "two"}) == "one two");
  CHECK(cut.WithReaders({"one"}) == "one two");
}

}  // namespace
}  // namespace onnx_hier
