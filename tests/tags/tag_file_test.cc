// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "doctest/doctest.h"
#include "onnx_hier/tags.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Value;

const char kSidecar[] = R"({"schema": "onnx-hier/sidecar", "schema_version": 1,
  "generator": {}, "model": {"graph_name": ""},
  "modules": [{"path": "/", "qualified_name": "", "class": "m.Net", "parent": null},
              {"path": "/a", "qualified_name": "a", "class": null, "parent": "/"}],
  "nodes": [
    {"id": "0", "name": "n", "op_type": "Relu", "output": "y", "tag": "/a", "auxiliary": ["/"],
     "method": "node_name", "confidence": 0.5, "call": 1},
    {"id": "7", "name": "", "op_type": "Abs", "output": "z", "tag": "/a", "auxiliary": [],
     "method": "node_name", "confidence": 1.0, "call": 0}],
  "summary": {"nodes": 2}})";

void Add(TagFile& file, const char* id, const char* name, const char* output,
         const char* op_type = "") {
  TagEntry entry;
  entry.id = id;
  entry.name = name;
  entry.output = output;
  entry.op_type = op_type;
  file.entries.push_back(entry);
}

TEST_CASE("our sidecar") {
  const TagFile file = Value(ParseTagFile(kSidecar));
  CHECK(file.is_sidecar);
  CHECK(file.problems.empty());
  REQUIRE(file.entries.size() == 2);
  CHECK(file.entries[0].tags == TagList{"/a", "/"});
  CHECK(file.entries[0].call == 1);
  CHECK(file.entries[0].confidence == 0.5);
  REQUIRE(file.classes.size() == 1);
  CHECK(file.classes[0].class_name == "m.Net");
}

TEST_CASE("sidecars of the version before are read, and none of a later one") {
  const auto parse = [](const char* version) {
    return ParseTagFile(absl::StrReplaceAll(
        kSidecar, {{R"("schema_version": 1)", absl::StrCat(R"("schema_version": )", version)}}));
  };
  CHECK(Value(parse("0")).problems == std::vector<std::string>{"schema_version is not 1 to 2"});
  CHECK(Value(parse("1")).problems.empty());
  CHECK(Value(parse("2")).problems.empty());
  for (const char* newer : {"3", "2.5", "18446744073709551618"}) {
    CHECK_ERROR(parse(newer), kInvalidArgument, "was made by a newer version");
  }
  for (const char* none : {"1.5", "-1", "\"2\"", "null"}) {
    CHECK_ERROR(parse(none), kInvalidArgument, "its schema_version is not 1 to 2");
  }
}

TEST_CASE("what breaks the schema is said, and the rest is read") {
  const TagFile file = Value(ParseTagFile(R"({"schema": "onnx-hier/sidecar", "schema_version": 0,
    "modules": [{"path": "a"}, {"path": "/b", "parent": "/"}],
    "nodes": [{"id": "0", "tag": "/c", "confidence": 7}, 5]})"));
  CHECK(file.entries.size() == 1);
  CHECK(file.problems.size() >= 10);
}

TEST_CASE("other tools' files") {
  const TagFile file = Value(ParseTagFile(
      R"({"title": "x", "nodes": {"n": "/Net/A.0", "m": {"hierarchy_path": "/Net"}, "o": ""}})"));
  CHECK_FALSE(file.is_sidecar);
  REQUIRE(file.entries.size() == 2);
  CHECK(file.entries[0].name == "m");
  CHECK(file.entries[0].tags == TagList{"/Net"});
  CHECK(Value(ParseTagFile(R"({"n": "/Net/A.0"})")).entries.size() == 1);
  CHECK_ERROR(ParseTagFile("[]"), kInvalidArgument, "not a JSON object");
  CHECK_ERROR(ParseTagFile("{"), kInvalidArgument, "not a JSON object");
  CHECK_ERROR(ParseTagFile(R"({"n": 1})"), kInvalidArgument, "no tags");
  const TagFile named = Value(ParseTagFile(R"({"n": "net.layer.0"})"));
  CHECK(named.entries[0].tags == TagList{"/net/layer.0"});
  CHECK_ERROR(ParseTagFile(R"({"n": "net", "o": "a text"})"), kInvalidArgument, "no tags");
}

