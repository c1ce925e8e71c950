// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "doctest/doctest.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"
#include "tests/support/written_model.h"

namespace onnx_hier {
namespace {

using testing::Value;
using testing::WrittenModel;

struct Outcome {
  std::string folded;
  size_t functions = 0;
  std::string unfolded;
  bool exact = false;
};

Outcome FoldAndUnfold(const std::string& bytes, const FoldRequest& request) {
  const Model model = Value(Model::FromBytes(bytes));
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  const Folding folding = Value(Fold(model, hierarchy, request));
  Outcome outcome;
  outcome.functions = folding.functions.size();
  outcome.folded = WrittenModel(model, folding.edits);
  const Model folded = Value(Model::FromBytes(outcome.folded));
  const Unfolding unfolding = Value(Unfold(folded, {}));
  outcome.exact = unfolding.exact;
  outcome.unfolded = WrittenModel(folded, unfolding.edits);
  return outcome;
}

// Layers of three nodes; what is said of each is chance.
std::string LayersWithNotes(testing::Random& random, int layers) {
  std::string nodes;
  const auto notes = [&random](const std::string& name) {
    std::string fields;
    if (random.OneIn(3)) fields += wire::Doc(absl::StrCat("about ", random.Below(3)));
    return std::pair(random.OneIn(3) ? "" : name, fields);
  };
  std::string last = "x";
  for (int i = 0; i < layers; ++i) {
    const std::string scope = absl::StrCat("/net/layer.", i);
    const auto add = [&](const std::string& op, wire::Names inputs) {
      const auto [name, fields] = notes(absl::StrCat(scope, "/fc/", op));
      last = random.OneIn(4) ? absl::StrCat("v", nodes.size())
                             : absl::StrCat(scope, "/fc/", op, "_output_0");
      nodes += wire::Node(op, inputs, {last}, name, fields);
    };
    add("MatMul", {last, absl::StrCat("net.layer.", i, ".fc.weight")});
    add("Relu", {last});
    add("Neg", {last});
  }
  std::string weights;
  for (int i = 0; i < layers; ++i) {
    weights += wire::Initializer(absl::StrCat("net.layer.", i, ".fc.weight"), {1}, "1234");
  }
  return wire::Model(
      wire::Graph(nodes + wire::Name("g") + weights + wire::Input("x") + wire::Output(last)));
}

TEST_CASE("whatever is said of nodes, unfolding gives back the model") {
  testing::Random random(3);
  for (uint64_t i = 0; i < testing::Rounds(60); ++i) {
    const std::string bytes = LayersWithNotes(random, 2 + static_cast<int>(random.Below(5)));
    const Outcome outcome = FoldAndUnfold(bytes, {.min_nodes = 1});
    CHECK(outcome.functions > 0);
    CHECK(outcome.exact);
    CHECK((outcome.unfolded == bytes));
  }
}

TEST_CASE("layers that differ in names and notes alone share a function") {
  testing::Random random(5);
  const std::string bytes = LayersWithNotes(random, 12);
  const Model model = Value(Model::FromBytes(bytes));
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  const FoldRequest request = {.only = Value(hierarchy.Match("net.layer.*"))};
  const Folding folding = Value(Fold(model, hierarchy, request));
  REQUIRE(folding.functions.size() == 1);
  CHECK(folding.functions[0].calls == 12);
  CHECK(folding.nodes_after == 12);
}

TEST_CASE("what is no model of nodes in order is not folded") {
  const auto error = [](const std::string& nodes) {
    const Model model = Value(Model::FromBytes(wire::Model(wire::Graph(nodes))));
    const Annotation annotation = Annotate(model);
    const Hierarchy hierarchy(model.graph(), annotation);
    return Fold(model, hierarchy, {}).status();
  };
  CHECK_ERROR(error(wire::Node("A", {"x"}, {"y"}) + wire::Node("A", {"x"}, {"y"})),
              kFailedPrecondition, "made twice");
  CHECK_ERROR(error(wire::Node("A", {"z"}, {"y"}) + wire::Node("A", {"y"}, {"z"})),
              kFailedPrecondition, "needs what only it makes");
}

TEST_CASE("a value that is read, and that nothing makes, is no input of a function") {
  const auto branch = [](const std::string& attribute, const std::string& output) {
    return wire::Subgraph(
        attribute, wire::Node("Relu", {"q"}, {output}, "/l.0/fc/Relu") + wire::Output(output));
  };
  const std::string bytes =
      wire::Model(wire::Graph(wire::Input("c") +
                              wire::Node("If", {"c"}, {"y"}, "/l.0/If",
                                         branch("then_branch", "a") + branch("else_branch", "b")) +
                              wire::Output("y")));
  const Model model = Value(Model::FromBytes(bytes));
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  CHECK_ERROR(Fold(model, hierarchy, {.min_nodes = 1}).status(), kFailedPrecondition,
              "nothing makes the value 'q'");
}

TEST_CASE("a model without an IR version is not folded") {
  const Model model = Value(Model::FromBytes(wire::Graph(wire::Node("A", {"x"}, {"y"}, "/a/A")) +
                                             wire::Bytes(8, wire::Number(2, 17))));
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  CHECK_ERROR(Fold(model, hierarchy, {}).status(), kFailedPrecondition, "IR version");
}

TEST_CASE("calls that lie deep in each other take no more than their nodes") {
  // Weights of 60 modules, each of which is in the one before.
  std::string nodes, weights, scope, name, last = "x";
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&scope, "/m");
    for (int k = 0; k < 40; ++k) {
      const std::string weight = absl::StrCat("w", i, "_", k);
      const std::string made = absl::StrCat("v", i, "_", k);
      nodes += wire::Node("MatMul", {last, weight}, {made}, absl::StrCat(scope, "/MatMul_", k));
      weights += wire::Initializer(weight, {1}, "1234");
      last = made;
    }
  }
  const std::string bytes = wire::Model(
      wire::Graph(nodes + wire::Name("g") + weights + wire::Input("x") + wire::Output(last)));
  const Outcome outcome = FoldAndUnfold(bytes, {.min_nodes = 1});
  CHECK((outcome.unfolded == bytes));
  CHECK(outcome.functions > 20);
  CHECK(outcome.functions < 60);
}

