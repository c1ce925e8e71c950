// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/statements.h"

#include "doctest/doctest.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

constexpr NodeId kSecond = NodeId(1);

struct Said {
  Said() { nodes.resize(2); }

  ModulePaths paths;
  PathId a = paths.Parse("a");
  PathId b = paths.Parse("b");
  NodeStatements nodes;
};

TEST_CASE("the last statement counts; one of another witness, of another place, is kept") {
  Said said;
  said.nodes.Say(kSecond, {.place = said.a, .method = Method::kNodeName, .call = 3}, said.b);
  CHECK(said.nodes[kSecond].other_place == said.b);
  said.nodes.Say(kSecond, {.place = said.b, .method = Method::kParameters}, said.b);
  CHECK(said.nodes[kSecond].place == said.b);
  CHECK(said.nodes[kSecond].call == 0);
  CHECK(!said.nodes[kSecond].other_place.valid());
  REQUIRE(said.nodes.overruled().size() == 1);
  CHECK(said.nodes.overruled()[0].node == kSecond);
  CHECK(said.nodes.overruled()[0].said.place == said.a);
  CHECK(said.nodes.overruled()[0].said.call == 3);
}

TEST_CASE("who agrees, or puts its own words right, overrules nobody") {
  Said said;
  said.nodes.Say(kSecond, {.place = said.a, .method = Method::kNodeName});
  said.nodes.Say(kSecond, {.place = said.a, .method = Method::kParameters});
  said.nodes.Say(kSecond, {.place = said.b, .method = Method::kParameters});
  said.nodes.Say(kSecond, {});
  CHECK(said.nodes.overruled().empty());
}

TEST_CASE("doubt only grows") {
  Said said;
  said.nodes.Say(kSecond, {.place = said.a, .method = Method::kNodeName});
  said.nodes.Doubt(kSecond, 0.5f);
  said.nodes.Doubt(kSecond, 0.75f);
  CHECK(said.nodes[kSecond].confidence == 0.5f);
}

TEST_CASE("what is said is renamed with what was") {
  Said said;
  said.nodes.Say(kSecond, {.place = said.a, .method = Method::kNodeName});
  said.nodes.Say(kSecond, {.place = said.b, .method = Method::kReaders}, said.a);
  IdVector<PathId, PathId> to(said.paths.size());
  for (PathId path : said.paths.ids()) to[path] = path;
  to[said.a] = to[said.b];
  said.nodes.Rename(to);
  CHECK(said.nodes[kSecond].place == said.b);
  CHECK(!said.nodes[kSecond].other_place.valid());
  CHECK(said.nodes.overruled()[0].said.place == said.b);
}

TEST_CASE("what is said of a part is said of its nodes in the whole") {
  Said said;
  NodeStatements part;
  part.resize(1);
  part.Say(NodeId(0), {.place = said.a, .method = Method::kNodeName});
  part.Say(NodeId(0), {.place = said.b, .method = Method::kReaders, .neighbour = NodeId(0)},
           said.a);
  part.SetOwners(NodeId(0), {1, 2});
  said.nodes.Add(
      part, [](NodeId) { return kSecond; }, 10);
  CHECK(said.nodes[kSecond].place == said.b);
  CHECK(said.nodes[kSecond].neighbour == kSecond);
  CHECK(said.nodes[kSecond].owners.begin == 11);
  CHECK(said.nodes[kSecond].owners.end == 12);
  REQUIRE(said.nodes.overruled().size() == 1);
  CHECK(said.nodes.overruled()[0].node == kSecond);
  CHECK(said.nodes.overruled()[0].said.place == said.a);
}

}  // namespace
}  // namespace onnx_hier
