// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/value_pairs.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/graph/domain.h"
#include "tests/support/names.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::FindValue;
using testing::NodeNamed;
using testing::TestGraph;

// Nodes of the new graph by name: what they stand for in the old one, the counterpart first.
using Regions = std::map<std::string, std::vector<std::string>>;

class Pairs {
 public:
  Pairs(TestGraph& from, TestGraph& to, const Regions& regions)
      : from_(from.Build()), to_(to.Build()) {
    GraphMatch match;
    match.nodes.resize(to_.node_count());
    for (const auto& [node, names] : regions) {
      const auto begin = static_cast<uint32_t>(match.regions.size());
      for (const std::string& name : names) match.regions.push_back(NodeNamed(from_, name));
      match.nodes[NodeNamed(to_, node)].region = {begin,
                                                  static_cast<uint32_t>(match.regions.size())};
    }
    pairs_ = PairValues(from_, to_, match);
  }

  // The value that says what this one of the old graph does; "": none.
  std::string operator[](const std::string& name) const {
    const ValueId value = pairs_.of[FindValue(from_, name)];
    return value.valid() ? std::string(to_.value(value).name) : "";
  }
  std::string packed() const {
    std::string names;
    for (ValueId id : to_.value_ids()) {
      if (pairs_.packed.Has(id))
        absl::StrAppend(&names, names.empty() ? "" : " ", to_.value(id).name);
    }
    return names;
  }

 private:
  const Graph& from_;
  const Graph& to_;
  ValuePairs pairs_;
};

TEST_CASE("values that are called alike are a pair, whatever made them") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Initializer("w", {2, 2});
  from.Node("Relu", {"x"}, {"a"}, "relu");
  from.Node("MatMul", {"a", "w"}, {"b"}, "product");
  to.Input("x").Initializer("w", {2, 2});
  to.Node("Sin", {"x"}, {"a"}, "sin");
  to.Node("MatMul", {"a", "w"}, {"c"}, "p");
  const Pairs pairs(from, to, {{"p", {"product"}}, {"sin", {"product"}}});
  CHECK(pairs["x"] == "x");
  CHECK(pairs["a"] == "a");
  CHECK(pairs["b"] == "c");  // "a" is taken
  CHECK(pairs["w"].empty());
}

TEST_CASE("values of branches and of functions are no pairs") {
  TestGraph from;
  TestGraph to;
  for (TestGraph* model : {&from, &to}) {
    model->Input("c");
    const NodeId choice = model->Node("If", {"c"}, {"y"}, "if");
    model->In(model->Subgraph(choice, "then_branch")).Node("Relu", {"c"}, {"t"}, "inner");
  }
  const Pairs pairs(from, to, {{"inner", {"inner"}}});
  CHECK(pairs["y"] == "y");
  CHECK(pairs["t"].empty());
}

TEST_CASE("plain numbers stand behind what unpacks them") {
  for (const char* unpacking : {"DequantizeLinear", "ReorderOutput", "Relu"}) {
    CAPTURE(unpacking);
    TestGraph from;
    TestGraph to;
    from.Input("x").Node("Relu", {"x"}, {"a"}, "relu");
    to.Input("x").Node("Relu", {"x"}, {"q1"}, "relu");
    to.Node("Sin", {"q1"}, {"other"}, "sin");
    to.Node(unpacking, {"s", "q1"}, {"scaled"}, "scaled");
    to.Node(unpacking, {"q1", "s"}, {"q2"}, "u1");
    to.Node(unpacking, {"q2"}, {"q3"}, "u2");
    to.Node("Split", {"q3"}, {"l", "r"}, "split");
    const Pairs pairs(from, to, {{"relu", {"relu"}}});
    CHECK(pairs["a"] == (std::string(unpacking) == "Relu" ? "q1" : "q3"));
  }
  // So many in a row, and no more.
  TestGraph from;
  TestGraph to;
  from.Input("x").Node("Relu", {"x"}, {"a"}, "relu");
  to.Input("x").Node("Relu", {"x"}, {"q0"}, "relu");
  for (int i = 0; i < 6; ++i) {
    to.Node("DequantizeLinear", {absl::StrCat("q", i)}, {absl::StrCat("q", i + 1)});
  }
  CHECK(Pairs(from, to, {{"relu", {"relu"}}})["a"] == "q4");
}

// x -> conv -> sum with z -> relu -> softmax.
void Chain(TestGraph& model) {
  model.Input("x").Input("z").Initializer("w", {4, 4, 1, 1});
  model.Node("Conv", {"x", "w"}, {"a"}, "conv");
  model.Node("Add", {"a", "z"}, {"b"}, "sum");
  model.Node("Relu", {"b"}, {"c"}, "relu");
  model.Node("Softmax", {"c"}, {"y"}, "softmax");
}

