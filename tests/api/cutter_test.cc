// Parts of models as libonnx's reader sees them: all modules of all of testdata.

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/api/checked_parts.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::CheckPart;
using testing::MemoryFile;
using testing::Names;
using testing::NamesOf;
using testing::ParseModel;
using testing::Value;
using testing::Whole;
using testing::WithoutDocs;

// What libonnx's checker says of a part of a model of which it says nothing. It insists on shapes
// of inputs and outputs, which nobody knows.
std::string CheckerSays(const std::string& bytes) {
  onnx::ModelProto model = ParseModel(bytes);
  const auto add_shape = [](onnx::ValueInfoProto& value) {
    CHECK(value.type().value_case() != onnx::TypeProto::VALUE_NOT_SET);
    if (value.type().has_tensor_type()) {
      CHECK(value.type().tensor_type().elem_type() > 0);
      value.mutable_type()->mutable_tensor_type()->mutable_shape();
    }
  };
  for (auto& value : *model.mutable_graph()->mutable_input()) add_shape(value);
  for (auto& value : *model.mutable_graph()->mutable_output()) add_shape(value);
  try {
    onnx::checker::check_model(model);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

bool IsInMainGraph(const Whole& whole, ModuleId module) {
  const Graph& graph = whole.model.graph();
  const absl::Span<const NodeId> nodes = whole.hierarchy.Nodes(module);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId node) { return graph.node(node).block == graph.main_block(); });
}

// Each run of each module, and all of them together; how many parts that were.
size_t CheckModules(const Whole& whole) {
  const bool is_known = CheckerSays(whole.Written(Edits())).empty();
  size_t parts = 0;
  for (ModuleId module : whole.annotation.modules.ids()) {
    CAPTURE(whole.TagOf(module));
    std::vector<PartRequest> requests = {{.modules = {module}}};
    const uint32_t calls = whole.cutter.CallsOf(module);
    for (uint32_t call = 0; calls > 1 && call < calls; ++call) {
      requests.push_back({.modules = {module}, .call = call});
    }
    if (module.index() % 7 == 1) {
      requests.push_back({.modules = {module}, .reach = Reach::kUpTo});
      requests.push_back({.modules = {module}, .reach = Reach::kFrom});
    }
    for (const PartRequest& request : requests) {
      const absl::StatusOr<Part> part = whole.cutter.Cut(request);
      CHECK(part.ok() == IsInMainGraph(whole, module));
      if (!part.ok()) {
        CHECK(part.status().code() == absl::StatusCode::kFailedPrecondition);
        continue;
      }
      const std::string bytes = whole.Written(Value(whole.cutter.EditsOf(*part)));
      CheckPart(whole, *part, bytes);
      if (is_known) CHECK(CheckerSays(bytes) == "");
      ++parts;
    }
    CHECK_ERROR(whole.cutter.Cut({.modules = {module}, .call = calls}), kInvalidArgument,
                absl::StrCat("has no call ", calls));
  }
  return parts;
}

TEST_CASE("every module of every model in testdata") {
  size_t models = 0;
  size_t parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONNX_HIER_TESTDATA)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    CAPTURE(path);
    parts += CheckModules(Whole(path));
    ++models;
  }
  CHECK(models >= 27);
  CHECK(parts >= 650);
}

TEST_CASE("the whole model with the part's inputs and outputs given out") {
  const Whole whole(absl::StrCat(ONNX_HIER_TESTDATA, "/bert_tiny.onnx"));
  const ModuleId layer = whole.hierarchy.Find("bert.encoder.layer.1");
  const Part part = Value(whole.cutter.Cut({.modules = {layer}}));
  const std::string bytes = whole.Written(whole.cutter.ProbeEditsOf(part));
  onnx::ModelProto found = ParseModel(WithoutDocs(bytes));
  onnx::ModelProto expected = whole.proto;
  Names given = NamesOf(expected.graph().output());
  for (const std::string& name : whole.NamesOf(part.inputs)) given.insert(name);
  for (const std::string& name : whole.NamesOf(part.outputs)) given.insert(name);
  CHECK(NamesOf(found.graph().output()) == given);
  CHECK(static_cast<size_t>(found.graph().output_size()) == given.size());
  CHECK(CheckerSays(bytes) == "");
  found.mutable_graph()->clear_output();
  expected.mutable_graph()->clear_output();
  CHECK(found.SerializeAsString() == expected.SerializeAsString());
}

