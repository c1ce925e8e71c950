// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/scanner.h"

#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Scan;
using testing::Scanned;
using testing::Value;
using wire::Bytes;
using wire::Number;

TEST_CASE("files that are commonly mistaken for models") {
  CHECK_ERROR(Scan(""), kInvalidArgument, "is empty");
  CHECK_ERROR(Scan("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), kInvalidArgument,
              "git lfs pull");
  CHECK_ERROR(Scan("ir_version: 8\ngraph {\n}\n"), kInvalidArgument, "is text");
  CHECK_ERROR(Scan("<html>\r\n\t</html>"), kInvalidArgument, "is text (HTML");
  CHECK_ERROR(Scan("<ir_version: 8>\ng (float x) => (float y) {}"), kInvalidArgument,
              "is text, not");
  CHECK_ERROR(Scan("\n {\"nodes\": []}"), kInvalidArgument, "is text (JSON");
  CHECK_ERROR(Scan(std::string(1000, '\0')), kDataLoss, "not an ONNX model");
  CHECK_ERROR(Scan(std::string("PK\x03\x05", 4) + std::string(100, '\x07')), kDataLoss,
              "not an ONNX model");
  CHECK_ERROR(Scan(std::string("PK\x03\x04", 4) + std::string(100, '\x07')), kInvalidArgument,
              "ZIP archive");
  CHECK_ERROR(Scan("\x1f\x8b\b"), kInvalidArgument, "compressed");
  CHECK_ERROR(Scan(Number(1, 8) + Bytes(8, Number(2, 17))), kInvalidArgument, "holds no graph");
}

TEST_CASE("a model may begin like a file of another format") {
  // Field 5, a number, and field 31, of four bytes. So begins a Zstandard file, too.
  const std::string start =
      "\x28\xb5\x2f\xfd\x01"
      "four";
  const std::string model = start + wire::Model(wire::Graph(wire::Node("Neg", {"x"}, {"y"})));
  CHECK_OK(Scan(model));
}

TEST_CASE("an error names the byte and the node") {
  const std::string bad = wire::Tag(3, 2) + "\x7F";
  const std::string node = Bytes(1, Bytes(3, "/enc/Add_3") + Bytes(4, "Add") + bad);
  const std::string file = wire::Model(wire::Graph(wire::Node("Neg", {"x"}, {"y"}) + node));
  const std::string at = absl::StrCat("byte ", file.find(bad) + 1, ": ");
  CHECK_ERROR(Scan(file), kDataLoss, at);
  CHECK_ERROR(Scan(file), kDataLoss, "(in node 1 '/enc/Add_3')");
  CHECK_ERROR(Scan(file), kDataLoss, "copy or export it again");
}

TEST_CASE("a name in an error steers no terminal") {
  // An escape sequence, a byte that is no text, a control character above ASCII, and a letter.
  const std::string name = "\x1B[31m\xFF\xC2\x9B\xC3\xA4";
  const std::string node = Bytes(1, Bytes(3, name) + wire::Tag(7, 2) + "\x7F");
  CHECK_ERROR(Scan(wire::Model(wire::Graph(node))), kDataLoss,
              "'\\x1b[31m\\xff\\xc2\\x9b\xC3\xA4'");
}

TEST_CASE("cut short at any byte, a model is refused or as if it ended there") {
  const std::string graph =
      wire::Node("If", {"c"}, {"y"}, "if",
                 wire::Subgraph("then_branch", wire::Node("Neg", {}, {})) + wire::Doc("text")) +
      wire::Initializer("w", {2}, "12345678") + wire::Input("c");
  const std::string file = wire::Model(wire::Graph(graph));
  for (size_t size = 0; size < file.size(); ++size) {
    const std::string part = file.substr(0, size);
    CAPTURE(size);
    onnx::ModelProto model;
    const bool readable = model.ParseFromString(part) && model.has_graph();
    CHECK(Scan(part).ok() == readable);
  }
}

TEST_CASE("no single changed byte can do harm") {
  const std::string file = wire::Model(wire::Graph(
      wire::Node(
          "If", {"c"}, {"y"}, "if",
          wire::Subgraph("then_branch", wire::Node("Neg", {"a"}, {"b"}, "n", wire::Doc("text"))) +
              wire::Doc("outer")) +
      wire::Initializer("w", {2}) + wire::Input("c")));
  size_t disagreements = 0;
  for (size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 10; ++bit) {
      std::string changed = file;
      changed[at] = bit < 8    ? static_cast<char>(changed[at] ^ 1 << bit)
                    : bit == 8 ? '\x7F'
                               : '\xFF';
      const absl::StatusOr<Scanned> scanned = Scan(changed);
      onnx::ModelProto model;
      const bool readable = model.ParseFromString(changed) && model.has_graph();
      // Some of protobuf's refusals are not ours: what it looks into and we skip unread. And where
      // a node's metadata_props appear, we know a field that onnx 1.12 does not.
      const bool newer = changed.find(wire::Tag(9, 2)) != std::string::npos;
      if (readable && !scanned.ok() && !newer) ++disagreements;
      if (readable && scanned.ok() &&
          testing::ModelText(scanned->model.graph) != testing::ModelText(model)) {
        ++disagreements;
      }
    }
  }
  CHECK(disagreements == 0);
}

