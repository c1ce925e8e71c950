// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/module_tree.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "onnx_hier/hierarchy.h"
#include "tests/support/invariants.h"
#include "tests/support/place.h"
#include "tests/support/random.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::BuildModules;
using testing::Invariants;
using testing::Place;
using testing::TestGraph;

// "name nodes/total_nodes parameters/total_parameters", a line for each module.
std::string Text(const Annotation& annotation) {
  std::string text;
  for (ModuleId id : annotation.modules.ids()) {
    const Module& module = annotation.modules.module(id);
    absl::StrAppend(&text, annotation.paths.Tag(module.path), " ", module.nodes, "/",
                    module.total_nodes, " ", module.parameters, "/", module.total_parameters, "\n");
  }
  return text;
}

TEST_CASE("the root is there even if nothing else is") {
  TestGraph model;
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {});
  CHECK(Text(annotation) == "/ 0/0 0/0\n");
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE(
    "one graph alone: what is elsewhere has no module, modules without a part in it are left out") {
  TestGraph model;
  model.Initializer("w", {3});
  model.Initializer("v", {5});
  model.Initializer("u", {7});
  const NodeId choose = model.Node("If", {"c"}, {"y"}, "choose");
  const BlockId then_branch = model.Subgraph(choose, "then_branch");
  const BlockId else_branch = model.Subgraph(choose, "else_branch");
  model.In(then_branch).Node("A", {"w"}, {"a"});
  const NodeId inner = model.In(then_branch).Node("Loop", {"a"}, {"l"});
  model.In(model.Subgraph(inner, "body")).Node("B", {"v"}, {"b"});
  model.In(else_branch).Node("C", {"u"}, {"d"});
  model.In(else_branch).Node("C", {"w"}, {"e"});
  const Graph& graph = model.Build();
  const Annotation annotation =
      Place(graph, {"", "list.0.a", "list.0", "list.1.b", "other", "list.0.a"});
  const Annotation in_then = OnlyIn(graph, annotation, then_branch);
  CHECK(Text(in_then) ==
        "/ 0/3 0/8\n"
        "/list.0 1/2 0/3\n"
        "/list.0/a 1/1 3/3\n"
        "/list.1 0/1 0/5\n"
        "/list.1/b 1/1 5/5\n");
  const ModuleTree& modules = in_then.modules;
  CHECK(modules.subtree_end(ModuleId(0)) == ModuleId(5));
  CHECK(modules.subtree_end(ModuleId(1)) == ModuleId(3));
  CHECK(modules.module(ModuleId(2)).parent == ModuleId(1));
  CHECK(modules.module(ModuleId(3)).parent == ModuleId(0));
  CHECK(modules.module(ModuleId(4)).parent == ModuleId(3));
  CHECK(modules.Find(in_then.paths.FindChild(in_then.paths.root(), "other")) == ModuleId());
  const Hierarchy hierarchy(graph, in_then);
  CHECK(hierarchy.Nodes(ModuleId(0)).size() == 3);
  CHECK(!hierarchy.ModuleOf(choose).valid());
  CHECK(Text(OnlyIn(graph, annotation, else_branch)) ==
        "/ 0/2 0/10\n"
        "/list.0 0/1 0/3\n"
        "/list.0/a 1/1 3/3\n"
        "/other 1/1 7/7\n");
  CHECK(Text(OnlyIn(graph, annotation, graph.main_block())) == Text(annotation));
}

TEST_CASE("depth first, in order of first appearance; totals include what is inside") {
  TestGraph model;
  model.Initializer("w", {3});
  model.Node("A", {"w"}, {"a"});
  for (int i = 0; i < 4; ++i) model.Node("B", {}, {});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"enc.b", "dec", "enc.a", "", "enc"});
  CHECK(Text(annotation) ==
        "/ 1/5 0/3\n"
        "/enc 1/3 0/3\n"
        "/enc/b 1/1 3/3\n"
        "/enc/a 1/1 0/0\n"
        "/dec 1/1 0/0\n");
  CHECK(Invariants(graph, annotation) == "");
  CHECK(annotation.modules.subtree_end(ModuleId(1)) == ModuleId(4));
}

TEST_CASE("modules begin in the order that names of nodes tell, wherever the file has these") {
  TestGraph model;
  model.Input("x");
  model.Node("Relu", {"x"}, {}, "Relu_1");
  model.Node("Abs", {"x"}, {}, "Abs_2");
  model.Node("Neg", {"x"}, {}, "Neg_0");
  const Graph& graph = model.Build();
  CHECK(Text(Place(graph, {"b", "c", "a"})) == "/ 0/3 0/0\n/a 1/1 0/0\n/b 1/1 0/0\n/c 1/1 0/0\n");
}