TEST_CASE("a model that is not folded is unfolded as it is") {
  const std::string bytes = wire::Model(wire::Graph(wire::Node("A", {"x"}, {"y"})));
  const Model model = Value(Model::FromBytes(bytes));
  CHECK(!IsFolded(model));
  const Unfolding unfolding = Value(Unfold(model, {.all = true}));
  CHECK(!unfolding.was_folded);
  CHECK((WrittenModel(model, unfolding.edits) == bytes));
}

// A function of the domain "d", which takes attributes of the call. `opset` is what it imports.
std::string ModelWithAttributes(const std::string& opset) {
  const auto refers = [](const std::string& name) {
    return wire::Attribute(name, wire::Bytes(21, name) + wire::Number(20, 2));
  };
  const std::string body =
      wire::FunctionNode("Op", {"in"}, {"mid"}, "Op",
                         refers("given") + refers("by_default") + refers("nowhere")) +
      wire::FunctionNode(
          "If", {"mid"}, {"out"}, "If",
          wire::Subgraph("then_branch", wire::Node("Inner", {"mid"}, {"i"}, "", refers("given")) +
                                            wire::Name("g") + wire::Output("i")));
  const std::string defaults =
      wire::Bytes(11, wire::Bytes(1, "by_default") + wire::Number(3, 5) + wire::Number(20, 2));
  const std::string call =
      wire::Node("F", {"x"}, {"y"}, "/a/F", wire::Domain("d") + wire::IntAttribute("given", 3));
  return wire::Model(wire::Graph(call + wire::Name("g") + wire::Input("x") + wire::Output("y")) +
                     wire::Bytes(8, wire::Bytes(1, "d") + wire::Number(2, 1)) +
                     wire::Function("d", "F", {"in"}, {"out"}, body + defaults + opset));
}

std::string ImportInFunction(const std::string& domain, uint64_t version) {
  return wire::Bytes(9, wire::Bytes(1, domain) + wire::Number(2, version));
}

TEST_CASE("bodies have the attributes of the call") {
  const Model model = Value(Model::FromBytes(
      ModelWithAttributes(ImportInFunction("", 17) + ImportInFunction("other", 4))));
  const Unfolding unfolding = Value(Unfold(model, {.all = true}));
  CHECK(unfolding.functions == 1);
  const std::string flat = WrittenModel(model, unfolding.edits);
  const auto has = [&flat](const std::string& name, uint64_t value) {
    return absl::StrContains(
        flat, wire::Bytes(5, wire::Bytes(1, name) + wire::Number(3, value) + wire::Number(20, 2)));
  };
  CHECK(has("given", 3));
  CHECK(has("by_default", 5));
  CHECK_FALSE(absl::StrContains(flat, "nowhere"));
  CHECK_FALSE(absl::StrContains(flat, wire::Bytes(21, "given")));
  // Once for the node, once for the one inside of it.
  CHECK(flat.find("given", flat.find("given") + 1) != std::string::npos);
  const Model reread = Value(Model::FromBytes(flat));
  CHECK(reread.graph().info().opset_imports.back().domain == "other");
}