// What two scans of one file have in common, or the error.
std::string Seen(const std::string& file, bool field_by_field, size_t threads = 1) {
  const absl::StatusOr<Scanned> scanned =
      Scan(file, {.threads = threads, .field_by_field = field_by_field});
  if (!scanned.ok()) return scanned.status().ToString();
  return testing::ModelText(scanned->model.graph) + testing::LayoutText(scanned->model);
}

TEST_CASE("a node that is read in one go is read as field by field, whatever is in it") {
  const std::string tensor = Number(1, 2) + Number(2, 1) + Bytes(8, "t");
  const std::string external =
      Number(2, 1) + Number(14, 1) + Bytes(13, Bytes(1, "location") + Bytes(2, "w"));
  const std::string rest[] = {
      wire::Attribute("axis", Number(3, 1) + Number(20, 2)) + wire::Doc("doc") + wire::Domain("d"),
      wire::Domain("d") + Bytes(8, "overload") + wire::Doc("late"),
      wire::Doc("one") + wire::Doc("two"),
      wire::Attribute("value", Bytes(5, tensor) + Number(20, 4)) + Bytes(9, Bytes(1, "key")),
      wire::Attribute("value", Bytes(5, external)) + wire::Attribute("other", Bytes(5, tensor)),
      wire::Attribute("values", Bytes(10, tensor) + Bytes(10, tensor)),
      wire::Attribute("alpha", wire::Fixed32(2) + Bytes(7, std::string(8, 'f'))),
      wire::Attribute("long", Bytes(4, std::string(5000, 's'))) + Bytes(1, std::string(300, 'i')),
      wire::Subgraph("body", wire::Node("Neg", {"a"}, {"b"}, "n", wire::Doc("text"))),
      Bytes(9, Bytes(1, "k") + Bytes(2, "v") + Bytes(2, "last")) + Number(6, 1),
      wire::Group(1, "") + Bytes(30, "unknown"),
      Bytes(2, "padded", 3) + wire::Tag(3, 2, 3) + std::string("\x01n"),
  };
  for (const std::string& fields : rest) {
    const std::string file =
        wire::Model(wire::Graph(wire::Node("Op", {"x", ""}, {"y"}, "/a/Op", fields)));
    REQUIRE(Seen(file, false) == Seen(file, true));
    if (file.size() > 1000) continue;
    for (size_t at = 0; at < file.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
        REQUIRE(Seen(changed, false) == Seen(changed, true));
      }
    }
  }
}

