// SPDX-License-Identifier: Apache-2.0

// A graph and its tags in a few readable lines:
//
//   TaggedGraph model;
//   model.Node("Relu", {"x"}, {"y"}, "/layer.0/Relu", "/layer.1");
//   CHECK(model.Check() == "/layer.0/Relu: /layer.1 -> /layer.0\n");
#ifndef ONNX_HIER_TESTS_AUDIT_TAGGED_GRAPH_H_
#define ONNX_HIER_TESTS_AUDIT_TAGGED_GRAPH_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/check.h"
#include "onnx_hier/tags.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::testing {

class TaggedGraph {
 public:
  TestGraph& graph() { return graph_; }

  // `tag` "": none.
  NodeId Node(absl::string_view op, const TestGraph::Names& inputs, const TestGraph::Names& outputs,
              absl::string_view name, const std::string& tag) {
    const NodeId node = graph_.Node(op, inputs, outputs, name);
    texts_.push_back({tag});
    return node;
  }
  void AddAuxiliary(const std::string& tag) { texts_.back().push_back(tag); }

  const Graph& Build() {
    const Graph& graph = graph_.Build();
    tags_ = Tags(graph.node_count());
    tags_.source = TagSource::kDocStrings;
    for (size_t i = 0; i < texts_.size(); ++i) tags_.Set(NodeId(i), texts_[i]);
    return graph;
  }
  Tags& tags() { return tags_; }

  // A line for each finding: "NAME or id: ACTUAL -> EXPECTED", "!" at its end where it is
  // cross-module.
  std::string Check(const ModuleMap& map = {}) {
    const Graph& graph = Build();
    std::string text;
    for (const Finding& finding : FindContamination(graph, map, tags_)) {
      const absl::string_view name = graph.node(finding.node).name;
      absl::StrAppend(&text, name.empty() ? graph.NodePath(finding.node) : std::string(name), ": ",
                      tags_.Text(finding.node), " -> ", tags_.paths().Tag(finding.expected),
                      finding.kind == FindingKind::kCrossModule ? " !\n" : "\n");
    }
    return text;
  }

 private:
  TestGraph graph_;
  std::vector<std::vector<std::string>> texts_;
  Tags tags_;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_AUDIT_TAGGED_GRAPH_H_
