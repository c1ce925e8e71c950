// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/check.h"
#include "tests/audit/tagged_graph.h"

namespace onnx_hier {
namespace {

using testing::TaggedGraph;

TEST_CASE("a repaired node keeps its old tags as auxiliary ones, and is found no more") {
  TaggedGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/l.0/Relu", "/l.1");
  model.AddAuxiliary("/l.2");
  model.Node("Relu", {"a"}, {"b"}, "/l.1/Relu", "/l.1");
  const Graph& graph = model.Build();
  Tags& tags = model.tags();
  const Repairs repairs = Repair(graph, {}, FindContamination(graph, {}, tags), tags);
  CHECK(repairs.done.size() == 1);
  CHECK(repairs.left.empty());
  CHECK(tags.Text(NodeId(0)) == "/l.0");
  REQUIRE(tags.auxiliary_of(NodeId(0)).size() == 2);
  CHECK(tags.paths().Tag(tags.auxiliary_of(NodeId(0))[0]) == "/l.1");
  CHECK(tags.Text(NodeId(1)) == "/l.1");
  CHECK(FindContamination(graph, {}, tags).empty());
}

TEST_CASE("a layer that is put right is no proof of the module") {
  // Of what class `fc` is nothing tells.
  TaggedGraph model;
  for (int i = 0; i < 12; ++i) {
    const int layer = i / 4;
    model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)},
               absl::StrCat("/h.", layer, i % 4 == 0 ? "/mixer/Relu" : "/fc/Relu"),
               absl::StrCat("/Net/Block.", i == 4 || i == 5 ? 2 : layer,
                            i % 4 == 0 ? "/Mixer" : "/Linear"));
  }
  const Graph& graph = model.Build();
  Tags& tags = model.tags();
  const Repairs repairs = Repair(graph, {}, FindContamination(graph, {}, tags), tags);
  REQUIRE(repairs.done.size() == 2);
  CHECK_FALSE(repairs.done[0].layer_only);
  CHECK(repairs.done[1].layer_only);
  CHECK(repairs.layer_only == 1);
  CHECK(tags.Text(NodeId(5)) == "/Net/Block.1/Linear");
}

TEST_CASE("gaps") {
  TaggedGraph model;
  model.Node("Relu", {"x"}, {"a"}, "/enc/Relu", "/enc");
  model.Node("Relu", {"a"}, {"b"}, "/enc/Relu_1", "");
  model.Node("Relu", {"b"}, {"c"}, "/enc/Relu_2", "/Net/AuxiliaryOperations");
  model.Node("Relu", {"c"}, {"d"}, "/enc/Relu_3", "/nowhere");
  model.Node("Relu", {"d"}, {"e"}, "/enc/Relu_4", "");
  const Graph& graph = model.Build();
  const Coverage coverage = FindGaps(graph, {}, {}, model.tags(), {NodeId(4)}, {"is for another"});
  CHECK(coverage.modules_known);
  REQUIRE(coverage.gaps.size() == 5);
  const GapKind kinds[] = {GapKind::kUntagged, GapKind::kUnplaced, GapKind::kUnknownModule,
                           GapKind::kMalformed, GapKind::kSidecar};
  const size_t nodes[] = {1, 2, 3, 4};
  for (size_t i = 0; i < 5; ++i) {
    CHECK(coverage.gaps[i].kind == kinds[i]);
    if (i < 4) CHECK(coverage.gaps[i].node == NodeId(nodes[i]));
  }
  CHECK_FALSE(coverage.gaps[4].node.valid());
}

}  // namespace
}  // namespace onnx_hier