// As many as are read by several threads, some in graphs in others, some too large to be at hand.
TEST_CASE("many nodes are read alike on one thread and on several, plain ones and others") {
  const std::string tensor = Number(2, 1) + Bytes(8, "t") + Number(1, 3);
  const std::string external =
      Number(2, 1) + Number(14, 1) + Bytes(13, Bytes(1, "location") + Bytes(2, "w"));
  const std::string kinds[] = {
      "",
      wire::Attribute("value", Bytes(5, tensor) + Number(20, 4)) + wire::Doc("doc"),
      Bytes(9, Bytes(1, "k") + Bytes(2, "v")) + Bytes(9, Bytes(1, "l") + Bytes(2, "w")),
      wire::Attribute("value", Bytes(5, external)),
      wire::Domain("d") + Bytes(8, "overload"),
      wire::Subgraph(
          "body", wire::Node("If", {"a"}, {"b"}, "n",
                             wire::Subgraph("then_branch", wire::Node("Neg", {"b"}, {"c"}) +
                                                               wire::Node("Abs", {"c"}, {"d"})))),
      wire::Attribute("values", Bytes(10, tensor) + Bytes(10, external)) + Number(11, 1),
  };
  constexpr size_t kNodes = 6000;
  std::string nodes;
  std::string damaged;
  for (size_t i = 0; i < kNodes; ++i) {
    const size_t kind = i * i % 31 % std::size(kinds);
    std::string fields = kinds[i % 1000 < 900 ? kind : 0];
    if (i % 2000 == 1234) fields += wire::Attribute("long", Bytes(4, std::string(50000, 's')));
    const std::string number = std::to_string(i);
    const std::string node =
        wire::Node(i % 3 == 0 ? "Op" : "Op" + std::to_string(i % 50), {"y" + number, "w"},
                   {"y" + std::to_string(i + 1)}, "/a/Op_" + number, fields);
    nodes += node;
    if (i == 5000) damaged = nodes + wire::Node("Op", {}, {}, "wrong", "\x0A\x7F");
  }
  for (const std::string& file : {wire::Model(wire::Graph(nodes + wire::Initializer("w", {2}))),
                                  wire::Model(wire::Graph(damaged + nodes))}) {
    const std::string expected = Seen(file, true);
    CHECK((Seen(file, false) == expected));
    CHECK((Seen(file, false, 2) == expected));
    CHECK((Seen(file, false, 5) == expected));
  }
  CHECK(
      absl::StrContains(Seen(wire::Model(wire::Graph(damaged)), false, 3), "in node 5001 'wrong'"));
}

TEST_CASE("a thousand graphs in one another are read, one more is refused") {
  // The main graph is the first.
  const Scanned deepest = Value(Scan(wire::Model(wire::Graph(wire::NestedIfs(999, "")))));
  CHECK(deepest.model.graph.node_count() == 999);
  CHECK_ERROR(Scan(wire::Model(wire::Graph(wire::NestedIfs(1000, "")))), kResourceExhausted,
              "graphs nest more than 1000 deep");
  CHECK_ERROR(Scan(wire::Model(wire::Graph(wire::NestedIfs(3000, "")))), kResourceExhausted,
              "graphs nest more than 1000 deep");
}

TEST_CASE("nodes, attributes and graphs have the frames that an edit needs") {
  const std::string file = wire::Model(
      wire::Graph(wire::Node("If", {"c"}, {"y"}, "if",
                             wire::Subgraph("then_branch", wire::Node("Neg", {"a"}, {"b"}, "n")) +
                                 wire::Doc("outer") + wire::Domain("d"))));
  const Scanned scanned = Value(Scan(file));
  const ScannedModel& model = scanned.model;
  REQUIRE(model.frames.size() == 5);  // graph, node, attribute, graph, node
  for (size_t i = 0; i < model.frames.size(); ++i) {
    const Frame& frame = model.frames[i];
    CHECK(frame.parent == (i == 0 ? kNoFrame : i - 1));
    CHECK(frame.length_size == 1);
    CHECK(static_cast<uint8_t>(file[frame.begin - 1]) == frame.end - frame.begin);
  }
  const Frame& outer = model.frames[model.node_frames[NodeId(0)]];
  CHECK(file.substr(outer.doc_at, 7) == wire::Doc("outer"));
  const Frame& inner = model.frames[model.node_frames[NodeId(1)]];
  CHECK(inner.doc_at == inner.end);
  REQUIRE(model.doc_fields.size() == 1);
  CHECK(model.doc_fields[0].end - model.doc_fields[0].begin == wire::Doc("outer").size());
}

