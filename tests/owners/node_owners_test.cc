// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/node_owners.h"

#include "doctest/doctest.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

constexpr NodeId kNode = NodeId(0);

TEST_CASE("a node lies in its owner at least as surely as that is exactly right") {
  ModulePaths paths;
  NodeOwners owners(1, paths.root());
  CHECK(owners[kNode].primary == paths.root());
  CHECK(owners[kNode].method == Method::kNone);
  owners.Decide(kNode, {.primary = paths.Parse("a.b"), .confidence = 0.8f});
  CHECK(owners[kNode].containment == 0.8f);
  owners.Decide(kNode, {.primary = paths.Parse("a.b"), .confidence = 0.8f, .containment = 0.9f});
  CHECK(owners[kNode].containment == 0.9f);
  owners.Doubt(kNode, 0.7f);
  CHECK(owners[kNode].confidence == 0.7f);
  CHECK(owners[kNode].containment == 0.9f);
  owners.Doubt(kNode, 1, 0.5f);
  CHECK(owners[kNode].confidence == 0.7f);
  CHECK(owners[kNode].containment == 0.7f);
}

TEST_CASE("what holds the owner is hardly ever the owner itself") {
  ModulePaths paths;
  NodeOwners owners(1);
  owners.Decide(kNode, {.primary = paths.Parse("a.b"),
                        .confidence = 0.4f,
                        .method = Method::kOrder,
                        .witness = kNode});
  owners.Retreat(kNode, paths.Parse("a"), 0.9f);
  const Assignment& owner = owners[kNode];
  CHECK(paths.Tag(owner.primary) == "/a");
  CHECK(owner.confidence == 0);
  CHECK(owner.containment == 0.9f);
  CHECK(owner.retreat == Retreat::kUnsure);
  CHECK(owner.method == Method::kOrder);
  CHECK(owner.witness == kNode);
}

}  // namespace
}  // namespace onnx_hier
