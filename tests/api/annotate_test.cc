// SPDX-License-Identifier: Apache-2.0

// Annotate() on files: whatever the file, what always holds holds, twice with the same result.

#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/invariants.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Invariants;
using testing::MemoryFile;

Model Open(const std::string& bytes) {
  return testing::Value(Model::Open(MemoryFile(bytes).path()));
}

std::string TagOf(const Annotation& annotation, size_t node) {
  return annotation.paths.Tag(annotation.assignments[NodeId(node)].primary);
}

TEST_CASE("nodes belong to the scopes in their names, constants to their readers") {
  const Model model = Open(wire::Model(
      wire::Graph(wire::Node("Constant", {}, {"c"}, "Constant_7") +
                  wire::Node("MatMul", {"x", "encoder.layer.0.fc.weight"}, {"h"},
                             "/encoder/layer.0/fc/MatMul") +
                  wire::Node("Add", {"h", "c"}, {"y"}, "/encoder/layer.0/Add") +
                  wire::Initializer("encoder.layer.0.fc.weight", {4, 4}, std::string(64, 'w')) +
                  wire::Input("x") + wire::Output("y"))));
  const Annotation annotation = Annotate(model);
  CHECK(Invariants(model.graph(), annotation) == "");
  CHECK(TagOf(annotation, 0) == "/encoder/layer.0");
  CHECK(TagOf(annotation, 1) == "/encoder/layer.0/fc");
  CHECK(TagOf(annotation, 2) == "/encoder/layer.0");
}

TEST_CASE("strange graphs: empty, nameless, circular, undefined, very deep") {
  const std::string files[] = {
      wire::Model(wire::Graph("")),
      wire::Model(wire::Graph(wire::Node("", {}, {}))),
      wire::Model(wire::Graph(wire::Node("A", {"b"}, {"a"}) + wire::Node("B", {"a"}, {"b"}))),
      wire::Model(wire::Graph(wire::Node("A", {"a"}, {"a"}, "/m/A"))),
      wire::Model(wire::Graph(wire::Node("A", {"x", ""}, {"", "y"}, "/") +
                              wire::Node("B", {"nowhere"}, {"y"}, "///"))),
      wire::Model(wire::Graph(wire::NestedIfs(900, wire::Node("A", {"x"}, {"y"}, "/deep/A")))),
      wire::Model(wire::Graph(wire::Initializer("a.b", {-1, 1LL << 62, 1LL << 62}) +
                              wire::Node("A", {"a.b"}, {"y"}))),
      wire::Model(
          wire::Graph("") +
          wire::Function("d", "F", {"x"}, {"y"}, wire::FunctionNode("A", {"x"}, {"y"}, "/f/A")) +
          wire::Training(wire::Algorithm(wire::Node("A", {}, {}, "/t/A")))),
  };
  for (const std::string& file : files) {
    const Model model = Open(file);
    CHECK(Invariants(model.graph(), Annotate(model)) == "");
  }
}

// A word of a name now and then, else bytes of any kind.
std::string RandomName(testing::Random& random) {
  const char* kWords[] = {"/",      "encoder", "layer", ".0",        ".1",    "_output_0", "weight",
                          "MatMul", "::",      "\xFF",  "attention", ".self", "/layer.0",  "_1"};
  std::string name;
  for (uint64_t n = random.Below(8); n > 0; --n) name += kWords[random.Below(std::size(kWords))];
  return name;
}

std::string RandomNodes(testing::Random& random, int depth) {
  std::string nodes;
  const auto value = [&] {
    return random.OneIn(3) ? RandomName(random) : absl::StrCat("v", random.Below(9));
  };
  for (uint64_t n = random.Below(8); n > 0; --n) {
    wire::Names inputs, outputs;
    for (uint64_t i = random.Below(4); i > 0; --i) inputs.push_back(value());
    for (uint64_t i = random.Below(3); i > 0; --i) outputs.push_back(value());
    std::string fields;
    if (depth < 3 && random.OneIn(4)) {
      fields = wire::Subgraph("then_branch", RandomNodes(random, depth + 1));
    }
    nodes += wire::Node(random.OneIn(3) ? "Constant" : "Add", inputs, outputs, RandomName(random),
                        fields);
  }
  if (random.OneIn(2)) nodes += wire::Initializer(value(), {2, 3});
  return nodes;
}

