// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/splices.h"

#include <string>
#include <vector>

#include "tests/edits/splices.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::DocsOf;
using testing::Edited;
using testing::EditsTo;
using testing::Scan;
using testing::Scanned;
using testing::Value;
using testing::WithoutDocs;
using wire::Bytes;

// Sets the doc_strings of all nodes to `texts` and checks what must hold: only they differ, both
// readers agree, and putting the old ones back gives the old bytes (of a file in canonical form).
std::string SetDocs(const std::string& bytes, const std::vector<std::string>& texts,
                    bool canonical = true) {
  const std::vector<DocEdit> edits = EditsTo(texts);
  const std::string edited = Edited(bytes, edits);
  CHECK((WithoutDocs(edited) == WithoutDocs(bytes)));
  const Scanned after = Value(Scan(edited));
  CHECK((testing::ModelText(after.model.graph) == testing::ModelText(testing::ParseModel(edited))));
  for (size_t i = 0; i < texts.size(); ++i) {
    CHECK((after.model.graph.doc_string(NodeId(i)) == texts[i]));
  }
  CHECK((Edited(edited, edits) == edited));
  const Scanned before = Value(Scan(bytes));
  if (canonical) CHECK((Edited(edited, DocsOf(before.model)) == bytes));
  return edited;
}

TEST_CASE("the bytes are what a serializer would have written") {
  const auto file = [](const std::string& doc) {
    return wire::Model(wire::Graph(wire::Node("Neg", {"x"}, {"y"}, "n", doc + wire::Domain("d")) +
                                   wire::Output("y")));
  };
  CHECK(Edited(file(""), {{NodeId(0), true, "tag"}}) == file(wire::Doc("tag")));
  CHECK(Edited(file(wire::Doc("old text")), {{NodeId(0), true, "tag"}}) == file(wire::Doc("tag")));
  CHECK(Edited(file(wire::Doc("old")), {{NodeId(0), false, ""}}) == file(""));
  CHECK(Edited(file(""), {{NodeId(0), true, ""}}) == file(wire::Doc("")));
}

TEST_CASE("what is as wanted already is left alone") {
  const std::string file = wire::Model(
      wire::Graph(wire::Node("A", {}, {}, "", wire::Doc("a")) + wire::Node("B", {}, {})));
  const Scanned scanned = Value(Scan(file));
  const std::vector<DocEdit> same = {{NodeId(0), true, "a"}, {NodeId(1), false, ""}};
  CHECK(Splices(scanned.model, {}).empty());
  const Splices nothing(scanned.model, same);
  CHECK(nothing.empty());
  CHECK(nothing.growth() == 0);
}

TEST_CASE("lengths at their borders") {
  for (size_t size : {127, 128, 16383, 16384, 2097151, 2097152}) {
    // So that the text, the node or the graph comes to that length (of large ones, near it).
    for (size_t less = 0; less < 20; less += size < 1000000 ? 1 : 4) {
      CAPTURE(size);
      CAPTURE(less);
      SetDocs(wire::Model(wire::Graph(wire::Node("N", {}, {}, "a", wire::Domain("d")))),
              {std::string(size - less, 't')});
    }
  }
}

TEST_CASE("outer lengths follow when inner ones grow wider") {
  const std::string file = wire::Model(wire::Graph(
      wire::NestedIfs(6, wire::Node("Neg", {"a"}, {"b"})) + wire::Node("Exp", {"a"}, {"b"})));
  for (size_t size = 0; size < 200; ++size) {
    SetDocs(file, {"", "", "", "", "", "", std::string(size, 't')});
  }
  for (size_t size : {16200u, 16300u, 16350u, 16384u, 2097100u}) {
    SetDocs(file, std::vector<std::string>(8, std::string(size / 4, 't')));
  }
}

