// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/graph_match.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "doctest/doctest.h"
#include "tests/relate/contents.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Contents;
using testing::TestGraph;
using testing::Value;

using Hashes = std::map<std::string, uint64_t>;

// By operators of the new graph: "Conv: conv by value (conv act)", what it stands for above all,
// how that is known, and all that it stands for.
struct Matched {
  Matched(TestGraph& old_model, TestGraph& new_model, const Hashes& old_hashes = {},
          const Hashes& new_hashes = {}) {
    const Graph& from = old_model.Build();
    const Graph& to = new_model.Build();
    Contents from_contents(from, old_hashes);
    Contents to_contents(to, new_hashes);
    const GraphMatch match = Value(MatchGraphs(from, from_contents, to, to_contents));
    compared = match.compared;
    agreed = match.agreed;
    for (NodeId node : to.node_ids()) {
      std::string& line = lines[std::string(to.op(node).type)];
      const NodeMatch& found = match.nodes[node];
      line = !match.main_of(node).valid()
                 ? ""
                 : absl::StrCat(from.node(match.main_of(node)).name, " by ",
                                absl::StripPrefix(MethodName(found.by), "transfer_"));
      if (match.region(node).size() < 2) continue;
      absl::StrAppend(&line, " of");
      for (NodeId other : match.region(node)) {
        absl::StrAppend(&line, " ", from.node(other).name);
      }
    }
  }

  std::map<std::string, std::string> lines;
  uint64_t compared = 0;
  uint64_t agreed = 0;
};

// fc = MatMul, Add; act = Relu; two outputs.
TestGraph& Perceptron(TestGraph& model) {
  model.Input("x").Initializer("fc.weight", {8, 8});
  model.Initializer("fc.bias", {8});
  model.Node("MatMul", {"x", "fc.weight"}, {"m"}, "matmul");
  model.Node("Add", {"m", "fc.bias"}, {"a"}, "add");
  model.Node("Relu", {"a"}, {"r"}, "relu");
  model.Node("Softmax", {"r"}, {"y"}, "softmax");
  return model.Output("y");
}

TEST_CASE("a fused operator stands for all that it replaces, and for the weighted one above all") {
  TestGraph from;
  TestGraph to;
  Perceptron(from);
  to.Input("x").Initializer("fc.weight", {8, 8});
  to.Initializer("fc.bias", {8});
  to.Node("FusedGemm", {"x", "fc.weight", "fc.bias"}, {"r"}, "fused 0");
  to.Node("Softmax", {"r"}, {"y"}, "s");
  to.Output("y");
  const Matched match(from, to);
  CHECK(match.lines.at("FusedGemm") == "matmul by region of relu add matmul");
  CHECK(match.lines.at("Softmax") == "softmax by value");
  CHECK(match.agreed == match.compared);
}

TEST_CASE("names that optimisers made of a name") {
  for (const char* name :
       {"matmul", "matmul/MatMulAddFusion", "matmul_nchwc", "matmul_token_3", "matmul_quant"}) {
    CAPTURE(name);
    TestGraph from;
    TestGraph to;
    Perceptron(from);
    to.Input("x").Initializer("w", {8, 8});
    to.Node("QLinearMatMul", {"x", "w"}, {"unknown"}, name);
    CHECK(Matched(from, to).lines.at("QLinearMatMul") == "matmul by name");
  }
  TestGraph from;
  TestGraph to;
  from.Input("x").Node("Exp", {"x"}, {"e"}, "Exp");
  from.Node("Log", {"e"}, {"l"}, "Log");
  to.Input("x").Node("Abs", {"x"}, {"a"}, "Exp_1");
  CHECK(Matched(from, to).lines.at("Abs").empty());
}

TEST_CASE("parameters tell which node one is, by name or by what they hold") {
  for (const bool renamed : {false, true}) {
    CAPTURE(renamed);
    TestGraph from;
    TestGraph to;
    Perceptron(from);
    const char* const name = renamed ? "w7" : "fc.weight";
    to.Input("in").Initializer(name, {8, 8});
    to.Node("Gemm", {"in", name}, {"g"});
    to.Node("Exp", {"g"}, {"out"});
    const Matched match(from, to, {{"fc.weight", 5}, {"fc.bias", 6}}, {{"w7", 5}});
    CHECK(match.lines.at("Gemm") == "matmul by parameter");
  }
}

TEST_CASE("of readers of a parameter, the only one of the node's operator is meant") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Initializer("fc.weight", {8, 8});
  from.Node("Gemm", {"x", "fc.weight"}, {"a"}, "product");
  from.Node("Add", {"a", "fc.weight"}, {"b"}, "sum");
  from.Node("Exp", {"b"}, {"c"}, "exp");
  to.Input("x").Initializer("fc.weight", {8, 8});
  to.Node("Gemm", {"x", "fc.weight"}, {"m"});
  to.Node("LeakyRelu", {"m"}, {"r"});
  CHECK(Matched(from, to).lines.at("Gemm") == "product by parameter");
}