TEST_CASE("entries find their nodes by id, output or name, and nothing is lost") {
  testing::TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "n");
  model.Node("Neg", {"y"}, {"z"});
  model.Node("Neg", {"z"}, {"w"}, "twice");
  model.Node("Neg", {"w"}, {"v"}, "twice");
  const Graph& graph = model.Build();
  TagFile file = Value(ParseTagFile(kSidecar));
  TagEntry by_name;
  by_name.name = "twice";
  file.entries.push_back(by_name);
  const TagMatches matches = MatchTags(graph, file);
  CHECK(matches.nodes == std::vector<NodeId>{NodeId(0), NodeId(1), NodeId()});
  CHECK(matches.by_id == 1);
  CHECK(matches.by_output == 1);
  CHECK(matches.by_name == 0);
  // Abs became Neg; `twice` means no one node; two nodes have no entry.
  CHECK(matches.problems.size() == 4);
  const Tags tags = TagsOf(graph, file, matches);
  CHECK(tags.CountTagged() == 2);
  CHECK(tags.Text(NodeId(1)) == "/a");
}

TEST_CASE("what other models have, too, is meant only with the same output and operator") {
  testing::TestGraph model;
  model.Node("Relu", {"x"}, {"12"}, "Relu_3");
  model.Node("Constant", {}, {"13"}, "Constant_4");
  model.Node("Add", {"12", "13"}, {"14"}, "/fc/Add");
  for (int i = 0; i < 20; ++i) model.Node("Relu", {"14"}, {absl::StrCat("r", i)});
  const Graph& graph = model.Build();
  TagFile file;
  Add(file, "7", "Relu_3", "20", "Relu");     // by a name that each model has
  Add(file, "8", "Constant_9", "13", "Add");  // by a number, of another operator
  Add(file, "9", "/fc/Add", "30", "Add");
  TagMatches matches = MatchTags(graph, file);
  CHECK(matches.nodes == std::vector<NodeId>{NodeId(), NodeId(), NodeId(2)});
  CHECK(CheckMatches(graph, "m", file, matches).ok());
  for (int i = 0; i < 20; ++i) Add(file, "", "", "99", "Add");
  matches = MatchTags(graph, file);
  CHECK(CheckMatches(graph, "m", file, matches).message() ==
        "only 1 of its 23 entries match one of the 23 nodes of m: it was made for another model");
}

// The model may have been given names since, or the entries may be of one that was.
TEST_CASE("where one of both has no name, the output says whether the node is meant") {
  testing::TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "Relu_0");
  model.Node("Neg", {"y"}, {"z"});
  model.Node("Neg", {"z"}, {"w"});
  TagFile file;
  Add(file, "0", "", "y");
  Add(file, "1", "Neg_1", "z");
  Add(file, "2", "Neg_2", "another");
  const TagMatches matches = MatchTags(model.Build(), file);
  CHECK(matches.nodes == std::vector<NodeId>{NodeId(0), NodeId(1), NodeId()});
  CHECK(matches.by_id == 2);
}

TEST_CASE("bytes that are no UTF-8 are met by what JSON has for them") {
  testing::TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "a\xff");
  model.Node("Neg", {"y"}, {"z\xfe"});
  model.Node("Abs", {"x"}, {"w"}, "b\xff");
  TagFile file;
  Add(file, "0", "a\uFFFD", "y");
  Add(file, "1", "", "z\uFFFD");
  Add(file, "2", "a\uFFFD", "w2");  // another's name
  const TagMatches matches = MatchTags(model.Build(), file);
  CHECK(matches.nodes == std::vector<NodeId>{NodeId(0), NodeId(1), NodeId()});
  CHECK(matches.by_id == 2);
}

}  // namespace
}  // namespace onnx_hier