TEST_CASE("a function for another opset stays") {
  const Model model = Value(Model::FromBytes(ModelWithAttributes(ImportInFunction("", 15))));
  const Unfolding unfolding = Value(Unfold(model, {.all = true}));
  CHECK(unfolding.functions == 0);
  CHECK(unfolding.other_opsets == 1);
  CHECK((WrittenModel(model, unfolding.edits) == ModelWithAttributes(ImportInFunction("", 15))));
}

TEST_CASE("owners in a folded model are those in the flat one") {
  std::string nodes;
  for (int i = 0; i < 2; ++i) {
    const std::string scope = absl::StrCat("/layer.", i, "/fc/");
    const std::string in = i == 0 ? "x" : "/layer.0/fc/Relu_output_0";
    nodes += wire::Node("MatMul", {in, absl::StrCat("w", i)}, {scope + "MatMul_output_0"},
                        scope + "MatMul");
    nodes +=
        wire::Node("Relu", {scope + "MatMul_output_0"}, {scope + "Relu_output_0"}, scope + "Relu");
  }
  const std::string weights =
      wire::Initializer("w0", {1}, "1234") + wire::Initializer("w1", {1}, "1234");
  const std::string bytes =
      wire::Model(wire::Graph(nodes + wire::Name("g") + weights + wire::Input("x") +
                              wire::Output("/layer.1/fc/Relu_output_0")));
  const Model folded = Value(Model::FromBytes(FoldAndUnfold(bytes, {.min_nodes = 1}).folded));
  const Annotation annotation = Annotate(folded);
  const Graph& graph = folded.graph();
  std::vector<std::string> owners;
  for (NodeId id : graph.node_ids()) {
    std::string owner = absl::StrCat(graph.node(id).name, ": ",
                                     annotation.paths.Tag(annotation.assignments[id].primary));
    for (PathId path : annotation.auxiliary_of(id)) {
      absl::StrAppend(&owner, ", ", annotation.paths.Tag(path));
    }
    owners.push_back(std::move(owner));
  }
  CHECK(owners == std::vector<std::string>{"/layer.0: /layer.0", "/layer.1: /layer.1",
                                           "MatMul: /layer.0/fc, /layer.1/fc",
                                           "Relu: /layer.0/fc, /layer.1/fc",
                                           "fc: /layer.0/fc, /layer.1/fc"});
  // Parameters stay those of both layers.
  REQUIRE(annotation.parameters.size() == 2);
  CHECK(annotation.paths.Tag(annotation.parameters[1].owner) == "/layer.1/fc");
  CHECK(annotation.modules.module(annotation.modules.root()).total_nodes == graph.node_count());
}

