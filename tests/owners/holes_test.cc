// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/holes.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

struct Placed {
  std::string module;
  float sureness = 0.5f;
};

// Nodes in a row, each reading the one before; "2:block.attn<1" for each that is put elsewhere.
std::string HolesIn(const std::vector<Placed>& placed) {
  TestGraph model;
  model.Input("v0");
  for (size_t i = 0; i < placed.size(); ++i) {
    model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)});
  }
  const Flow flow(model.Build());
  ModulePaths paths;
  for (const char* path : {"block.attn.out", "block.mlp", "list.0", "list.1"}) paths.Parse(path);
  IdVector<Rank, PathId> places;
  IdVector<Rank, float> sureness;
  for (const Placed& node : placed) {
    places.push_back(paths.Parse(node.module));
    sureness.push_back(node.sureness);
  }
  std::string text;
  for (const HoleNode& node :
       FindHoles(flow, paths, ModuleChildren(paths), std::move(places), sureness)) {
    absl::StrAppend(&text, text.empty() ? "" : " ", node.rank.index(), ":",
                    paths.QualifiedName(node.module), "<", node.neighbour.index());
  }
  return text;
}

TEST_CASE("what stands between two nodes of a module is in it") {
  CHECK(HolesIn({{"block.attn", .6f}, {"block", .3f}, {"block", .2f}, {"block.attn"}}) ==
        "1:block.attn<0 2:block.attn<0");
  CHECK(HolesIn({{"block.attn.out"}, {"block", .3f}, {"block.attn"}}) == "1:block.attn<2");
}

TEST_CASE("unless it is as sure of its module as they are") {
  CHECK(HolesIn({{"block.attn"}, {"block", .5f}, {"block.attn", .9f}}).empty());
  CHECK(HolesIn({{"block.attn"}, {"block", .3f}, {"block", .8f}, {"block.attn"}}).empty());
}

TEST_CASE("what calls several modules stands between them") {
  CHECK(HolesIn({{"block.attn"}, {"block", .1f}, {"block.mlp"}}).empty());
  CHECK(HolesIn({{"block.attn"}, {"", .1f}, {"block.attn"}}).empty());
  CHECK(HolesIn({{"block"}, {"", .1f}, {"block"}}).empty());
  CHECK(HolesIn({{"list.0"}, {"", .1f}, {"list.1"}}).empty());
}

TEST_CASE("a file begins and ends with no hole") {
  CHECK(HolesIn({{"block", .1f}, {"block.attn"}, {"block", .1f}}).empty());
  CHECK(HolesIn({}).empty());
}

}  // namespace
}  // namespace onnx_hier
