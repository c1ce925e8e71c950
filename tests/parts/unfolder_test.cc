// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/unfolder.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "doctest/doctest.h"
#include "lib/onnx/node_texts.h"
#include "tests/parts/scanned_bytes.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::ScannedBytes;

std::string CallOf(const std::string& function, const wire::Names& inputs,
                   const wire::Names& outputs, const std::string& name) {
  return wire::Node(function, inputs, outputs, name, wire::Domain("d"));
}

// The nodes' texts, or the error.
std::string Unfolded(const std::string& model) {
  const ScannedBytes file(model);
  UnfoldPlan plan(file.graph());
  plan.functions.AddAll();
  const absl::StatusOr<onnx_hier::Unfolded> unfolded =
      Unfold(file.graph(), file.messages(), plan, nullptr);
  if (!unfolded.ok()) return std::string(unfolded.status().message());
  return absl::StrJoin(unfolded->nodes, " | ", [](std::string* text, const PlacedNode& node) {
    const char* separator = "";
    VisitTexts(node.bytes, NodePart::kWhole, [&](TextRole, absl::string_view part) {
      absl::StrAppend(text, separator, part);
      separator = " ";
    });
  });
}

TEST_CASE("a body stands in the place of each of its calls") {
  const std::string function = wire::Function("d", "F", {"in"}, {"out"},
                                              wire::FunctionNode("Neg", {"in"}, {"h"}, "Neg") +
                                                  wire::FunctionNode("Abs", {"h"}, {"out"}, "Abs"));
  CHECK(Unfolded(wire::Model(
            wire::Graph(CallOf("F", {"x"}, {"a"}, "/l.0") + CallOf("F", {"a"}, {"y"}, "/l.1")) +
            function)) ==
        "x /l.0/h /l.0/Neg | /l.0/h a /l.0/Abs | a /l.1/h /l.1/Neg | /l.1/h y /l.1/Abs");
}

TEST_CASE("names that are taken get a number") {
  const std::string function = wire::Function(
      "d", "F", {"in"}, {"out"},
      wire::FunctionNode("Neg", {"in"}, {"h"}) + wire::FunctionNode("Abs", {"h"}, {"out"}));
  CHECK(Unfolded(wire::Model(
            wire::Graph(wire::Node("Neg", {"x"}, {"c/h"}) + CallOf("F", {"c/h"}, {"y"}, "c")) +
            function)) == "x c/h | c/h h__1 | h__1 y");
}

TEST_CASE("inputs and outputs may be left out, and handed on as they are") {
  const std::string function = wire::Function(
      "d", "F", {"a", "b"}, {"a", "c"}, wire::FunctionNode("Clip", {"a", "", "b"}, {"c"}, "Clip"));
  CHECK(Unfolded(wire::Model(wire::Graph(CallOf("F", {"x"}, {"y"}, "f")) + function)) ==
        "x   c__1 Clip | x y");
}

TEST_CASE("functions that call each other, or not as they are declared") {
  const std::string loop =
      wire::Function("d", "F", {"in"}, {"out"},
                     wire::FunctionNode("F", {"in"}, {"out"}, "again", wire::Domain("d")));
  CHECK(absl::StrContains(Unfolded(wire::Model(wire::Graph(CallOf("F", {"x"}, {"y"}, "f")) + loop)),
                          "calls itself"));
  const std::string one =
      wire::Function("d", "F", {"in"}, {"out"}, wire::FunctionNode("Neg", {"in"}, {"out"}));
  CHECK(absl::StrContains(
      Unfolded(wire::Model(wire::Graph(CallOf("F", {"x", "x"}, {"y"}, "f")) + one)),
      "more inputs"));
  const std::string twice =
      wire::Function("d", "F", {"in", "in"}, {"out"}, wire::FunctionNode("Neg", {"in"}, {"out"}));
  CHECK(absl::StrContains(
      Unfolded(wire::Model(wire::Graph(CallOf("F", {"x", "x"}, {"y"}, "f")) + twice)),
      "two inputs"));
}

// F0 calls F1 twice, and so on; the last one is `last`.
std::string Multiplying(int depth, const std::string& last) {
  std::string functions;
  for (int i = 0; i < depth; ++i) {
    const std::string next = absl::StrCat("F", i + 1);
    functions +=
        wire::Function("d", absl::StrCat("F", i), {"in"}, {"out"},
                       wire::FunctionNode(next, {"in"}, {"h"}, "a", wire::Domain("d")) +
                           wire::FunctionNode(next, {"h"}, {"out"}, "b", wire::Domain("d")));
  }
  functions += wire::Function("d", absl::StrCat("F", depth), {"in"}, {"out"}, last);
  return wire::Model(wire::Graph(CallOf("F0", {"x"}, {"y"}, "f")) + functions);
}

TEST_CASE("functions that multiply are stopped before anything is unfolded") {
  const std::string node = wire::FunctionNode("Neg", {"in"}, {"out"});
  CHECK(absl::StrContains(Unfolded(Multiplying(30, node)), "too often"));
  // Nor may they hold nothing, nor come to much more than they are.
  CHECK(absl::StrContains(Unfolded(Multiplying(60, "")), "too often"));
  CHECK(absl::StrContains(Unfolded(Multiplying(17, node)), "too often"));
  CHECK(!absl::StrContains(Unfolded(Multiplying(10, node)), "too often"));
  const std::string large = wire::FunctionNode("Neg", {"in"}, {"out"}, std::string(40'000, 'n'));
  CHECK(absl::StrContains(Unfolded(Multiplying(11, large)), "too often"));
}

}  // namespace
}  // namespace onnx_hier