TEST_CASE("doc_strings of nodes and of nodes inside them, in any order of fields") {
  const std::string inner = wire::Subgraph("body", wire::Node("In", {}, {}, "i", wire::Doc("in")));
  const std::string bare = wire::Subgraph("body", wire::Node("In", {}, {}));
  const std::string name = Bytes(3, "outer") + Bytes(4, "Out");
  for (const std::string& fields :
       {name + inner + bare + wire::Doc("out"), wire::Doc("out") + name + inner + bare,
        inner + wire::Doc("out") + bare + name, bare + name + inner, name + bare,
        wire::Domain("d") + inner + name, inner + wire::Domain("d") + bare + wire::Doc("late"),
        name + wire::Subgraphs("bodies", {wire::Node("A", {}, {}), "", wire::Node("B", {}, {})})}) {
    const std::string file =
        wire::Model(wire::Graph(Bytes(1, fields) + Bytes(1, fields) + wire::Node("Z", {}, {})));
    const size_t nodes = Value(Scan(file)).model.graph.node_count();
    std::vector<std::string> texts;
    for (size_t i = 0; i < nodes; ++i) texts.push_back(std::string(100 + i, 't'));
    SetDocs(file, texts);
    SetDocs(file, std::vector<std::string>(nodes, ""));
  }
}

TEST_CASE("nodes of functions and of training graphs") {
  const std::string body = wire::Node("N", {}, {}, "n", wire::Doc("doc"));
  const std::string file = wire::Model(
      wire::Graph(body) + wire::Training(wire::Initialization(body) + wire::Algorithm(body)) +
      wire::Function(
          "d", "F", {}, {},
          wire::FunctionNode("N", {}, {}) +
              wire::FunctionNode("If", {}, {}, "", wire::Subgraph("then_branch", body))));
  for (size_t size : {5u, 60u, 127u, 300u}) {
    SetDocs(file, std::vector<std::string>(6, std::string(size, 't')));
  }
}

TEST_CASE("a padded length keeps its width") {
  const std::string node = Bytes(1, Bytes(4, "N"), 4);
  const std::string file = wire::Model(wire::Graph(node, 5));
  const std::string edited = SetDocs(file, {std::string(200, 't')});
  CHECK(edited.size() == file.size() + 203);
  SetDocs(file, {std::string(20000, 't')});
}

TEST_CASE("a padded doc_string is replaced by one that is not") {
  const std::string file =
      wire::Model(wire::Graph(wire::Node("N", {}, {}, "", wire::Doc("old", 5))));
  CHECK(Edited(file, {{NodeId(0), true, "old"}}) ==
        wire::Model(wire::Graph(wire::Node("N", {}, {}, "", wire::Doc("old")))));
}

TEST_CASE("of several doc_strings the last one's place is kept") {
  const std::string file = wire::Model(
      wire::Graph(Bytes(1, wire::Doc("one") + Bytes(4, "N") + wire::Doc("two") +
                               wire::Subgraph("body", wire::Node("In", {}, {}, "",
                                                                 wire::Doc("a") + wire::Doc("b"))) +
                               wire::Doc("three") + Bytes(3, "name")) +
                  wire::Node("Z", {}, {}, "", wire::Doc("z") + wire::Doc("z"))));
  SetDocs(file, {"outer tag", "inner tag", "last"}, /*canonical=*/false);
  SetDocs(file, {"three", "b", "z"}, /*canonical=*/false);
  const std::string bare =
      Edited(file, {{NodeId(0), false, ""}, {NodeId(1), false, ""}, {NodeId(2), false, ""}});
  CHECK(bare == wire::Model(wire::Graph(
                    Bytes(1, Bytes(4, "N") + wire::Subgraph("body", wire::Node("In", {}, {})) +
                                 Bytes(3, "name")) +
                    wire::Node("Z", {}, {}))));
}

TEST_CASE("a graph in pieces") {
  const std::string node = wire::Node("N", {}, {}, "n");
  SetDocs(wire::Model(wire::Graph(node) + wire::Graph("") + wire::Graph(node + node)),
          {std::string(200, 'a'), "b", std::string(20000, 'c')});
}

TEST_CASE("an error of the visitor ends the visit") {
  const Scanned scanned =
      Value(Scan(wire::Model(wire::Graph(wire::Node("A", {}, {}) + wire::Node("B", {}, {})))));
  const std::vector<DocEdit> edits = {{NodeId(0), true, "a"}, {NodeId(1), true, "b"}};
  const Splices splices(scanned.model, edits);
  int visits = 0;
  CHECK_ERROR(splices.ForEach([&](const Splice&) {
    return ++visits == 2 ? absl::DataLossError("enough") : absl::OkStatus();
  }),
              kDataLoss, "enough");
  CHECK(visits == 2);
}

}  // namespace
}  // namespace onnx_hier
