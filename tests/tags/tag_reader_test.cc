// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/model.h"
#include "onnx_hier/tags.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_graph.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

// The tag of a node with that doc_string, its auxiliary tags behind it; "malformed" if it is.
std::string TagIn(const std::string& doc) {
  const testing::MemoryFile file(
      wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "n", wire::Doc(doc)))));
  const Model model = testing::Value(Model::Open(file.path()));
  const ReadTagsResult result = ReadTags(model.graph());
  if (!result.malformed.empty()) return "malformed";
  std::string text(result.tags.Text(NodeId(0)));
  for (PathId path : result.tags.auxiliary_of(NodeId(0))) {
    text += " " + result.tags.paths().Tag(path);
  }
  return text;
}

TEST_CASE("forms of doc_strings") {
  CHECK(TagIn(R"({"hierarchy_tags":["/a","/b"],"hierarchy_path":"/a","hierarchy_count":2})") ==
        "/a /b");
  CHECK(TagIn(R"({"hierarchy_tags": ["/b", "/a"], "hierarchy_path": "/a"})") == "/a /b");
  CHECK(TagIn(R"({"hierarchy_tags": ["/b", "/a"]})") == "/b /a");
  CHECK(TagIn(R"({"hierarchy_tag": "/Net/Block.0"})") == "/Net/Block.0");
  CHECK(TagIn(R"({"hierarchy_tags": []})") == "");
}

TEST_CASE("other doc_strings are left alone, broken ones are reported") {
  CHECK(TagIn("") == "");
  CHECK(TagIn("written by hand") == "");
  CHECK(TagIn(R"({"color": "red"})") == "");
  CHECK(TagIn(R"({"hierarchy_path": "/a")") == "malformed");
  CHECK(TagIn(R"({"hierarchy_tags": "/a"})") == "malformed");
  CHECK(TagIn(R"({"hierarchy_tags": [1]})") == "malformed");
}

TEST_CASE("tools differ in what they do with slashes") {
  const auto tag_in = [](absl::string_view tag) {
    return TagIn(absl::StrCat(R"({"hierarchy_tag": ")", tag, R"("})"));
  };
  CHECK(tag_in("//a//b.0/") == "/a/b.0");
  CHECK(tag_in("a/b") == "/a/b");
  CHECK(tag_in("/") == "/");
  CHECK(tag_in("///") == "/");
  // Names like others: a tag is no path in a file system.
  CHECK(tag_in("/a/./../b") == "/a/./../b");
  CHECK(tag_in("a//AuxiliaryOperations/") == "/a/AuxiliaryOperations");
}

TEST_CASE("a tag that is too long ends earlier") {
  Tags tags(3);
  std::string deep;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&deep, "/module.", i);
  tags.Set(NodeId(0), {{deep}});
  CHECK(tags.Text(NodeId(0)).size() <= ModulePaths::kLongest);
  CHECK(absl::StartsWith(deep, tags.Text(NodeId(0))));
  tags.Set(NodeId(1), {{"/a/" + std::string(1000, 'x')}});
  tags.Set(NodeId(2), {{"/a/" + std::string(1000, 'x') + "y"}});
  CHECK(tags.Text(NodeId(1)).size() <= ModulePaths::kLongest);
  CHECK(tags[NodeId(1)].primary != tags[NodeId(2)].primary);
}

TEST_CASE("the longest tag that paths make is read as it was written") {
  ModulePaths paths;
  const PathId list = paths.Child(paths.root(), std::string(1000, 'x'));
  const PathId path = paths.Child(paths.Child(list, "10"), std::string(240, 'y'));
  Tags tags(1);
  tags.Set(NodeId(0), {{paths.Tag(path)}});
  CHECK(tags.Text(NodeId(0)) == paths.Tag(path));
  CHECK(tags.paths().Tag(tags[NodeId(0)].primary) == paths.Tag(path));
  CHECK(tags.paths().depth(tags[NodeId(0)].primary) == 3);
}

TEST_CASE("metadata counts where no doc_string has a tag") {
  testing::TestGraph graph;
  graph.Metadata(graph.Node("Relu", {"x"}, {"y"}), "winml.hierarchy.tag", "/a/b.0");
  graph.Metadata(graph.Node("Relu", {"y"}, {"z"}), "namespace",
                 ": M/enc: E/enc.fc: L/linear: aten");
  graph.Node("Relu", {"z"}, {"w"});
  const ReadTagsResult result = ReadTags(graph.Build());
  CHECK(result.tags.source == TagSource::kMetadata);
  CHECK(result.tags.Text(NodeId(0)) == "/a/b.0");
  CHECK(result.tags.Text(NodeId(1)) == "/enc/fc");
  CHECK_FALSE(result.tags.has_tag(NodeId(2)));
}

TEST_CASE("two spellings of one path") {
  Tags tags(2);
  tags.Set(NodeId(0), {{"/layer1/layer1.0/conv"}});
  tags.Set(NodeId(1), {{"/layer1.0/conv"}});
  CHECK(tags[NodeId(0)].primary == tags[NodeId(1)].primary);
  CHECK(tags.Text(NodeId(0)) == "/layer1/layer1.0/conv");
}

}  // namespace
}  // namespace onnx_hier