TEST_CASE("readers of a parameter of a module that runs again are those in the same run") {
  for (const int runs : {2, 3}) {
    CAPTURE(runs);
    TestGraph from;
    TestGraph to;
    from.Input("x").Initializer("fc.weight", {8, 8});
    from.Node("MatMul", {"x", "fc.weight"}, {"a"}, "first");
    from.Node("Relu", {"a"}, {"b"}, "relu");
    from.Node("MatMul", {"b", "fc.weight"}, {"c"}, "second");
    from.Node("Exp", {"c"}, {"d"}, "exp");
    to.Input("x").Initializer("fc.weight", {8, 8});
    std::string last = "x";
    for (int i = 0; i < runs; ++i) {
      to.Node("MatMul", {last, "fc.weight"}, {absl::StrCat("m", i)});
      last = absl::StrCat("r", i);
      to.Node("LeakyRelu", {absl::StrCat("m", i)}, {last});
    }
    const std::string line = Matched(from, to).lines.at("MatMul");
    CHECK((line == "second by parameter") == (runs == 2));
  }
}

TEST_CASE("without any name, nodes are found from the outputs on, over what was put in or folded") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Initializer("w", {4, 4, 3, 3});
  from.Node("Conv", {"x", "w"}, {"c"}, "conv");
  from.Node("BatchNormalization", {"c"}, {"b"}, "norm");
  from.Node("Relu", {"b"}, {"r"}, "relu");
  from.Node("MaxPool", {"r"}, {"y"}, "pool");
  from.Output("y");
  to.Input("x").Initializer("v", {4, 4, 3, 3});
  to.Node("Cast", {"x"}, {"0"});
  to.Node("Conv", {"0", "v"}, {"1"});
  to.Node("Relu", {"1"}, {"2"});
  to.Node("Transpose", {"2"}, {"3"});
  to.Node("MaxPool", {"3"}, {"z"});
  to.Output("z");
  const Matched match(from, to);
  CHECK(match.lines.at("MaxPool") == "pool by region");
  CHECK(match.lines.at("Relu") == "relu by region");
  CHECK(match.lines.at("Conv") == "conv by region");
  CHECK(match.lines.at("Cast").empty());
  CHECK(match.lines.at("Transpose").empty());
}

TEST_CASE("several operators that stand for one") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Node("HardSwish", {"x"}, {"h"}, "swish");
  from.Node("Relu", {"h"}, {"y"}, "relu");
  to.Input("x").Node("HardSigmoid", {"x"}, {"s"});
  to.Node("Mul", {"x", "s"}, {"h"});
  to.Node("Relu", {"h"}, {"y"});
  const Matched match(from, to);
  CHECK(match.lines.at("Mul") == "swish by value");
  CHECK(match.lines.at("HardSigmoid") == "swish by region");
}

TEST_CASE("a value that was moved behind another layout is computed before it") {
  TestGraph from;
  TestGraph to;
  Perceptron(from);
  to.Input("x").Initializer("reordered", {8, 8});
  to.Node("Conv", {"x", "reordered"}, {"blocked"});
  to.Node("ReorderOutput", {"blocked"}, {"r"});
  to.Node("Softmax", {"r"}, {"y"});
  const Matched match(from, to);
  CHECK(match.lines.at("ReorderOutput") == "relu by value");
  CHECK(match.lines.at("Conv") == "matmul by region of relu add matmul");
}

TEST_CASE("values of functions and of inner graphs are others' than those of the main graph") {
  TestGraph from;
  TestGraph to;
  const NodeId choose = from.Input("c").Node("If", {"c"}, {"y"}, "choose");
  from.In(from.Subgraph(choose, "then_branch")).Node("Exp", {"c"}, {"e"}, "inner");
  from.In(from.Function("f", "Fn")).Node("Log", {"i"}, {"l"}, "in function");
  to.Input("c").Node("Exp", {"c"}, {"e"});
  to.Node("Log", {"c"}, {"l"});
  const Matched match(from, to);
  CHECK(match.lines.at("Exp") == "inner by value");
  CHECK(match.lines.at("Log").empty());
}

TEST_CASE("functions that are as they were match node by node") {
  const auto matched = [](const char* second) {
    TestGraph from;
    TestGraph to;
    for (TestGraph* model : {&from, &to}) {
      model->Input("x").Node("Fn", {"x"}, {"y"}, "call", "f");
      model->Output("y").In(model->Function("f", "Fn")).Node("Log", {"i"}, {"l"}, "log");
      model->Node(model == &from ? "Cast" : second, {"l"}, {"o"}, "last");
    }
    return Matched(from, to).lines;
  };
  CHECK(matched("Cast").at("Log") == "log by name");
  CHECK(matched("Cast").at("Cast") == "last by name");
  CHECK(matched("Exp").at("Log").empty());
}