// Names of nodes, function by function: "layer.0(Relu, Neg) fc(...)".
std::string NodeNames(const Graph& graph) {
  std::string text;
  for (BlockId block : graph.block_ids()) {
    if (graph.block(block).owner.valid()) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", graph.block(block).name, "(");
    const absl::Span<const NodeId> nodes = graph.nodes(block);
    for (NodeId node : nodes) {
      absl::StrAppend(&text, node == nodes.front() ? "" : ", ", graph.node(node).name);
    }
    text += ")";
  }
  return text;
}

std::string NodeNamesFolded(const std::string& bytes) {
  const Outcome outcome = FoldAndUnfold(bytes, {.min_nodes = 1});
  CHECK(outcome.exact);
  CHECK((outcome.unfolded == bytes));
  return NodeNames(Value(Model::FromBytes(outcome.folded)).graph());
}

TEST_CASE("nodes of a body have names of their own, calls among them") {
  // One that has the name already that another one would have inside, and one that is named as a
  // module.
  const std::string flat =
      wire::Node("Relu", {"x"}, {"a"}, "/l.0/Relu") + wire::Node("Neg", {"a"}, {"a1"}, "Relu") +
      wire::Node("Cos", {"a1"}, {"b"}, "/l.0/Cos") +
      wire::Node("Exp", {"b"}, {"c"}, "/l.0/dot/Exp") +
      wire::Node("Abs", {"c"}, {"d"}, "/l.0/dot") + wire::Node("Sin", {"d"}, {"y"}, "/l.0/Sin");
  const std::string named = NodeNamesFolded(
      wire::Model(wire::Graph(flat + wire::Name("g") + wire::Input("x") + wire::Output("y"))));
  CHECK(named == "g(/l.0) l.dot(Exp) l(Relu, Relu__1, Cos, dot, /l.0/dot, Sin)");
  // Outside of all calls names of nodes stay.
  const std::string outside =
      wire::Node("Exp", {"x"}, {"a"}, "/dot/Exp") + wire::Node("Abs", {"a"}, {"y"}, "/dot");
  CHECK(NodeNamesFolded(wire::Model(
            wire::Graph(outside + wire::Name("g") + wire::Input("x") + wire::Output("y")))) ==
        "g(/dot_1, /dot) dot(/dot/Exp)");
}

TEST_CASE("a node that tags have made larger than what can be moved is unfolded all the same") {
  std::string branch;
  for (int i = 0; i < 700; ++i) {
    branch += wire::Node("Neg", {i == 0 ? "a" : absl::StrCat("v", i - 1)}, {absl::StrCat("v", i)},
                         absl::StrCat("/layer.0/choice/Neg_", i));
  }
  const std::string choice =
      wire::Node("If", {"c"}, {"y"}, "/layer.0/choice/If",
                 wire::Subgraph("then_branch", branch + wire::Name("g") + wire::Output("v699")));
  REQUIRE(choice.size() < 64 << 10);
  const std::string bytes =
      wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"a"}, "/layer.0/act/Relu") +
                              wire::Node("Cast", {"a"}, {"c"}, "/layer.0/Cast") + choice +
                              wire::Name("g") + wire::Input("x") + wire::Output("y")));
  const Model folded = Value(Model::FromBytes(FoldAndUnfold(bytes, {.min_nodes = 1}).folded));
  REQUIRE(folded.graph().block_count() > 2);
  const Model tagged =
      Value(Model::FromBytes(WrittenModel(folded, TagEdits(folded, Annotate(folded)))));
  const Unfolding unfolding = Value(Unfold(tagged, {}));
  CHECK(unfolding.exact);
  CHECK((WrittenModel(tagged, unfolding.edits) == bytes));
}

// What functions import: "l: =17 com.microsoft=1".
std::string Imports(const std::string& folded) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(folded));
  std::string text;
  for (const onnx::FunctionProto& function : model.functions()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", function.name(), ":");
    for (const onnx::OperatorSetIdProto& opset : function.opset_import()) {
      absl::StrAppend(&text, " ", opset.domain(), "=", opset.version());
    }
  }
  return text;
}

TEST_CASE("functions import the domains of their nodes") {
  const std::string nodes =
      wire::Node("Relu", {"x"}, {"a"}, "/l/Relu") +
      wire::Node("FusedGemm", {"a"}, {"b"}, "/l/FusedGemm", wire::Domain("com.microsoft")) +
      wire::Node("Neg", {"b"}, {"y"}, "/Neg");
  const std::string graph =
      wire::Graph(nodes + wire::Name("g") + wire::Input("x") + wire::Output("y"));
  CHECK(Imports(FoldAndUnfold(wire::Model(graph), {.min_nodes = 1}).folded) ==
        "l: =17 com.microsoft=1");
  const std::string spelled_out =
      wire::Number(1, 8) + graph + wire::Bytes(8, wire::Bytes(1, "ai.onnx") + wire::Number(2, 15));
  CHECK(Imports(FoldAndUnfold(spelled_out, {.min_nodes = 1}).folded) ==
        "l: ai.onnx=15 =15 com.microsoft=1");
}

TEST_CASE("nodes of other domains with a gap between values stay outside") {
  const auto folded = [](const std::string& domain) {
    const std::string nodes =
        wire::Node("Relu", {"x"}, {"a"}, "/l/Relu") + wire::Node("Neg", {"a"}, {"b"}, "/l/Neg") +
        wire::Node("Fused", {"b", "", "x"}, {"y"}, "/l/Fused", wire::Domain(domain));
    return NodeNamesFolded(
        wire::Model(wire::Graph(nodes + wire::Name("g") + wire::Input("x") + wire::Output("y"))));
  };
  CHECK(folded("com.microsoft") == "g(/l, /l/Fused) l(Relu, Neg)");
  CHECK(folded("") == "g(/l) l(Relu, Neg, Fused)");
}

