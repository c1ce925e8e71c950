// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/learned_classes.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Modules of nodes and the tags that their metadata hold; "MODULE=CLASS" for each class learned.
std::string Learn(const std::vector<std::pair<std::string, std::string>>& nodes,
                  Evidence evidence = {}) {
  TestGraph model;
  ModulePaths paths;
  IdVector<NodeId, Assignment> assignments;
  for (const auto& [module, tag] : nodes) {
    const NodeId node = model.Node("Relu", {absl::StrCat("v", assignments.size())},
                                   {absl::StrCat("v", assignments.size() + 1)});
    if (!tag.empty()) model.Metadata(node, "hierarchy_tag", model.Keep(tag));
    Assignment assignment;
    assignment.primary = paths.Parse(module);
    assignment.method = Method::kNodeName;
    assignments.push_back(assignment);
  }
  LearnClasses(model.Build(), paths, assignments, evidence);
  std::string text;
  for (const auto& [path, class_name] : evidence.classes) {
    absl::StrAppend(&text, text.empty() ? "" : " ", paths.Tag(path), "=", class_name);
  }
  return text;
}

TEST_CASE("each part of a class tag stands for a module") {
  CHECK(Learn({{"encoder.layer.1.attention", "/Bert/Encoder/Layer.1/Attention"}}) ==
        "/=Bert /encoder=Encoder /encoder/layer.1=Layer /encoder/layer.1/attention=Attention");
}

TEST_CASE("a tag of another length, or another member, is not heard") {
  CHECK(Learn({{"encoder.layer.1.attention", "/Bert/Encoder/Layer.1"}}) == "");
  CHECK(Learn({{"encoder.layer.1.attention", "/Bert/Encoder/Layer.0/Attention"}}) == "");
}

TEST_CASE("classes on which tags do not agree are left out") {
  CHECK(Learn({{"a", "/Net/A"}, {"a", "/Net/B"}}) == "/=Net");
}

TEST_CASE("tags that are names of modules say no class") {
  CHECK(Learn({{"encoder.mlp", "/model/encoder/mlp"}}) == "");
}

TEST_CASE("what the file names itself stays") {
  Evidence evidence;
  evidence.classes = {{ModulePaths().root(), "my.Net"}};
  CHECK(Learn({{"a", "/Other/A"}}, evidence) == "/=my.Net /a=A");
}

}  // namespace
}  // namespace onnx_hier
