// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/audit/second_look.h"
#include "tests/support/random.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

constexpr const char* kModules[] = {".norm", ".attn", ".attn", "", ".mlp", ".mlp", ""};
constexpr const char* kOps[] = {"Mul", "Sin", "Tanh", "Add", "Abs", "Relu", "Sub"};
constexpr int kOpCount = static_cast<int>(std::size(kOps));
constexpr int kLayers = 4;

// A chain of layers, placed by name but for some nodes that random layers got.
struct Scene {
  explicit Scene(uint64_t seed) {
    testing::Random random(seed);
    Assignments assignments;
    for (int i = 0; i < kLayers * kOpCount; ++i) {
      model.Node(kOps[i % kOpCount], {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)});
      const bool lost = random.OneIn(6);
      const uint64_t layer = lost ? random.Below(kLayers) : static_cast<uint64_t>(i / kOpCount);
      Assignment assignment;
      assignment.primary = paths.Parse(absl::StrCat("layer.", layer, kModules[i % kOpCount]));
      assignment.method = lost ? Method::kLocality : Method::kNodeName;
      assignment.confidence = lost ? (random.OneIn(2) ? 0.3f : 0.6f) : 1.0f;
      assignments.push_back(assignment);
    }
    owners = NodeOwners(std::move(assignments));
    graph = &model.Build();
  }

  testing::TestGraph model;
  const Graph* graph = nullptr;
  ModulePaths paths;
  NodeOwners owners;
};

TEST_CASE("what is counted is what comparisons find, before and afterwards") {
  uint64_t found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Scene scene(seed);
    const Flow flow(*scene.graph);
    const IdSet<NodeId> settled = SettledNodes(scene.owners);
    const auto compare = [&] {
      return CompareAssignments(flow, Evidence(), scene.paths, scene.owners, settled).size();
    };
    const size_t before = compare();
    const ContaminationCount count =
        ReviewAssignments(flow, Evidence(), scene.paths, Least(), scene.owners);
    CHECK(count.found >= before);
    CHECK(count.unresolved == compare());
    CHECK(count.unresolved == 0);
    CHECK(count.resolved() + count.unresolved == count.found);
    found += count.found;
  }
  CHECK(found > 100);
}

}  // namespace
}  // namespace onnx_hier