// Inputs x and y, a layer whose branch reads a value of another layer, a training graph, and
// annotations of values that stay and go.
std::string Small() {
  const auto info = [](const std::string& name) {
    const std::string shape = wire::Bytes(2, wire::Bytes(1, wire::Number(1, 3)));
    return wire::Bytes(1, name) + wire::Bytes(2, wire::Bytes(1, wire::Number(1, 1) + shape));
  };
  const auto annotation = [](const std::string& name) {
    return wire::Bytes(14, wire::Bytes(1, name));
  };
  const std::string branch =
      wire::Node("Neg", {"h"}, {"t"}, "/layer.1/act/Neg") + wire::Bytes(12, info("t"));
  return wire::Model(wire::Graph(
             wire::Node("Relu", {"x"}, {"h"}, "/layer.0/Relu") +
             wire::Node(
                 "If", {"c"}, {"m"}, "/layer.1/If",
                 wire::Subgraph("then_branch", branch) + wire::Subgraph("else_branch", branch)) +
             wire::Node("Mystery", {"m"}, {"z"}, "/layer.2/Mystery", wire::Domain("somebody")) +
             wire::Node("Split", {"z"}, {"y", "w"}, "/layer.3/Split") + wire::Bytes(11, info("x")) +
             wire::Bytes(11, info("c")) + wire::Bytes(12, info("y")) + wire::Bytes(13, info("h")) +
             wire::Bytes(13, info("m")) + annotation("h") + annotation("y"))) +
         wire::Training(wire::Algorithm(wire::Node("Sub", {"x", "x"}, {"s"})));
}

TEST_CASE("what is said of values goes with them; training stays behind") {
  const MemoryFile file(Small());
  const Whole whole(file.path());
  const ModuleId layer = whole.hierarchy.Find("layer.1");
  const Part part = Value(whole.cutter.Cut({.modules = {layer}}));
  const onnx::ModelProto found = ParseModel(whole.Written(Value(whole.cutter.EditsOf(part))));
  const onnx::GraphProto& graph = found.graph();
  CHECK(NamesOf(graph.input()) == Names{"c", "h"});
  // The model's own inputs come first; what was said of a new one is said there, and only there.
  CHECK(graph.input(1).type().tensor_type().shape().dim_size() == 1);
  CHECK(graph.output(0).type().tensor_type().shape().dim_size() == 1);
  CHECK(graph.value_info_size() == 0);
  REQUIRE(graph.quantization_annotation_size() == 1);
  CHECK(graph.quantization_annotation(0).tensor_name() == "h");
  CHECK(found.training_info_size() == 0);
  REQUIRE(found.metadata_props_size() == 1);
  CHECK(found.metadata_props(0).key() == "onnx_hier.part");
  CHECK(absl::StrContains(found.metadata_props(0).value(), R"("modules":["/layer.1"])"));
  CHECK(absl::StrContains(found.metadata_props(0).value(), R"("reach":"modules")"));
}

TEST_CASE("requests that no part answers") {
  const MemoryFile file(Small());
  const Whole whole(file.path());
  const auto cut = [&](const char* module) {
    return whole.cutter.Cut({.modules = {whole.hierarchy.Find(module)}});
  };
  CHECK_ERROR(cut("layer.1.act"), kFailedPrecondition,
              "are inside of node 1 '/layer.1/If' (If): take the module that it belongs to, "
              "/layer.1");
  // A value of somebody's operator, of which the model says nothing, nor of what is made of it.
  const MemoryFile mystery(wire::Model(
      wire::Graph(wire::Node("Mystery", {}, {"m"}, "/layer.0/Mystery", wire::Domain("somebody")) +
                  wire::Node("Relu", {"m"}, {"y"}, "/layer.1/Relu"))));
  const Whole unknown(mystery.path());
  const ModuleId layer = unknown.hierarchy.Find("layer.1");
  CHECK_ERROR(unknown.cutter.EditsOf(Value(unknown.cutter.Cut({.modules = {layer}}))),
              kFailedPrecondition, "the type of the value 'm' cannot be told");
}

}  // namespace
}  // namespace onnx_hier
