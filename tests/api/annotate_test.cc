// SPDX-License-Identifier: Apache-2.0

// Annotate() on files: whatever the file, what always holds holds, twice with the same result.

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
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
using testing::Value;

Model Open(const std::string& bytes) { return Value(Model::Open(MemoryFile(bytes).path())); }

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

}  // namespace
}  // namespace onnx_hier
