#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::Value;

std::string Written(const Model& model, const Edits& edits) {
  const MemoryFile file("");
  CHECK_OK(Write(model, edits, Destination::Stream(file.fd())));
  return file.Read();
}

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
  outcome.folded = Written(model, folding.edits);
  const Model folded = Value(Model::FromBytes(outcome.folded));
  const Unfolding unfolding = Value(Unfold(folded, {}));
  outcome.exact = unfolding.exact;
  outcome.unfolded = Written(folded, unfolding.edits);
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
  for (int i = 0; i < 200; ++i) {
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

TEST_CASE("a model that is not folded is unfolded as it is") {
  const std::string bytes = wire::Model(wire::Graph(wire::Node("A", {"x"}, {"y"})));
  const Model model = Value(Model::FromBytes(bytes));
  CHECK(!IsFolded(model));
  const Unfolding unfolding = Value(Unfold(model, {.all = true}));
  CHECK(!unfolding.was_folded);
  CHECK((Written(model, unfolding.edits) == bytes));
}

TEST_CASE("a folded model opened as the flat one") {
  testing::Random random(9);
  const std::string bytes = LayersWithNotes(random, 4);
  const Model folded = Value(Model::FromBytes(FoldAndUnfold(bytes, {}).folded));
  CHECK(IsFolded(folded));
  const Model flat = Value(OpenUnfolded(folded));
  CHECK((Written(flat, Edits()) == bytes));
}

}  // namespace
}  // namespace onnx_hier