TEST_CASE("a constant that is a parameter, too, stays outside") {
  const auto folded = [](const std::string& parameter) {
    const std::string nodes = wire::Node("Constant", {}, {"c"}, "/l/Constant") +
                              wire::Node("Neg", {"x"}, {"b"}, "/l/Neg") +
                              wire::Node("Add", {"b", "c"}, {"y"}, "/l/Add");
    return NodeNamesFolded(wire::Model(wire::Graph(nodes + wire::Name("g") +
                                                   wire::Initializer(parameter, {1}, "1234") +
                                                   wire::Input("x") + wire::Output("y"))));
  };
  CHECK(folded("c") == "g(/l/Constant, /l) l(Neg, Add)");
  CHECK(folded("other") == "g(/l) l(Constant, Neg, Add)");
}

TEST_CASE("parameters are named from the module that is called with them") {
  const std::string nodes =
      wire::Node("MatMul", {"x", "onnx::MatMul_7"}, {"a"}, "/net/l.0/fc/MatMul") +
      wire::Node("Add", {"net.l.0.fc.bias", "a"}, {"b"}, "/net/l.0/fc/Add") +
      wire::Node("Mul", {"b", "scale"}, {"y"}, "/net/l.0/Mul");
  std::string weights;
  for (const char* name : {"onnx::MatMul_7", "net.l.0.fc.bias", "scale"}) {
    weights += wire::Initializer(name, {1}, "1234");
  }
  const std::string bytes = wire::Model(
      wire::Graph(nodes + wire::Name("g") + weights + wire::Input("x") + wire::Output("y")));
  const Outcome outcome = FoldAndUnfold(bytes, {.min_nodes = 2});
  CHECK((outcome.unfolded == bytes));
  onnx::ModelProto folded;
  REQUIRE(folded.ParseFromString(outcome.folded));
  std::string inputs;
  for (const onnx::FunctionProto& function : folded.functions()) {
    absl::StrAppend(&inputs, function.name(), "(", absl::StrJoin(function.input(), ", "), ") ");
  }
  CHECK(inputs ==
        "net.l.fc(x, weight, bias) net.l(x, fc.weight, fc.bias, scale) "
        "net(x, l.0.fc.weight, l.0.fc.bias, scale) ");
}

TEST_CASE("a folded model that cannot be unfolded has owners of its own") {
  const std::string domain = "onnx_hier.modules";
  const std::string call = wire::Node("f", {"x"}, {"y"}, "/a/f", wire::Domain(domain));
  const std::string in_itself = wire::FunctionNode("f", {"x"}, {"y"}, "f", wire::Domain(domain));
  const Model model = Value(Model::FromBytes(
      wire::Model(wire::Graph(call) + wire::Bytes(8, wire::Bytes(1, domain) + wire::Number(2, 1)) +
                  wire::Function(domain, "f", {"x"}, {"y"}, in_itself))));
  CHECK(!Unfold(model, {}).ok());
  const Annotation annotation = Annotate(model);
  CHECK(annotation.assignments.size() == 2);
}

TEST_CASE("a model that says that it is folded, and is not, is the flat one already") {
  const std::string domain = "onnx_hier.modules";
  const Model model = Value(Model::FromBytes(wire::Model(
      wire::Graph(
          wire::Node("Relu", {"x"}, {"h"}, "/act/Relu") +
          wire::Node("If", {"h"}, {"y"}, "/If",
                     wire::Subgraph("then_branch", wire::Node("Exp", {"h"}, {"e"}, "/b/Exp")))) +
      wire::Bytes(8, wire::Bytes(1, domain) + wire::Number(2, 1)))));
  CHECK(IsFolded(model));
  const Annotation annotation = Annotate(model);
  CHECK(annotation.paths.Tag(annotation.assignments[NodeId(0)].primary) == "/act");
  const UnfoldedModel flat = *Value(OpenUnfolded(model, Weights::kZeros));
  for (NodeId node : flat.model.graph().node_ids()) CHECK(flat.origins[node] == node);
}

TEST_CASE("a folded model opened as the flat one") {
  testing::Random random(9);
  const std::string bytes = LayersWithNotes(random, 4);
  const Model folded = Value(Model::FromBytes(FoldAndUnfold(bytes, {}).folded));
  CHECK(IsFolded(folded));
  const std::optional<UnfoldedModel> flat = Value(OpenUnfolded(folded, Weights::kCopied));
  REQUIRE(flat.has_value());
  CHECK((WrittenModel(flat->model, Edits()) == bytes));
}

}  // namespace
}  // namespace onnx_hier
