// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/parameter_match.h"

#include <string>

#include "doctest/doctest.h"
#include "tests/relate/contents.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Contents;
using testing::FindValue;
using testing::TestGraph;
using testing::Value;

// Whose counterpart a parameter is, by name; "" for nobody's.
std::string Counterpart(const Graph& from, const Graph& to, const ParameterMatches& matches,
                        const char* name) {
  const ValueId found = matches.of[FindValue(to, name)];
  return found.valid() ? std::string(from.value(found).name) : "";
}

TEST_CASE("parameters are matched by name if they are as large, else by contents") {
  TestGraph old_model;
  TestGraph new_model;
  old_model.Initializer("a.weight", {8, 8});
  old_model.Initializer("b.weight", {8, 8});
  old_model.Initializer("ones", {16});
  old_model.Initializer("more_ones", {16});
  new_model.Initializer("a.weight", {64});
  new_model.Initializer("b.weight", {4, 4});
  new_model.Initializer("onnx::MatMul_1", {8, 8});
  new_model.Initializer("onnx::Add_2", {16});
  const Graph& from = old_model.Build();
  const Graph& to = new_model.Build();
  Contents from_contents(from, {{"a.weight", 1}, {"b.weight", 2}, {"ones", 3}, {"more_ones", 3}});
  Contents to_contents(to, {{"onnx::MatMul_1", 2}, {"onnx::Add_2", 3}});
  const ParameterMatches matches =
      Value(MatchParameters(from, NameIndex(from), from_contents, to, to_contents));
  CHECK(Counterpart(from, to, matches, "a.weight") == "a.weight");
  CHECK(Counterpart(from, to, matches, "b.weight").empty());
  CHECK(Counterpart(from, to, matches, "onnx::MatMul_1") == "b.weight");
  // Several hold this.
  CHECK(Counterpart(from, to, matches, "onnx::Add_2").empty());
  CHECK(matches.agree == 1);
  CHECK(matches.disagree == 1);
}

TEST_CASE("nothing is read where names tell") {
  TestGraph old_model;
  TestGraph new_model;
  old_model.Initializer("a.weight", {8, 8});
  new_model.Initializer("a.weight", {8, 8});
  const Graph& from = old_model.Build();
  const Graph& to = new_model.Build();
  Contents from_contents(from, {{"a.weight", 1}});
  Contents to_contents(to, {{"a.weight", 2}});
  CHECK_OK(MatchParameters(from, NameIndex(from), from_contents, to, to_contents).status());
  CHECK(from_contents.read() + to_contents.read() == 0);
}

}  // namespace
}  // namespace onnx_hier