TEST_CASE("an optimiser's operator makes what the last one of those makes that it took") {
  const auto fused = [](const TestGraph::Names& inputs, absl::string_view domain,
                        absl::string_view op) {
    TestGraph from;
    TestGraph to;
    Chain(from);
    to.Input("x").Input("z").Initializer("w", {4, 4, 1, 1});
    to.Node(op, inputs, {"f"}, "fused", domain);
    to.Node("Softmax", {"f"}, {"s"}, "soft");
    const Pairs pairs(from, to, {{"fused", {"conv"}}, {"soft", {"softmax"}}});
    CHECK(pairs["y"] == "s");
    std::string all;
    for (const char* name : {"a", "b", "c"}) {
      if (!pairs[name].empty()) absl::StrAppend(&all, name, "=", pairs[name]);
    }
    return all;
  };
  CHECK(fused({"x", "w", "", "z"}, "com.microsoft", "FusedConv") == "c=f");
  CHECK(fused({"x", "w", "", "z"}, kNchwcDomain, "Conv") == "c=f");
  // It does not read what the sum does.
  CHECK(fused({"x", "w"}, "com.microsoft", "FusedConv") == "a=f");
  CHECK(fused({"x", "w", "z", "u"}, "com.microsoft", "FusedConv") == "");
  // Of others the readers tell.
  CHECK(fused({"x", "w", "", "z"}, "com.microsoft", "Conv") == "c=f");
  CHECK(fused({"x", "w"}, "", "Relu") == "c=f");
}

TEST_CASE("an optimiser's operator takes no other weights, and nothing that moves values") {
  for (const char* next : {"MatMul", "Transpose", "Mul", "Sin"}) {
    CAPTURE(next);
    TestGraph from;
    TestGraph to;
    from.Input("x").Initializer("w", {4, 4, 1, 1});
    from.Initializer("v", {4});
    from.Node("Conv", {"x", "w"}, {"a"}, "conv");
    const bool has_weight = std::string(next) == "MatMul" || std::string(next) == "Mul";
    from.Node(next, has_weight ? TestGraph::Names{"a", "v"} : TestGraph::Names{"a"}, {"b"}, "next");
    to.Input("x").Initializer("w", {4, 4, 1, 1});
    to.Node("FusedConv", {"x", "w"}, {"f"}, "fused", "com.microsoft");
    const Pairs pairs(from, to, {{"fused", {"conv"}}});
    CHECK(pairs[std::string(next) == "Sin" ? "b" : "a"] == "f");
  }
}

TEST_CASE("what a value's readers read says which one it is") {
  const std::map<std::string, std::string> values = {
      {"neg", "a"}, {"relu", "b"}, {"sin", "c"}, {"cos", "d"}, {"exp", ""}};
  for (const auto& [reader, value] : values) {
    TestGraph now;
    now.Input("x").Initializer("w", {4, 4});
    now.Node("Gemm", {"x", "w"}, {"g"}, "gemm");
    now.Node("Tan", {"g"}, {"t"}, "reader");
    TestGraph before;
    before.Input("x").Initializer("w", {4, 4});
    before.Node("MatMul", {"x", "w"}, {"a"}, "product");
    before.Node("Neg", {"a"}, {"b"}, "neg");
    before.Node("Relu", {"b"}, {"c"}, "relu");
    before.Node("Sin", {"c"}, {"d"}, "sin");
    before.Node("Cos", {"d"}, {"e"}, "cos");
    before.Node("Exp", {"e"}, {"y"}, "exp");
    const Pairs pairs(before, now, {{"gemm", {"product"}}, {"reader", {reader}}});
    std::string found;
    for (const char* name : {"a", "b", "c", "d"}) {
      if (pairs[name] == "g") found += name;
    }
    CHECK(found == value);
  }
}

TEST_CASE("where a value has two nodes behind it that nobody stands for, none is meant") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Initializer("w", {4, 4});
  from.Node("MatMul", {"x", "w"}, {"a"}, "product");
  from.Node("Neg", {"a"}, {"b"}, "neg");
  from.Node("Sin", {"a"}, {"c"}, "sin");
  from.Node("Exp", {"b"}, {"y"}, "exp");
  to.Input("x").Initializer("w", {4, 4});
  to.Node("Gemm", {"x", "w"}, {"g"}, "gemm");
  to.Node("Tan", {"g"}, {"t"}, "reader");
  const Pairs pairs(from, to, {{"gemm", {"product"}}, {"reader", {"exp"}}});
  CHECK(pairs["a"].empty());
  CHECK(pairs["b"].empty());
}

TEST_CASE("each output of a node has its own counterpart; a value is a pair once") {
  TestGraph from;
  TestGraph to;
  from.Input("x").Node("Split", {"x"}, {"a", "b", "c"}, "split");
  from.Node("Relu", {"x"}, {"d"}, "relu");
  to.Input("x").Node("Split", {"x"}, {"p", "", "r", "s"}, "now");
  to.Node("Relu", {"x"}, {"u"}, "first");
  to.Node("Relu", {"x"}, {"v"}, "second");
  const Pairs pairs(from, to, {{"now", {"split"}}, {"first", {"relu"}}, {"second", {"relu"}}});
  CHECK(pairs["a"] == "p");
  CHECK(pairs["b"].empty());
  CHECK(pairs["c"] == "r");
  CHECK(pairs["d"] == "u");
}

TEST_CASE("values in an order of onnxruntime's own, until they are put back") {
  TestGraph from;
  TestGraph to;
  from.Input("x");
  to.Input("x").Node("ReorderInput", {"x"}, {"a"}, "in", kNchwcDomain);
  to.Node("Conv", {"a"}, {"b"}, "conv", kNchwcDomain);
  to.Node("Relu", {"b"}, {"c"}, "relu");
  to.Node("ReorderOutput", {"c"}, {"d"}, "out", kNchwcDomain);
  to.Node("Relu", {"d"}, {"e"}, "after");
  CHECK(Pairs(from, to, {}).packed() == "a b c");
}

}  // namespace
}  // namespace onnx_hier
