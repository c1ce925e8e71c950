// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

Model Exported() {
  return testing::Value(Model::FromBytes(wire::Model(
      wire::Graph(wire::Input("x") + wire::Node("MatMul", {"x", "fc.weight"}, {"m"}, "/fc/MatMul") +
                  wire::Node("Add", {"m", "fc.bias"}, {"a"}, "/fc/Add") +
                  wire::Node("Relu", {"a"}, {"r"}, "/act/Relu") +
                  wire::Node("Softmax", {"r"}, {"y"}, "/head/Softmax") +
                  wire::Initializer("fc.weight", {2, 2}, std::string(16, 'w')) +
                  wire::Initializer("fc.bias", {2}, std::string(8, 'b')) + wire::Output("y")))));
}

// "tag by method (auxiliary ...)", by node.
std::vector<std::string> Lines(const Annotation& annotation) {
  std::vector<std::string> lines;
  for (NodeId node : IdRange<NodeId>(annotation.assignments.size())) {
    const Assignment& assignment = annotation.assignments[node];
    std::string line = annotation.paths.Tag(assignment.primary) + " by " +
                       std::string(MethodName(assignment.method));
    for (PathId path : annotation.auxiliary_of(node)) line += " " + annotation.paths.Tag(path);
    lines.push_back(line);
  }
  return lines;
}

TEST_CASE("an optimised model without names gets its owners from the original") {
  const Model optimised = testing::Value(Model::FromBytes(wire::Model(wire::Graph(
      wire::Input("x") + wire::Node("FusedGemm", {"x", "w", "b"}, {"r"}) +
      wire::Node("Softmax", {"r"}, {"y"}) + wire::Initializer("w", {2, 2}, std::string(16, 'w')) +
      wire::Initializer("b", {2}, std::string(8, 'b')) + wire::Output("y")))));
  const Annotation annotation = testing::Value(AnnotateFrom(Exported(), optimised));
  CHECK(Lines(annotation) ==
        std::vector<std::string>{"/fc by transfer_region /act", "/head by transfer_value"});
  CHECK(annotation.assignments[NodeId(0)].confidence == 1);
}

TEST_CASE("the original of another model is refused, by how little both share") {
  const Model other = testing::Value(Model::FromBytes(wire::Model(wire::Graph(
      wire::Input("z") + wire::Node("Exp", {"z"}, {"a"}, "/fc/Add") +
      wire::Node("Log", {"a"}, {"b"}) + wire::Node("Abs", {"b"}, {"c"}) + wire::Output("c")))));
  CHECK_ERROR(AnnotateFrom(Exported(), other), kFailedPrecondition, "of its 3 nodes and weights");
}

// Two alike layers, as their order is turned around, with weights in a file beside the model.
std::string LayersFile(const testing::TempFolder& folder, const std::string& file,
                       const std::vector<std::string>& weights, const std::vector<char>& contents,
                       bool named) {
  std::string bytes;
  std::string fields = wire::Input("x");
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string scope = named ? "/" + std::to_string(i) + "/MatMul" : "";
    fields += wire::Node("MatMul", {"x", weights[i]}, {(named ? "y" : "z") + weights[i]}, scope);
    const auto entry = [](absl::string_view key, absl::string_view value) {
      return wire::Bytes(13, wire::Bytes(1, key) + wire::Bytes(2, value));
    };
    fields += wire::Bytes(5, wire::Number(1, 16) + wire::Number(1, 16) + wire::Number(2, 1) +
                                 wire::Bytes(8, weights[i]) + wire::Number(14, 1) +
                                 entry("location", file + ".bin") +
                                 entry("offset", std::to_string(bytes.size())));
    bytes += std::string(1024, contents[i]);
  }
  folder.Write(file + ".bin", bytes);
  return folder.Write(file + ".onnx", wire::Model(wire::Graph(fields)));
}

TEST_CASE("weights in data files tell what names do not") {
  const testing::TempFolder folder;
  const Model original = testing::Value(
      Model::Open(LayersFile(folder, "exported", {"0.weight", "1.weight"}, {'v', 'w'}, true)));
  const std::string path = LayersFile(folder, "optimised", {"a", "b"}, {'w', 'v'}, false);
  const Model optimised = testing::Value(Model::Open(path));
  std::vector<std::string> warnings;
  const Annotation annotation = testing::Value(AnnotateFrom(original, optimised, {}, &warnings));
  CHECK(Lines(annotation) ==
        std::vector<std::string>{"/1 by transfer_parameter", "/0 by transfer_parameter"});
  CHECK(warnings.empty());

  std::filesystem::remove(folder.path() + "/optimised.bin");
  CHECK_ERROR(AnnotateFrom(original, optimised, {}, &warnings), kFailedPrecondition,
              "was not made from this original");
  CHECK(warnings == std::vector<std::string>{"external data of the model could not be read: "
                                             "'optimised.bin': No such file or directory"});
}

TEST_CASE("a model is its own original") {
  const Model model = Exported();
  const Annotation own = Annotate(model);
  const Annotation annotation = testing::Value(AnnotateFrom(model, model));
  for (NodeId node : model.graph().node_ids()) {
    CHECK(annotation.paths.Tag(annotation.assignments[node].primary) ==
          own.paths.Tag(own.assignments[node].primary));
  }
}

}  // namespace
}  // namespace onnx_hier
