#include "onnx_hier/transfer.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

Model Exported() {
  return Value(Model::FromBytes(wire::Model(
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
  const Model optimised = Value(Model::FromBytes(wire::Model(wire::Graph(
      wire::Input("x") + wire::Node("FusedGemm", {"x", "w", "b"}, {"r"}) +
      wire::Node("Softmax", {"r"}, {"y"}) + wire::Initializer("w", {2, 2}, std::string(16, 'w')) +
      wire::Initializer("b", {2}, std::string(8, 'b')) + wire::Output("y")))));
  const Annotation annotation = Value(AnnotateFrom(Exported(), optimised));
  CHECK(Lines(annotation) ==
        std::vector<std::string>{"/fc by transfer_region /act", "/head by transfer_value"});
  CHECK(annotation.assignments[NodeId(0)].confidence == 1);
}

TEST_CASE("the original of another model is refused, by how little both share") {
  const Model other = Value(Model::FromBytes(wire::Model(wire::Graph(
      wire::Input("z") + wire::Node("Exp", {"z"}, {"a"}, "/fc/Add") +
      wire::Node("Log", {"a"}, {"b"}) + wire::Node("Abs", {"b"}, {"c"}) + wire::Output("c")))));
  CHECK_ERROR(AnnotateFrom(Exported(), other), kFailedPrecondition, "of its 3 nodes and weights");
}

TEST_CASE("a model is its own original") {
  const Model model = Exported();
  const Annotation own = Annotate(model);
  const Annotation annotation = Value(AnnotateFrom(model, model));
  for (NodeId node : model.graph().node_ids()) {
    CHECK(annotation.paths.Tag(annotation.assignments[node].primary) ==
          own.paths.Tag(own.assignments[node].primary));
  }
}

}  // namespace
}  // namespace onnx_hier
