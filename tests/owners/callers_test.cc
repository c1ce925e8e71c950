// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/callers.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// A product, what reads it, and a sum of both; each in the module of its index in `places`.
std::string CallerIn(const std::vector<std::string>& places, const std::string& op = "MatMul") {
  TestGraph model;
  model.Input("x");
  model.Initializer("w", {4, 4});
  model.Node(op, {"x", "w"}, {"a"});
  model.Node("Reshape", {"a", "s"}, {"b"});
  if (places.size() > 2) model.Node("Add", {"a", "b"}, {"c"});
  const Flow flow(model.Build());
  ModulePaths paths;
  paths.Parse("block.attn.out");
  std::vector<PathId> modules;
  for (const std::string& place : places) modules.push_back(paths.Parse(place));
  const PathId caller = CallerOf(Rank(0), flow, paths, ModuleChildren(paths),
                                 [&](Rank rank) { return modules[rank.index()]; });
  return caller.valid() ? paths.QualifiedName(caller) : "-";
}

TEST_CASE("what nothing names was called by who reads what it makes") {
  CHECK(CallerIn({"block", "block.attn"}) == "block.attn");
  CHECK(CallerIn({"", "block.attn"}) == "block.attn");
  CHECK(CallerIn({"block", "block.attn", "block.attn.out"}) == "block.attn");
}

TEST_CASE("who reads it only tells of what is inside of where it is") {
  CHECK(CallerIn({"block.attn", "block.attn"}) == "-");
  CHECK(CallerIn({"block.attn", "block"}) == "-");
  CHECK(CallerIn({"block", "head"}) == "-");
  CHECK(CallerIn({"block", "block.attn", "block"}) == "-");
}

TEST_CASE("modules without others call none, and other operators are no modules") {
  CHECK(CallerIn({"block", "block.attn.out"}) == "-");
  CHECK(CallerIn({"block", "block.attn"}, "Mul") == "-");
}

}  // namespace
}  // namespace onnx_hier
