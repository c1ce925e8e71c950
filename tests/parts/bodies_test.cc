// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/bodies.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/parts/folded.h"
#include "tests/parts/scanned_bytes.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Folded;
using testing::ScannedBytes;

// How many functions the model's runs need.
size_t CountBodies(const std::string& nodes, const std::vector<std::string>& owners) {
  const ScannedBytes file(wire::Model(wire::Graph(nodes + wire::Output("y"))));
  const Folded folded(file.graph(), owners);
  const Contraction contraction = folded.Contract();
  return ShareBodies(contraction, folded.units, folded.runs, folded.hierarchy, file.messages())
      .functions.size();
}

TEST_CASE("alike runs share a function, whatever their values are called") {
  CHECK(CountBodies(wire::Node("Neg", {"x"}, {"a"}, "/l.0/Neg") +
                        wire::Node("Add", {"a", "a"}, {"b"}, "/l.0/Add") +
                        wire::Node("Neg", {"b"}, {"c"}, "Neg_7", wire::Doc("a note")) +
                        wire::Node("Add", {"c", "c"}, {"y"}),
                    {"l.0", "l.0", "l.1", "l.1"}) == 1);
}

TEST_CASE("others do not") {
  const std::string first = wire::Node("Neg", {"x"}, {"a"}) + wire::Node("Add", {"a", "x"}, {"b"});
  const std::vector<std::string> owners = {"l.0", "l.0", "l.1", "l.1"};
  // Another operator, another wiring, another attribute.
  CHECK(CountBodies(first + wire::Node("Abs", {"b"}, {"c"}) + wire::Node("Add", {"c", "b"}, {"y"}),
                    owners) == 2);
  CHECK(CountBodies(first + wire::Node("Neg", {"b"}, {"c"}) + wire::Node("Add", {"b", "c"}, {"y"}),
                    owners) == 2);
  CHECK(CountBodies(
            first + wire::Node("Neg", {"b"}, {"c"}, "", wire::Attribute("k", wire::Number(3, 1))) +
                wire::Node("Add", {"c", "b"}, {"y"}),
            owners) == 2);
  CHECK(CountBodies(first + wire::Node("Neg", {"b"}, {"c"}) + wire::Node("Add", {"c", "b"}, {"y"}),
                    owners) == 1);
}

TEST_CASE("nor do those of other places, though they be alike") {
  const std::string nodes = wire::Node("Neg", {"x"}, {"a"}) + wire::Node("Neg", {"a"}, {"y"});
  CHECK(CountBodies(nodes, {"query", "key"}) == 2);
  CHECK(CountBodies(nodes, {"block_1", "block_22"}) == 1);
}

TEST_CASE("graphs inside of nodes are compared like all else") {
  const auto choice = [](const std::string& in, const std::string& op, const std::string& inner,
                         const std::string& out) {
    return wire::Node(
        "If", {in}, {out}, "",
        wire::Subgraph("then_branch", wire::Node(op, {in}, {inner}) + wire::Output(inner)));
  };
  const std::vector<std::string> owners = {"l.0", "l.0", "l.1", "l.1"};  // inner nodes, too
  CHECK(CountBodies(choice("x", "Neg", "p", "a") + choice("a", "Neg", "q", "y"), owners) == 1);
  CHECK(CountBodies(choice("x", "Neg", "p", "a") + choice("a", "Abs", "q", "y"), owners) == 2);
}

}  // namespace
}  // namespace onnx_hier
