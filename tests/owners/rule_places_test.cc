// SPDX-License-Identifier: Apache-2.0

#include "lib/owners/rule_places.h"

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

// Two nodes that say that they are in /a/x, and one that says nothing, all of them moved to /b.
struct Moved {
  ModulePaths paths;
  Evidence evidence;
  NodeOwners owners{3};

  Moved() {
    evidence.nodes.resize(3);
    const PathId said = paths.Parse("a.x");
    evidence.nodes.Say(NodeId(0), {.place = said, .method = Method::kNodeName});
    evidence.owners = {said};
    evidence.nodes.SetOwners(NodeId(1), {0, 1});
    for (NodeId node : IdRange<NodeId>(3)) owners.Move(node, paths.Parse("b"));
  }
  std::string TagAfter(const AppliedRules& rules, size_t node) {
    RulePlaces(rules, paths).Keep(evidence, owners);
    return paths.Tag(owners[NodeId(node)].primary);
  }
};

TEST_CASE("no node is moved out of a major module that its name, or its parameter, says") {
  AppliedRules rules;
  rules.majors.insert("/a");
  CHECK(Moved().TagAfter(rules, 0) == "/a/x");
  CHECK(Moved().TagAfter(rules, 1) == "/a/x");
  CHECK(Moved().TagAfter(rules, 2) == "/b");
}

TEST_CASE("what was moved inside of it, or out of others, stays") {
  AppliedRules rules;
  rules.majors.insert("/c");
  CHECK(Moved().TagAfter(rules, 0) == "/b");
  rules.majors = {"/a"};
  Moved inside;
  inside.owners.Move(NodeId(0), inside.paths.Parse("a.y"));
  CHECK(inside.TagAfter(rules, 0) == "/a/y");
}

TEST_CASE("the nearest rule around a module says how surely it must hold its nodes") {
  ModulePaths paths;
  AppliedRules rules;
  rules.least = {{"/a", 0.8f}, {"/a/x", 0.5f}};
  const Least least = RulePlaces(rules, paths).LeastOf(0.1f);
  CHECK(least.At(paths.Parse("a")) == 0.8f);
  CHECK(least.At(paths.Parse("a.x.deep")) == 0.5f);
  CHECK(least.At(paths.Parse("b")) == 0.1f);
}

}  // namespace
}  // namespace onnx_hier