TEST_CASE("a new doc_string goes where the serializer would put it") {
  const std::string node =
      Bytes(1, Bytes(1, "x") + Bytes(4, "Op") + wire::Domain("d") + Number(50, 1));
  const std::string file = wire::Model(wire::Graph(node));
  const Scanned scanned = Value(Scan(file));
  CHECK(scanned.model.frames[1].doc_at == file.find(wire::Domain("d")));
}

TEST_CASE("attribute hashes: the order of attributes counts for nothing, all else does") {
  const auto hash = [](const std::string& fields) {
    const Scanned scanned =
        Value(Scan(wire::Model(wire::Graph(wire::Node("Op", {}, {}, "", fields)))));
    return scanned.model.graph.node(NodeId(0)).attribute_hash;
  };
  const std::string axis = wire::Attribute("axis", Number(3, 1) + Number(20, 2));
  const std::string other = wire::Attribute("alpha", wire::Fixed32(2) + Number(20, 1));
  CHECK(hash(axis + other) == hash(other + axis));
  CHECK(hash(axis) != hash(""));
  CHECK(hash(axis) != hash(other));
  CHECK(hash(axis) != hash(wire::Attribute("axis", Number(3, 2) + Number(20, 2))));
  CHECK(hash(axis) != hash(wire::Attribute("axes", Number(3, 1) + Number(20, 2))));
  // Also of attributes that are too long to be hashed in one go.
  for (const std::string& long_text : {std::string(), std::string(5000, 'x')}) {
    const auto permutation = [&](uint64_t first, uint64_t second) {
      return wire::Attribute("perm", Number(8, first) + Number(8, second) + Bytes(13, long_text));
    };
    CHECK(hash(permutation(0, 1)) == hash(permutation(0, 1)));
    CHECK(hash(permutation(0, 1)) != hash(permutation(1, 0)));
  }
}

TEST_CASE("external tensors are listed with their places") {
  const auto tensor = [](const std::string& name, const std::string& location) {
    return Number(2, 1) + Bytes(8, name) + Number(14, 1) +
           Bytes(13, Bytes(1, "offset") + Bytes(2, "16")) +
           Bytes(13, Bytes(2, location) + Bytes(1, "location"));
  };
  const Scanned scanned = Value(Scan(wire::Model(wire::Graph(
      wire::Node("Constant", {}, {}, "", wire::Attribute("value", Bytes(5, tensor("a", "one")))) +
      Bytes(5, tensor("b", "two")) + wire::Initializer("c", {2}, "12345678")))));
  REQUIRE(scanned.model.external_tensors.size() == 2);
  CHECK(scanned.model.external_tensors[0].place.location == "one");
  CHECK(scanned.model.external_tensors[1].name == "b");
}

TEST_CASE("weights are never read") {
  const std::string weights(32 << 20, 'w');
  const Scanned scanned = Value(Scan(wire::Model(
      wire::Graph(wire::Initializer("w", {8 << 20}, weights) + wire::Node("Neg", {"w"}, {"y"})))));
  CHECK_FALSE(scanned.image.IsLoaded(16 << 20, (16 << 20) + 1));
  CHECK(scanned.model.graph.node_count() == 1);
}

TEST_CASE("metadata of newer files: nodes, graphs, functions") {
  const auto entry = [](uint32_t field, const char* key) {
    return Bytes(field, Bytes(1, key) + Bytes(2, "v"));
  };
  const Scanned scanned = Value(Scan(
      wire::Model(wire::Graph(wire::Node("Op", {}, {}, "", Bytes(8, "over") + entry(9, "node")) +
                              entry(16, "graph")) +
                  wire::Function("d", "F", {}, {}, Bytes(13, "v2") + entry(14, "function")))));
  const Graph& graph = scanned.model.graph;
  CHECK(graph.op(NodeId(0)).overload == "over");
  REQUIRE(graph.metadata(NodeId(0)).size() == 1);
  CHECK(graph.metadata(NodeId(0))[0].key == "node");
  CHECK(graph.metadata(BlockId(0))[0].key == "graph");
  CHECK(graph.metadata(BlockId(1))[0].key == "function");
  CHECK(graph.block(BlockId(1)).overload == "v2");
}

}  // namespace
}  // namespace onnx_hier
