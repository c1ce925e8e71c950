// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/scopes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/parts/folded.h"
#include "tests/parts/scanned_bytes.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Folded;
using testing::ScannedBytes;

// "scope=function ..." of all calls, inner ones first.
std::string Named(const std::string& nodes, const std::vector<std::string>& owners) {
  const ScannedBytes file(wire::Model(wire::Graph(nodes + wire::Output("y"))));
  Folded folded(file.graph(), owners);
  const Contraction contraction = folded.Contract();
  const FoldBodies bodies =
      ShareBodies(contraction, folded.units, folded.runs, folded.hierarchy, file.messages());
  const auto scopes = FindScopes(contraction, folded.units, folded.runs, folded.hierarchy);
  const auto names = NameFunctions(contraction, bodies, folded.runs, folded.hierarchy);
  std::string text;
  for (ItemId id : IdRange<ItemId>(contraction.items.size())) {
    if (contraction.items[id].unit.valid()) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", scopes[id], "=", names[bodies.of[id]]);
  }
  return text;
}

TEST_CASE("a call has the scope that the exporter gave to its nodes") {
  CHECK(Named(wire::Node("Neg", {"x"}, {"a"}, "/model/l.0/fc/Neg") +
                  wire::Node("Neg", {"a"}, {"y"}, "/model/l.0/Neg"),
              {"l.0.fc", "l.0"}) == "/model/l.0/fc=l.fc /model/l.0=l");
}

TEST_CASE("or else the module's tag") {
  CHECK(Named(wire::Node("Neg", {"x"}, {"y"}, "Neg_1"), {"encoder.layer.3"}) ==
        "/encoder/layer.3=encoder.layer /encoder=encoder");
  // A name that says something else.
  CHECK(Named(wire::Node("Neg", {"x"}, {"y"}, "/other/Neg"), {"fc"}) == "/fc=fc");
}

TEST_CASE("each has a name of its own") {
  CHECK(
      Named(wire::Node("Neg", {"x"}, {"a"}, "/fc/Neg") + wire::Node("Abs", {"a"}, {"y"}, "/fc/Abs"),
            {"fc.0", "fc.1"}) == "/fc.0=fc /fc.1=fc.2");
}

TEST_CASE("function names hold letters, digits, dots and underscores") {
  CHECK(Named(wire::Node("Neg", {"x"}, {"y"}), {"a b/c"}) == "/a b/c=a_b_c");
}

}  // namespace
}  // namespace onnx_hier
