// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/earlier_tags.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/model.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

constexpr int kNodes = 12;

std::string Doc(const std::string& tag, const std::string& more) {
  return absl::StrCat("{\"hierarchy_tags\":[\"", tag, "\"],\"hierarchy_path\":\"", tag, "\"", more,
                      "}");
}

// As it is written of a node whose module was carried over from the model's original.
std::string Transferred(const std::string& tags) {
  const std::string first = tags.substr(0, tags.find(','));
  return absl::StrCat("{\"hierarchy_path\":", first,
                      ",\"hierarchy_method\":\"transfer_value\",\"hierarchy_confidence\":0.98,"
                      "\"hierarchy_tags\":[",
                      tags, "],\"hierarchy_count\":1}");
}

// A chain of nodes in /a, placed by name and tagged before, `wrong` of them with another module;
// then one that is placed in /b with `confidence`, and has `doc`. Where that one ends up, and how
// surely in percent.
std::string Recall(float confidence, const std::string& doc, int wrong = 0,
                   Method method = Method::kOrder, float least_containment = 0,
                   const std::string& wrong_doc = Doc("/c", "")) {
  std::vector<std::string> nodes;
  for (int i = 0; i <= kNodes; ++i) {
    nodes.push_back(wire::Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, "",
                               wire::Doc(i == kNodes ? doc
                                         : i < wrong ? wrong_doc
                                                     : Doc("/a", ""))));
  }
  std::string graph;
  for (const std::string& node : nodes) graph += node;
  const testing::MemoryFile file(wire::Model(wire::Graph(graph)));
  const Model model = testing::Value(Model::Open(file.path()));
  ModulePaths paths;
  Assignment known;
  known.primary = paths.Parse("a");
  known.method = Method::kNodeName;
  known.confidence = 1;
  NodeOwners owners(kNodes + 1);
  for (NodeId node : IdRange<NodeId>(kNodes)) owners.Decide(node, known);
  const Assignment& last = owners[NodeId(kNodes)];
  owners.Decide(NodeId(kNodes),
                {.primary = paths.Parse("b"), .confidence = confidence, .method = method});
  const bool changed =
      RecallEarlierTags(Flow(model.graph()), Evidence(), paths, Least(least_containment), owners);
  CHECK(changed == (last.method == Method::kEarlierTag || last.method == Method::kTransferValue));
  return absl::StrCat(paths.Tag(last.primary), " ", static_cast<int>(last.confidence * 100 + 0.5f));
}

TEST_CASE("an earlier tag counts as much as it claims") {
  CHECK(Recall(0.3f, Doc("/a/x", ",\"hierarchy_confidence\":0.98")) == "/a/x 98");
  CHECK(Recall(0.3f, Doc("/a/x", ",\"hierarchy_confidence\":0.2")) == "/b 30");
  CHECK(Recall(0.3f, Doc("/a/x", "")) == "/a/x 50");
  CHECK(Recall(0.6f, Doc("/a/x", "")) == "/b 60");
  CHECK(Recall(0.3f, "no tag") == "/b 30");
}

TEST_CASE("where nothing else names modules, tags are the hierarchy, another tool's among them") {
  const std::string metadata =
      wire::Bytes(9, wire::Bytes(1, "winml.hierarchy.tag") + wire::Bytes(2, "/Net/Block.1"));
  const testing::MemoryFile file(wire::Model(wire::Graph(
      wire::Node("Relu", {"x"}, {"y"}, "",
                 wire::Doc(Doc("/net/a", ",\"hierarchy_confidence\":0.98"))) +
      wire::Node("Exp", {"y"}, {"z"}, "", metadata) + wire::Node("Log", {"z"}, {"w"}))));
  const Model model = testing::Value(Model::Open(file.path()));
  const Annotation annotation = Annotate(model);
  const auto text = [&](size_t i) {
    const Assignment& assignment = annotation.assignments[NodeId(i)];
    return absl::StrCat(annotation.paths.Tag(assignment.primary), " ",
                        static_cast<int>(assignment.confidence * 100 + 0.5f));
  };
  CHECK(text(0) == "/net/a 98");
  CHECK(text(1) == "/Net/Block.1 50");
  CHECK(text(2) == "/ 3");
}

TEST_CASE("one that does not claim enough is not heard") {
  const std::string doc = Doc("/a/x", ",\"hierarchy_confidence\":0.6");
  CHECK(Recall(0.3f, doc, 0, Method::kOrder, 0.6f) == "/a/x 60");
  CHECK(Recall(0.3f, doc, 0, Method::kOrder, 0.7f) == "/b 30");
}

TEST_CASE("what this file has been given before is no news") {
  CHECK(Recall(0.43229f, Doc("/b", ",\"hierarchy_confidence\":0.4323")) == "/b 43");
}

TEST_CASE("names win, and so does what is sure") {
  const std::string doc = Doc("/a/x", ",\"hierarchy_confidence\":1.0");
  CHECK(Recall(0.3f, doc, 0, Method::kNodeName) == "/b 30");
  CHECK(Recall(0.3f, doc, 0, Method::kParameters) == "/b 30");
  CHECK(Recall(0.8f, doc) == "/b 80");
}

TEST_CASE("a tag that was carried over is heard over what was placed surely, but not over names") {
  const std::string doc = Transferred("\"/a/x\"");
  CHECK(Recall(0.9f, doc) == "/a/x 98");
  CHECK(Recall(0.99f, doc) == "/b 99");
  CHECK(Recall(0.3f, doc, 0, Method::kNodeName) == "/b 30");
  CHECK(Recall(0.3f, doc, 2) == "/b 30");
}

TEST_CASE("of a fused node, a tag that was carried over names the other module, too") {
  const std::string doc = Transferred("\"/a/x\"");
  const std::string fused = Transferred("\"/c\",\"/a\"");
  CHECK(Recall(0.3f, doc, 2, Method::kOrder, 0, fused) == "/a/x 98");
}

TEST_CASE("tags that are wrong where names tell are not heard") {
  const std::string doc = Doc("/a/x", ",\"hierarchy_confidence\":1.0");
  CHECK(Recall(0.3f, doc, 1) == "/a/x 92");
  CHECK(Recall(0.3f, doc, 2) == "/b 30");
}

}  // namespace
}  // namespace onnx_hier
