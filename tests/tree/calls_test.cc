// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/calls.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/owners/infer.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

Assignments InferWithCalls(const Graph& graph, const Evidence& evidence, ModulePaths& paths) {
  const GraphAnalysis analysis(graph);
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  Assignments assignments = InferOwners(analysis, evidence, known, paths).Take();
  NumberCalls(analysis.flow(), evidence, known, paths, assignments);
  return assignments;
}

// A chain of nodes whose modules are known from metadata, which tells no calls.
class Chain {
 public:
  Chain() { model_.Input("v0"); }

  // One more node in `module`, after the last one; it reads `others` as well.
  Chain& Add(const std::string& op, const std::string& module, TestGraph::Names others = {}) {
    return Branch(op, module, values_, std::move(others));
  }
  // The same, but computed from the `from`-th value.
  Chain& Branch(const std::string& op, const std::string& module, int from,
                TestGraph::Names others = {}) {
    others.insert(others.begin(), absl::StrCat("v", from));
    const NodeId node = model_.Node(op, others, {absl::StrCat("v", ++values_)});
    std::string scopes = "['', ";
    std::string path;
    for (const char c : module + ".") {
      if (c == '.') absl::StrAppend(&scopes, "'", path, "', ");
      path += c;
    }
    model_.Metadata(node, "pkg.torch.onnx.name_scopes", model_.Keep(scopes + "'op']"));
    return *this;
  }
  Chain& Parameter(const std::string& name) {
    model_.Initializer(name, {4, 4});
    return *this;
  }

  // Of all nodes: "0 0 1 0".
  std::string Calls() {
    const Graph& graph = model_.Build();
    ModulePaths paths;
    const Evidence evidence = CollectEvidence(graph, {}, paths);
    const Assignments assignments = InferWithCalls(graph, evidence, paths);
    std::string text;
    for (const Assignment& assignment : assignments) {
      absl::StrAppend(&text, text.empty() ? "" : " ", assignment.call);
    }
    return text;
  }

  TestGraph& model() { return model_; }

 private:
  TestGraph model_;
  int values_ = 0;
};

TEST_CASE("a module whose weight is read again ran again, next to itself or not") {
  Chain chain;
  chain.Parameter("fc.weight").Parameter("other.weight");
  chain.Add("MatMul", "fc", {"fc.weight"}).Add("MatMul", "fc", {"fc.weight"});
  chain.Add("MatMul", "other", {"other.weight"}).Add("MatMul", "fc", {"fc.weight"});
  CHECK(chain.Calls() == "0 1 0 2");
}

TEST_CASE("a weight that is used in two ways is no sign of two runs") {
  Chain chain;
  chain.Parameter("embed.weight");
  chain.Add("Gather", "embed", {"embed.weight"}).Add("Relu", "act");
  chain.Add("MatMul", "embed", {"embed.weight"});
  CHECK(chain.Calls() == "0 0 0");
}

TEST_CASE("a bias that equal modules share since an optimiser merged it is no sign of two runs") {
  Chain chain;
  chain.Parameter("a.weight").Parameter("b.weight").Parameter("a.bias");
  chain.Add("MatMul", "a", {"a.weight"}).Add("Add", "a", {"a.bias"});
  chain.Add("MatMul", "b", {"b.weight"}).Add("Add", "b", {"a.bias"});
  CHECK(chain.Calls() == "0 0 0 0");
}

TEST_CASE("what is left and entered anew runs once, when none of it comes again") {
  Chain chain;
  chain.Parameter("block.norm.weight").Parameter("block.fc.weight").Parameter("mask.weight");
  chain.Add("Concat", "block").Add("Mul", "mask", {"mask.weight"}).Add("Concat", "block");
  chain.Add("Mul", "block.norm", {"block.norm.weight"})
      .Add("Concat", "block")
      .Add("Shape", "block");
  chain.Add("MatMul", "block.fc", {"block.fc.weight"}).Add("Concat", "block");
  CHECK(chain.Calls() == "0 0 0 0 0 0 0 0");
}

TEST_CASE("a module runs with all that is inside it, activations and its own nodes too") {
  Chain chain;
  chain.Parameter("first.weight").Parameter("layer.up.weight").Parameter("layer.down.weight");
  chain.Add("MatMul", "first", {"first.weight"});
  for (int run = 0; run < 3; ++run) {
    chain.Add("MatMul", "layer.up", {"layer.up.weight"});
    chain.Add("Div", "layer.act").Add("Mul", "layer.act").Add("Mul", "layer.act");
    chain.Add("MatMul", "layer.down", {"layer.down.weight"}).Add("Add", "layer");
  }
  CHECK(chain.Calls() == "0 0 0 0 0 0 0 1 1 1 1 1 1 2 2 2 2 2 2");
}

