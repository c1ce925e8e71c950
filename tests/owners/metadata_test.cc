// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

NodeId Node(TestGraph& model, const std::string& op, const std::string& in, const std::string& out,
            const std::string& scopes) {
  const NodeId node = model.Node(op, {in}, {out}, absl::StrCat("node_", op));
  if (!scopes.empty()) {
    model.Metadata(node, "pkg.torch.onnx.name_scopes", model.Keep(scopes));
  }
  return node;
}

TEST_CASE("metadata names the module; a node without it is left open") {
  TestGraph model;
  Node(model, "Conv", "x", "a", "['', 'layer.0', 'layer.0.conv', 'conv2d']");
  Node(model, "Relu", "a", "b", "");
  Node(model, "Add", "b", "c", "['', 'add']");
  CHECK(Places(model.Build()) == "layer.0.conv | ? | ");
}

TEST_CASE("metadata says nothing of calls") {
  TestGraph model;
  Node(model, "Conv", "x", "a", "['', 'conv1', 'conv2d']");
  Node(model, "Relu", "a", "b", "['', 'relu', 'relu']");
  Node(model, "Conv", "b", "c", "['', 'conv2', 'conv2d_1']");
  Node(model, "Relu", "c", "d", "['', 'relu', 'relu_1']");
  CHECK(Places(model.Build()) == "conv1 | relu | conv2 | relu");
}

}  // namespace
}  // namespace onnx_hier