TEST_CASE("no node stands for what was computed beforehand") {
  TestGraph from;
  from.Input("x").Initializer("queries", {4, 4});
  from.Initializer("w", {4, 4});
  from.Node("MatMul", {"queries", "w"}, {"q"}, "to_q");
  from.Node("Mul", {"q", "x"}, {"m"}, "scale");
  from.Node("Softmax", {"m"}, {"y"}, "softmax");
  TestGraph to;
  to.Input("x").Initializer("folded", {4, 4});
  to.Node("FusedSoftmax", {"folded", "x"}, {"y"});
  CHECK(Matched(from, to).lines.at("FusedSoftmax") == "softmax by value of softmax scale");
}

TEST_CASE("names that models share by chance do not agree") {
  TestGraph from;
  TestGraph to;
  Perceptron(from);
  to.Input("z").Initializer("fc.weight", {3, 5});
  to.Node("Exp", {"z"}, {"a"}, "add");
  to.Node("MatMul", {"a", "fc.weight"}, {"m"}, "matmul");
  to.Node("Sub", {"m", "z"}, {"r"}, "relu");
  const Matched match(from, to);
  CHECK(match.compared > 0);
  CHECK(match.agreed == 0);
}

TEST_CASE("what was put in for a call stands for it, not for the call that reads it") {
  const auto parameters = [](TestGraph& model) {
    model.Input("x").Initializer("w1", {4, 4});
    model.Initializer("w2", {4, 4});
  };
  TestGraph old_model;
  parameters(old_model);
  old_model.Node("Layer", {"x", "w1"}, {"a"}, "first", "own");
  old_model.Node("Layer", {"a", "w2"}, {"b"}, "second", "own");
  old_model.Output("b").In(old_model.Function("own", "Layer"));
  old_model.Node("MatMul", {"x", "w"}, {"m"});
  TestGraph new_model;
  parameters(new_model);
  new_model.Node("MatMul", {"x", "w1"}, {"m"});
  new_model.Node("Relu", {"m"}, {"r"});
  new_model.Node("Exp", {"r"}, {"a"});
  new_model.Node("Gemm", {"a", "w2"}, {"g"});
  new_model.Output("g");
  const Matched match(old_model, new_model);
  CHECK(match.lines.at("MatMul") == "first by parameter");
  CHECK(match.lines.at("Relu") == "first by region");
  CHECK(match.lines.at("Exp") == "first by region");
  CHECK(match.lines.at("Gemm") == "second by parameter");
}

// Few operators and names, so that much is the same in any two of them; cycles and names that are
// made twice among it.
void FillAtRandom(testing::Random& random, TestGraph& model) {
  const auto value = [&random] { return absl::StrCat("v", random.Below(12)); };
  const char* const ops[] = {"MatMul", "Add", "Cast", "Relu", "If", "Conv"};
  model.Input("v0");
  for (size_t i = random.Below(4); i-- > 0;) {
    model.Initializer(absl::StrCat("v", 8 + i), {4, static_cast<int64_t>(1 + random.Below(2))});
  }
  for (size_t i = random.Below(20); i-- > 0;) {
    const NodeId node = model.Node(ops[random.Below(6)], {value(), value()}, {value()},
                                   random.OneIn(2) ? "" : absl::StrCat("n", random.Below(9)));
    if (random.OneIn(8)) {
      model.In(model.Subgraph(node, "body")).Node("Relu", {value()}, {value()}, "inner");
      model.In(BlockId(0));
    }
  }
  model.Output(value());
}

TEST_CASE("any two graphs can be matched, and any graph with itself") {
  testing::Random random(5);
  for (int i = 0; i < 500; ++i) {
    TestGraph old_model;
    TestGraph new_model;
    FillAtRandom(random, old_model);
    FillAtRandom(random, new_model);
    const Graph& from = old_model.Build();
    const Graph& to = new_model.Build();
    Contents from_contents(from);
    Contents to_contents(to, {{"v8", 1}, {"v9", 1}});
    const GraphMatch match = Value(MatchGraphs(from, from_contents, to, to_contents));
    CHECK(match.agreed <= match.compared);
    for (NodeId node : to.node_ids()) {
      const NodeMatch& found = match.nodes[node];
      REQUIRE(match.main_of(node).valid() == (found.by != Method::kNone));
      if (match.main_of(node).valid()) REQUIRE(match.main_of(node).index() < from.node_count());
      REQUIRE(match.main_of(node).valid() == (found.region.size() > 0));
    }
    const GraphMatch same = Value(MatchGraphs(to, to_contents, to, to_contents));
    CHECK(same.nodes.size() == to.node_count());
  }
}

}  // namespace
}  // namespace onnx_hier