TEST_CASE("members of a list stand by their numbers, among others where these begin") {
  TestGraph model;
  model.Input("x");
  for (int i = 0; i < 5; ++i) model.Node("Relu", {"x"}, {});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"up.10", "up.a", "up.9", "up.b", "up.0"});
  CHECK(Text(annotation) ==
        "/ 0/5 0/0\n"
        "/up 0/5 0/0\n"
        "/up.0 1/1 0/0\n"
        "/up/a 1/1 0/0\n"
        "/up.9 1/1 0/0\n"
        "/up/b 1/1 0/0\n"
        "/up.10 1/1 0/0\n");
}

TEST_CASE("what is made of weights does not order modules either") {
  TestGraph model;
  model.Input("x");
  for (const char* name : {"v", "w"}) model.Initializer(name, {3});
  model.Node("Cast", {"w"}, {"b"});
  model.Node("Cast", {"v"}, {"a"});
  model.Node("Add", {"x", "a"}, {"y"});
  model.Node("Add", {"y", "b"}, {"z"});
  const Graph& graph = model.Build();
  CHECK(Text(Place(graph, {"dec", "enc", "enc", "dec"})) ==
        "/ 0/4 0/6\n"
        "/enc 2/2 3/3\n"
        "/dec 2/2 3/3\n");
}

TEST_CASE("constants that stand in front of everything do not order modules") {
  TestGraph model;
  model.Input("x");
  for (const char* value : {"b", "a", "c"}) model.Node("Constant", {}, {value});
  model.Node("Add", {"x", "a"}, {"y"});
  model.Node("Add", {"y", "b"}, {"z"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"dec", "enc", "end", "enc", "dec"});
  CHECK(Text(annotation) ==
        "/ 0/5 0/0\n"
        "/enc 2/2 0/0\n"
        "/dec 2/2 0/0\n"
        "/end 1/1 0/0\n");
}

TEST_CASE("what is worked out of sizes does not order modules") {
  TestGraph model;
  model.Input("x");
  model.Node("Shape", {"x"}, {"s"});
  model.Node("Gather", {"s", "i"}, {"g"});
  model.Node("Relu", {"x"}, {"y"});
  model.Node("Reshape", {"y", "g"}, {"z"});
  const Graph& graph = model.Build();
  CHECK(Text(Place(graph, {"head", "head", "stem", "head"})) ==
        "/ 0/4 0/0\n"
        "/stem 1/1 0/0\n"
        "/head 3/3 0/0\n");
}

TEST_CASE("a container of numbered members that owns nothing is not listed") {
  TestGraph model;
  for (int i = 0; i < 4; ++i) model.Node("A", {}, {});
  const Graph& graph = model.Build();
  const Annotation lists = Place(graph, {"enc.layer.0", "enc.layer.1.fc", "enc.layer.1", "x.y"});
  CHECK(Text(lists) ==
        "/ 0/4 0/0\n"
        "/enc 0/3 0/0\n"
        "/enc/layer.0 1/1 0/0\n"
        "/enc/layer.1 1/2 0/0\n"
        "/enc/layer.1/fc 1/1 0/0\n"
        "/x 0/1 0/0\n"
        "/x/y 1/1 0/0\n");
  CHECK(Invariants(graph, lists) == "");
  CHECK(lists.modules.module(ModuleId(2)).parent == ModuleId(1));
  // As soon as it owns a node of its own, it is.
  const Annotation own = Place(graph, {"enc.layer.0", "enc.layer.1", "enc.layer", ""});
  CHECK(own.paths.Tag(own.modules.module(ModuleId(2)).path) == "/enc/layer");
  CHECK(Invariants(graph, own) == "");
}