TEST_CASE("random graphs") {
  for (uint64_t seed = 0; seed < testing::Rounds(500); ++seed) {
    CAPTURE(seed);
    testing::Random random(seed);
    const Model model = Open(wire::Model(wire::Graph(RandomNodes(random, 0))));
    const Annotation first = Annotate(model);
    REQUIRE(Invariants(model.graph(), first) == "");
    const Annotation second = Annotate(model);
    REQUIRE(first.modules.size() == second.modules.size());
    for (NodeId id : model.graph().node_ids()) {
      REQUIRE(first.assignments[id].primary == second.assignments[id].primary);
      REQUIRE(first.assignments[id].confidence == second.assignments[id].confidence);
    }
  }
}

// A body with the metadata of layers.0, which `calls` of main graphs call.
Model WithLayers(const std::string& calls) {
  const auto in = [](absl::string_view module) {
    return wire::Bytes(9, wire::Bytes(1, "pkg.torch.onnx.name_scopes") +
                              wire::Bytes(2, absl::StrCat("['', '", module, "', 'op']")));
  };
  std::string weights;
  for (const char* layer : {"0", "1", "2"}) {
    for (const char* name : {".attn.q.weight", ".mlp.fc.weight"}) {
      weights +=
          wire::Initializer(absl::StrCat("layers.", layer, name), {4, 4}, std::string(64, 'w'));
    }
  }
  return Open(wire::Model(
      wire::Graph(calls + weights + wire::Input("x") + wire::Output("y")) +
      wire::Function(
          "my", "layer", {"in", "a", "b"}, {"out"},
          wire::FunctionNode("MatMul", {"in", "a"}, {"h"}, "n0", in("layers.0.attn.q")) +
              wire::FunctionNode("Relu", {"h"}, {"r"}, "n1", in("layers.0.mlp.act")) +
              wire::FunctionNode("MatMul", {"r", "b"}, {"m"}, "n2", in("layers.0.mlp.fc")) +
              wire::FunctionNode("Add", {"m", "in"}, {"out"}, "n3", in("layers.0")))));
}

std::string LayerCall(absl::string_view in, absl::string_view out, absl::string_view layer) {
  return wire::Node("layer",
                    {std::string(in), absl::StrCat("layers.", layer, ".attn.q.weight"),
                     absl::StrCat("layers.", layer, ".mlp.fc.weight")},
                    {std::string(out)}, absl::StrCat("call_", in), wire::Domain("my"));
}

TEST_CASE("a body that stands for several layers has a module in each of them") {
  const Model model =
      WithLayers(LayerCall("x", "a", "0") + LayerCall("a", "b", "1") + LayerCall("b", "y", "2"));
  const Annotation annotation = Annotate(model);
  CHECK(Invariants(model.graph(), annotation) == "");
  const auto tags = [&](size_t node) {
    std::string text = TagOf(annotation, node);
    for (PathId path : annotation.auxiliary_of(NodeId(node))) {
      absl::StrAppend(&text, " ", annotation.paths.Tag(path));
    }
    return text;
  };
  CHECK(tags(0) == "/layers.0");
  CHECK(tags(2) == "/layers.2");
  CHECK(tags(3) == "/layers.0/attn/q /layers.1/attn/q /layers.2/attn/q");
  CHECK(tags(4) == "/layers.0/mlp/act /layers.1/mlp/act /layers.2/mlp/act");
  CHECK(tags(6) == "/layers.0 /layers.1 /layers.2");
  CHECK(annotation.assignments[NodeId(4)].is_by_call);
  CHECK(!annotation.assignments[NodeId(0)].is_by_call);
}

TEST_CASE("functions that stand for several modules give way where a flat model is wanted") {
  const Model model = WithLayers(LayerCall("x", "a", "1") + LayerCall("a", "y", "2"));
  const std::optional<UnfoldedModel> flat = testing::Value(OpenUnfolded(model, Weights::kZeros));
  REQUIRE(flat.has_value());
  CHECK(flat->model.graph().node_count() == 8);
  const Annotation annotation = Annotate(flat->model);
  // The metadata says layers.0, which neither of the calls is.
  CHECK(TagOf(annotation, 1) == "/layers.1/mlp/act");
  CHECK(TagOf(annotation, 5) == "/layers.2/mlp/act");
  CHECK(TagOf(annotation, 7) == "/layers.2");
  CHECK(flat->origins[NodeId(5)] == NodeId(3));
  CHECK(!testing::Value(OpenUnfolded(flat->model, Weights::kZeros)).has_value());
}

}  // namespace
}  // namespace onnx_hier
