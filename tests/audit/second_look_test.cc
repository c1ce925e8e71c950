// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/second_look.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

struct LayerStep {
  const char* op;
  const char* inside;  // the module inside the layer
};
constexpr LayerStep kLayerSteps[] = {{"Mul", ".norm"}, {"Sin", ".attn"}, {"Tanh", ".attn"},
                                     {"Exp", ".attn"}, {"Add", ""},      {"Abs", ".mlp"},
                                     {"Relu", ".mlp"}, {"Sub", ""}};
constexpr int kLayerStepCount = static_cast<int>(std::size(kLayerSteps));
constexpr int kModelLayers = 4;

// A chain of layers, all placed by name, but for node 10 (the second Tanh).
class Layers {
 public:
  Layers() {
    for (int i = 0; i < kModelLayers * kLayerStepCount; ++i) {
      const LayerStep& step = kLayerSteps[i % kLayerStepCount];
      model_.Node(step.op, {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)});
      Assignment assignment;
      assignment.primary = paths_.Parse(absl::StrCat("layer.", i / kLayerStepCount, step.inside));
      assignment.method = Method::kNodeName;
      assignment.confidence = 1;
      assignments_.push_back(assignment);
    }
  }

  // Where node 10 ends up, "*" behind it if the second look moved it, if it was placed there.
  std::string Look(const std::string& module, Method method, float confidence,
                   float least_containment = 0) {
    NodeOwners owners(assignments_);
    owners.Decide(kNode,
                  {.primary = paths_.Parse(module), .confidence = confidence, .method = method});
    const Assignment& assignment = owners[kNode];
    const bool moved = !TakeSecondLook(Flow(model_.Build()), Evidence(), paths_,
                                       Least(least_containment), SettledNodes(owners), owners)
                            .empty();
    CHECK(moved == (assignment.method == Method::kRepaired));
    // What was moved is seldom exactly right, and never said to be surer than that.
    if (moved) CHECK(assignment.confidence < 0.3f);
    return absl::StrCat(paths_.Tag(assignment.primary), moved ? "*" : "");
  }

 private:
  static constexpr NodeId kNode = NodeId(10);

  testing::TestGraph model_;
  ModulePaths paths_;
  IdVector<NodeId, Assignment> assignments_;
};

TEST_CASE("what was placed in a wrong layer with little confidence is moved") {
  CHECK(Layers().Look("layer.2.attn", Method::kLocality, 0.3f) == "/layer.1/attn*");
  CHECK(Layers().Look("layer.1.attn", Method::kLocality, 0.3f) == "/layer.1/attn");
}

TEST_CASE("of two that are sure and disagree neither wins") {
  CHECK(Layers().Look("layer.2.attn", Method::kRepetition, 0.6f) == "/layer*");
}

TEST_CASE("where modules must hold their nodes surely, what is moved goes to what holds both") {
  CHECK(Layers().Look("layer.2.attn", Method::kLocality, 0.3f, 0.9f) == "/layer*");
}

TEST_CASE("what is placed well stays") {
  CHECK(Layers().Look("layer.2.attn", Method::kRepetition, 0.9f) == "/layer.2/attn");
  CHECK(Layers().Look("layer.2.attn", Method::kNodeName, 0.3f) == "/layer.2/attn");
}

}  // namespace
}  // namespace onnx_hier