TEST_CASE("a parameter belongs to what all of its readers share") {
  TestGraph model;
  model.Initializer("own", {2});
  model.Initializer("shared", {10}, data_type::kFloat16);
  model.Initializer("unread", {100});
  model.Node("A", {"own", "own"}, {"a"});
  model.Node("A", {"shared"}, {"b"});
  model.Node("A", {"shared"}, {"c"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"enc.a", "enc.a", "enc.b"});
  CHECK(Text(annotation) ==
        "/ 0/3 100/112\n"
        "/enc 0/3 10/12\n"
        "/enc/a 2/2 2/2\n"
        "/enc/b 1/1 0/0\n");
  CHECK(annotation.modules.module(ModuleId(1)).total_parameter_bytes == 28);
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE("what owns a parameter is a module, even if that holds nothing") {
  TestGraph model;
  model.Initializer("empty", {0});
  model.Node("A", {"empty"}, {"a"});
  model.Node("A", {"empty"}, {"b"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"layer.0", "layer.1"});
  CHECK(Text(annotation) ==
        "/ 0/2 0/0\n"
        "/layer 0/2 0/0\n"
        "/layer.0 1/1 0/0\n"
        "/layer.1 1/1 0/0\n");
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE("a parameter that is named after a module belongs to it, whoever reads it") {
  TestGraph model;
  model.Initializer("w", {7});
  model.Node("A", {"w"}, {"a"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"head"}, {{"w", "embeddings"}});
  CHECK(Text(annotation) ==
        "/ 0/1 0/7\n"
        "/head 1/1 0/0\n"
        "/embeddings 0/0 7/7\n");
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE("where parameters of modules without nodes are read") {
  TestGraph model;
  for (const char* name : {"a", "b", "c"}) model.Initializer(name, {1});
  model.Node("A", {"a", "c"}, {"x"});
  model.Node("B", {"b", "x"}, {"y"});
  model.Node("C", {"c"}, {"z"});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"dec.fc", "dec.norm", "enc"},
                                {{"a", "head.in"}, {"b", "head.out"}, {"c", "enc"}});
  const auto read_in = [&](const char* module) {
    const ModuleId id = annotation.modules.Find(annotation.paths.Parse(module));
    const PathId path = annotation.modules.module(id).read_in;
    return path.valid() ? annotation.paths.Tag(path) : "";
  };
  CHECK(read_in("head.in") == "/dec/fc");
  CHECK(read_in("head.out") == "/dec/norm");
  CHECK(read_in("head") == "/dec");
  CHECK(read_in("enc") == "");
  CHECK(read_in("dec") == "");
}

TEST_CASE("what members of a list share is not the list's, which is never called") {
  TestGraph model;
  model.Initializer("two", {1});
  model.Node("Mul", {"x", "two"}, {"a"});
  model.Node("Mul", {"a", "two"}, {"b"});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"enc.layer.0", "enc.layer.1"});
  Evidence evidence;
  for (const char* called : {"", "enc", "enc.layer.0", "enc.layer.1"}) {
    evidence.called.Resize(annotation.paths.size());
    evidence.called.Add(annotation.paths.Parse(called));
  }
  BuildModules(graph, annotation, evidence);
  CHECK(annotation.paths.Tag(annotation.parameters[0].owner) == "/enc");
}

TEST_CASE("sizes that no number holds") {
  TestGraph model;
  for (const char* name : {"v", "w"}) model.Initializer(name, {1LL << 62, 4});
  model.Node("A", {"v", "w"}, {"a"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"m"});
  CHECK(annotation.modules.module(ModuleId(1)).parameters == UINT64_MAX);
  CHECK(annotation.modules.module(ModuleId(0)).total_parameter_bytes == UINT64_MAX);
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE("calls are counted") {
  TestGraph model;
  for (int i = 0; i < 3; ++i) model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"a", "a", "b"});
  annotation.assignments[NodeId(1)].call = 4;
  BuildModules(graph, annotation);
  CHECK(annotation.modules.module(ModuleId(1)).calls == 5);
  CHECK(annotation.modules.module(ModuleId(2)).calls == 1);
  CHECK(Invariants(graph, annotation) == "");
}

TEST_CASE("any placement adds up") {
  testing::Random random(1);
  for (int round = 0; round < 500; ++round) {
    TestGraph model;
    std::vector<std::string> owners;
    for (int i = 0; i < 4; ++i) model.Initializer(absl::StrCat("w", i), {i + 1});
    for (uint64_t n = random.Below(12); n > 0; --n) {
      model.Node("A", {absl::StrCat("w", random.Below(6))}, {absl::StrCat("v", n)});
      std::string owner;
      while (!random.OneIn(3)) {
        const char* kNames[] = {"a", "b", "0", "1"};
        absl::StrAppend(&owner, owner.empty() ? "" : ".", kNames[random.Below(4)]);
      }
      owners.push_back(owner);
    }
    const Graph& graph = model.Build();
    REQUIRE(Invariants(graph, Place(graph, owners)) == "");
  }
}

TEST_CASE("the check of what always holds finds what does not") {
  TestGraph model;
  model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"a"});
  annotation.assignments[NodeId(0)].confidence = 1.5f;
  CHECK(Invariants(graph, annotation) == "node 0: its confidence is no probability\n");
  annotation.assignments[NodeId(0)].confidence = 1;
  annotation.assignments[NodeId(0)].primary = PathId();
  CHECK(Invariants(graph, annotation) != "");
  annotation.assignments[NodeId(0)].primary = annotation.paths.root();
  CHECK(Invariants(graph, annotation) != "");
}

}  // namespace
}  // namespace onnx_hier
