// SPDX-License-Identifier: Apache-2.0

// Nodes that no name speaks for: counterparts and order decide.
#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "tests/audit/tagged_graph.h"

namespace onnx_hier {
namespace {

using testing::TaggedGraph;

struct Step {
  const char* op;
  const char* inside;  // the module inside the layer
};
constexpr Step kSteps[] = {{"Mul", "/norm"}, {"Sin", "/attn"}, {"Tanh", "/attn"}, {"Exp", "/attn"},
                           {"Add", ""},      {"Abs", "/mlp"},  {"Relu", "/mlp"},  {"Sub", ""}};
constexpr int kStepCount = static_cast<int>(std::size(kSteps));

// A chain of layers without names; `wrong` gives the layer that some nodes are tagged with.
std::string CheckLayers(int layers, const std::vector<std::pair<int, int>>& wrong) {
  TaggedGraph model;
  model.Node("Cast", {"x"}, {"v0"}, "", "/embed");
  for (int i = 0; i < layers * kStepCount; ++i) {
    const Step& step = kSteps[i % kStepCount];
    int layer = i / kStepCount;
    for (const auto& [node, other] : wrong) {
      if (node == i + 1) layer = other;
    }
    model.Node(step.op, {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, "",
               absl::StrCat("/layer.", layer, step.inside));
  }
  model.Node("Neg", {absl::StrCat("v", layers * kStepCount)}, {"y"}, "", "/head");
  return model.Check();
}

TEST_CASE("right tags stay") {
  CHECK(CheckLayers(2, {}) == "");
  CHECK(CheckLayers(6, {}) == "");
}

TEST_CASE("a node in the midst of another layer") {
  CHECK(CheckLayers(4, {{11, 2}}) == "11: /layer.2/attn -> /layer.1/attn\n");
  CHECK(CheckLayers(2, {{4, 1}}) == "4: /layer.1/attn -> /layer.0/attn\n");
}

TEST_CASE("a node at the border of its layer: only its counterparts can tell") {
  CHECK(CheckLayers(4, {{8, 1}}) == "8: /layer.1 -> /layer.0\n");
  CHECK(CheckLayers(4, {{9, 0}}) == "9: /layer.0/norm -> /layer.1/norm\n");
}

TEST_CASE("several nodes beside each other") {
  CHECK(CheckLayers(4, {{10, 2}, {11, 2}, {12, 2}}) ==
        "10: /layer.2/attn -> /layer.1/attn\n"
        "11: /layer.2/attn -> /layer.1/attn\n"
        "12: /layer.2/attn -> /layer.1/attn\n");
}

TEST_CASE("where a tag tells of no more than its layer, the nodes around tell the rest") {
  TaggedGraph model;
  for (int i = 0; i < 3 * kStepCount; ++i) {
    const Step& step = kSteps[i % kStepCount];
    const std::string layer = absl::StrCat("/layer.", i / kStepCount);
    model.Node(step.op, {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, "",
               i == 10 ? "/layer.2" : layer + step.inside);
  }
  CHECK(model.Check() == "10: /layer.2 -> /layer.1/attn\n");
}

TEST_CASE("modules of parameters exist, even where all their nodes carry wrong tags") {
  TaggedGraph model;
  for (int i = 0; i < 2 * kStepCount; ++i) {
    const Step& step = kSteps[i % kStepCount];
    const bool wrong = i == 1 || i == 3;
    const std::string layer = absl::StrCat("/layer.", i / kStepCount);
    const bool linear = step.op == absl::string_view("Sin") || step.op == absl::string_view("Exp");
    const std::string weight = absl::StrCat("layer.", i / kStepCount, ".attn.fc.", step.op);
    if (linear) model.graph().Initializer(weight, {4});
    testing::TestGraph::Names inputs = {absl::StrCat("v", i)};
    if (step.op == absl::string_view("Exp")) inputs.push_back(weight);
    model.Node(step.op, inputs, {absl::StrCat("v", i + 1)}, "",
               absl::StrCat(wrong ? "/layer.1" : layer, linear ? "/attn/fc" : step.inside));
  }
  CHECK(model.Check() ==
        "1: /layer.1/attn/fc -> /layer.0/attn/fc\n"
        "3: /layer.1/attn/fc -> /layer.0/attn/fc\n");
}

TEST_CASE("one layer that is called again and again is no list") {
  TaggedGraph model;
  for (int i = 0; i < 6 * kStepCount; ++i) {
    const Step& step = kSteps[i % kStepCount];
    model.Node(step.op, {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, "",
               absl::StrCat("/group.", i / kStepCount % 2, step.inside));
  }
  CHECK(model.Check() == "");
}

// How the exporter writes a layer's parameters where the layers run several times.
enum class Read { kDirectly, kByCopies, kMixed };

// Two layers that run three times, without names, each with a parameter; a node of the second pass
// may carry the tag of the other layer.
std::string CheckPasses(Read read, bool one_wrong) {
  constexpr int kPasses = 3;
  TaggedGraph model;
  for (int layer = 0; layer < 2; ++layer) {
    const std::string weight = absl::StrCat("onnx::MatMul_", layer);
    model.graph().Initializer(weight, {4, 4});
    for (int pass = 0; pass < kPasses && read == Read::kByCopies; ++pass) {
      const std::string copy = absl::StrCat("onnx::MatMul_", layer, pass);
      model.Node("Identity", {weight}, {copy}, "", "");
    }
  }
  std::string value = "x";
  int wrong = -1;
  for (int run = 0; run < kPasses * 2; ++run) {
    // Mixed: the first layer runs three times before the second one.
    const int layer = read == Read::kMixed ? run / kPasses : run % 2;
    const int pass = read == Read::kMixed ? run % kPasses : run / 2;
    for (int i = 0; i < kStepCount; ++i) {
      testing::TestGraph::Names inputs = {value};
      if (i == 2) {
        inputs.push_back(absl::StrCat("onnx::MatMul_", layer,
                                      read == Read::kByCopies ? absl::StrCat(pass) : ""));
      }
      const bool is_wrong = one_wrong && pass == 1 && layer == 0 && i == 3;
      value = absl::StrCat("v", run, "_", i);
      const NodeId node =
          model.Node(kSteps[i].op, inputs, {value}, "",
                     absl::StrCat("/layer.", is_wrong ? 1 : layer, kSteps[i].inside));
      if (is_wrong) wrong = static_cast<int>(node.index());
    }
  }
  const std::string found = model.Check();
  return found == absl::StrCat(wrong, ": /layer.1/attn -> /layer.0/attn\n") ? "the wrong one"
                                                                            : found;
}

TEST_CASE("layers that run several times are compared in each pass") {
  for (const Read read : {Read::kDirectly, Read::kByCopies}) {
    CHECK(CheckPasses(read, false) == "");
    CHECK(CheckPasses(read, true) == "the wrong one");
  }
  CHECK(CheckPasses(Read::kMixed, false) == "");
}

TEST_CASE("a module that all layers share is in one of them") {
  TaggedGraph model;
  for (int i = 0; i < 4 * kStepCount; ++i) {
    const Step& step = kSteps[i % kStepCount];
    const bool is_shared = step.op == absl::string_view("Relu");
    model.Node(
        step.op, {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, "",
        is_shared ? "/layer.0/mlp/act" : absl::StrCat("/layer.", i / kStepCount, step.inside));
  }
  CHECK(model.Check() == "");
}

}  // namespace
}  // namespace onnx_hier
