// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/doc_string.h"

#include <optional>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "lib/base/utf8.h"
#include "nlohmann/json.hpp"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::BuildModules;
using testing::Place;
using testing::TestGraph;

TEST_CASE("the text, key by key") {
  TestGraph model;
  for (int i = 0; i < 3; ++i) model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"encoder.layer.0", "", "act"});
  annotation.auxiliary = {annotation.paths.Parse("encoder"), annotation.paths.Parse("act")};
  annotation.assignments[NodeId(1)].auxiliary = {0, 2};
  annotation.assignments[NodeId(1)].method = Method::kLocality;
  annotation.assignments[NodeId(1)].confidence = 0.5f;
  annotation.assignments[NodeId(2)].call = 1;
  BuildModules(graph, annotation);
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  CHECK(writer.Text(NodeId(0), std::nullopt) ==
        R"({"hierarchy_path":"/encoder/layer.0","hierarchy_method":"node_name",)"
        R"("hierarchy_confidence":1.0,"hierarchy_tags":["/encoder/layer.0"],"hierarchy_count":1})");
  CHECK(writer.Text(NodeId(1), "was") ==
        R"({"hierarchy_path":"/","hierarchy_method":"locality","hierarchy_confidence":0.5,)"
        R"("hierarchy_tags":["/","/encoder","/act"],"hierarchy_count":3,"doc_string":"was"})");
  CHECK(writer.Text(NodeId(2), std::nullopt) ==
        R"({"hierarchy_path":"/act","hierarchy_method":"node_name","hierarchy_confidence":1.0,)"
        R"("hierarchy_tags":["/act"],"hierarchy_count":1,"hierarchy_call":1})");
}

TEST_CASE("what stood there before comes back byte for byte") {
  TestGraph model;
  model.Node("A", {}, {});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"m\"\\\xC3\xA4"});
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  const std::vector<std::string> originals = {
      "",
      "plain",
      "two\nlines \"quoted\" \\ \t",
      "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82",
      std::string("\0null", 5),
      "\xFF\xFE not text",
      std::string("\xC3\x00", 2),
      std::string(300, '\x80'),
      "{\"hierarchy_tags\":[\"/x\"],\"hierarchy_path\":\"/x\",\"hierarchy_count\":1,"
      "\"hierarchy_method\":\"direct\"}",
      std::string(100000, '['),
  };
  for (const std::string& original : originals) {
    const std::string text(writer.Text(NodeId(0), original));
    CHECK(IsUtf8(text));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(nlohmann::json::accept(text));
    const OriginalDoc read = ReadOriginalDoc(text);
    CHECK(read.written_by_us);
    CHECK(read.present);
    CHECK((read.text == original));
    const bool plain = IsUtf8(original);
    CHECK((text.find("\"doc_string\":") != std::string::npos) == plain);
    CHECK((text.find("\"doc_string_base64\":") != std::string::npos) == !plain);
  }
  const OriginalDoc none = ReadOriginalDoc(writer.Text(NodeId(0), std::nullopt));
  CHECK(none.written_by_us);
  CHECK_FALSE(none.present);
}

TEST_CASE("what a node had for a name before it was given one") {
  TestGraph model;
  for (int i = 0; i < 2; ++i) model.Node("A", {}, {});
  const Annotation annotation = Place(model.Build(), {"fc", "fc"});
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  const std::string plain(writer.Text(NodeId(0), std::nullopt));
  const std::string begin = plain.substr(0, plain.size() - 1);
  const absl::string_view none = writer.Text(NodeId(0), std::nullopt, NameBefore::kNone);
  CHECK(none == begin + R"(,"name":null})");
  CHECK(writer.Text(NodeId(0), "was", NameBefore::kEmpty) ==
        begin + R"(,"name":"","doc_string":"was"})");
  CHECK(writer.Text(NodeId(1), std::nullopt) == plain);
  CHECK(writer.Text(NodeId(1), std::nullopt, NameBefore::kNone).data() == none.data());
  // Read with and without the parser, which spaces are left to.
  for (const char* after_comma : {"", " "}) {
    const auto read = [&](const std::string& rest) {
      return ReadOriginalDoc(begin + "," + after_comma + rest + "}").name;
    };
    CHECK(read(R"("name":null)") == NameBefore::kNone);
    CHECK(read(R"("name":"")") == NameBefore::kEmpty);
    CHECK(read(R"("name":"other")") == NameBefore::kSame);
    CHECK(read(R"("doc_string":"was")") == NameBefore::kSame);
  }
}

TEST_CASE("texts of earlier versions, whose keys had another order") {
  const OriginalDoc read = ReadOriginalDoc(
      R"({"hierarchy_tags":["/a"],"hierarchy_path":"/a","hierarchy_count":1,)"
      R"("hierarchy_method":"x","hierarchy_confidence":1.0,"name":null,"doc_string":"was"})");
  CHECK(read.written_by_us);
  CHECK(read.name == NameBefore::kNone);
  CHECK(read.text == "was");
}

TEST_CASE("only our own texts are taken for our own") {
  const char* kOthers[] = {
      "",
      "{",
      "text",
      R"({"hierarchy_tags":[)",
      R"({"hierarchy_tags":["/a"]})",
      R"({"hierarchy_tags":["/a"],"hierarchy_path":"/a","hierarchy_count":1,)"
      R"("hierarchy_method":"x"})",
      R"({"hierarchy_path":"/a","hierarchy_tags":["/a"]})",
      R"({"hierarchy_tags":["/a"],"hierarchy_path":"/a","hierarchy_count":1,)"
      R"("hierarchy_method":"x","hierarchy_confidence":1.0)",
      R"({"hierarchy_path":"/a","hierarchy_method":"x","hierarchy_confidence":1.0,)"
      R"("hierarchy_tags":["/a"],"hierarchy_count":1} and more)",
  };
  for (const char* text : kOthers) {
    CAPTURE(text);
    CHECK_FALSE(ReadOriginalDoc(text).written_by_us);
  }
  CHECK_FALSE(ReadOriginalDoc("{\"hierarchy_tags\":[" + std::string(1000000, '[')).written_by_us);
}

// 256 as bytes begins with a 0, which a key made of bytes must not take for something else.
TEST_CASE("nodes share a text only if all that it shows is the same") {
  TestGraph model;
  for (int i = 0; i < 4; ++i) model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"a", "a", "a", "a"});
  const PathId other = annotation.paths.Parse("b");
  const PathId first(1);
  REQUIRE(annotation.paths.Tag(first) == "/a");
  annotation.auxiliary = {other, first, other};
  annotation.assignments[NodeId(0)].call = 256;
  annotation.assignments[NodeId(0)].auxiliary = {0, 1};
  annotation.assignments[NodeId(1)].auxiliary = {1, 3};
  BuildModules(graph, annotation);
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  const auto json = [&](size_t node) {
    return nlohmann::json::parse(std::string(writer.Text(NodeId(node), std::nullopt)));
  };
  CHECK(json(0)["hierarchy_call"] == 256);
  CHECK(json(0)["hierarchy_count"] == 2);
  CHECK(json(1)["hierarchy_call"] == 0);
  CHECK(json(1)["hierarchy_count"] == 3);
  CHECK(writer.Text(NodeId(2), std::nullopt).data() == writer.Text(NodeId(3), std::nullopt).data());
}

}  // namespace
}  // namespace onnx_hier