TEST_CASE("a layer that a module runs again and again is no sign that the module does") {
  Chain chain;
  chain.Parameter("model.layer.weight").Parameter("model.norm.weight");
  chain.Add("Shape", "model").Add("Sub", "model");
  for (int run = 0; run < 2; ++run) {
    chain.Add("MatMul", "model.layer", {"model.layer.weight"}).Add("Add", "model");
  }
  chain.Add("Mul", "model.norm", {"model.norm.weight"});
  CHECK(chain.Calls() == "0 0 0 0 1 0 0");
}

TEST_CASE("a head that is used on a list of inputs at once ran once") {
  Chain chain;
  chain.Parameter("head.a.weight").Parameter("head.b.weight");
  for (int run = 0; run < 2; ++run) {
    chain.Branch("Conv", "head.a", 0, {"head.a.weight"});
    chain.Add("Relu", "head").Add("Conv", "head.b", {"head.b.weight"});
  }
  CHECK(chain.Calls() == "0 0 0 1 0 1");
}

TEST_CASE("an activation runs again when it was left, or does the same to its own result") {
  Chain chain;
  chain.Parameter("a.weight");
  chain.Add("Relu", "act").Add("MatMul", "a", {"a.weight"}).Add("Relu", "act").Add("Relu", "act");
  CHECK(chain.Calls() == "0 0 1 2");
}

TEST_CASE("several kinds of nodes must all come again") {
  Chain chain;
  chain.Parameter("a.weight");
  chain.Add("Div", "act").Add("Erf", "act").Add("Mul", "act").Add("MatMul", "a", {"a.weight"});
  chain.Add("Mul", "act");
  CHECK(chain.Calls() == "0 0 0 0 0");
}

TEST_CASE("a run that computes from constants is a run") {
  Chain chain;
  chain.Parameter("fc.weight").Parameter("fc.bias").Parameter("table");
  chain.model().Node("Constant", {}, {"start"});
  chain.model().Node("Shape", {"start"}, {"begun"});
  chain.Add("MatMul", "fc", {"fc.weight"}).Add("Add", "fc", {"fc.bias"});
  const NodeId fixed = chain.model().Node("MatMul", {"begun", "fc.weight"}, {"w"});
  chain.model().Metadata(fixed, "pkg.torch.onnx.name_scopes", "['', 'fc', 'op']");
  const NodeId biased = chain.model().Node("Add", {"w", "fc.bias"}, {"y"});
  chain.model().Metadata(biased, "pkg.torch.onnx.name_scopes", "['', 'fc', 'op']");
  CHECK(chain.Calls() == "0 0 0 0 1 1");
}

TEST_CASE("names that count calls are believed; a node without one is in the run it stands in") {
  TestGraph model;
  model.Input("x");
  model.Initializer("fc.weight", {4, 4});
  model.Node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul");
  model.Node("Relu", {"a"}, {"b"}, "/act/Relu");
  model.Node("MatMul", {"b", "fc.weight"}, {"c"}, "n2");
  model.Node("Relu", {"c"}, {"d"}, "/act_1/Relu");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const Assignments assignments = InferWithCalls(graph, evidence, paths);
  CHECK(paths.Tag(assignments[NodeId(2)].primary) == "/fc");
  CHECK(assignments[NodeId(0)].call == 0);
  CHECK(assignments[NodeId(2)].call == 1);
}

TEST_CASE("what comes again behind another module is another call than the named one") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {"a"}, "/act/Relu");
  model.Node("Neg", {"a"}, {"b"}, "/Neg");
  model.Node("Relu", {"b"}, {"c"});
  model.Node("Neg", {"c"}, {"d"}, "/Neg_1");
  model.Node("Add", {"d", "x"}, {"e"});
  model.Node("Relu", {"e"}, {"f"}, "/act_2/Relu");
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const GraphAnalysis analysis(graph);
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  Assignments assignments = InferOwners(analysis, evidence, known, paths).Take();
  // However they were placed: with the addition, runs of nodes tell nothing.
  assignments[NodeId(2)].primary = assignments[NodeId(4)].primary = paths.Parse("act");
  NumberCalls(analysis.flow(), evidence, known, paths, assignments);
  CHECK(assignments[NodeId(2)].call == 1);
  CHECK(assignments[NodeId(4)].call == 2);
  CHECK(assignments[NodeId(5)].call == 2);
}

}  // namespace
}  // namespace onnx_hier
