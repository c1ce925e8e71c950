// SPDX-License-Identifier: Apache-2.0

// Parts of models as libonnx's reader sees them: all modules of all of testdata.

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/onnx/model_text.h"
#include "tests/parts/checked_parts.h"
#include "tests/support/model_files.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::CheckPart;
using testing::CheckWhole;
using testing::MemoryFile;
using testing::NameSet;
using testing::NamesOf;
using testing::ParseModel;
using testing::Value;
using testing::Whole;
using testing::WithoutDocs;

// The same nodes, but for attributes, as they stand in a function or in a graph inside a node.
void CheckLifted(const Whole& whole, const Part& part, const std::string& bytes) {
  const onnx::ModelProto found = ParseModel(WithoutDocs(bytes));
  const Graph& graph = whole.model.graph();
  REQUIRE(static_cast<size_t>(found.graph().node_size()) == part.nodes.size());
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    const onnx::NodeProto& node = found.graph().node(static_cast<int>(i));
    CHECK(node.name() == graph.node(part.nodes[i]).name);
    CHECK(node.op_type() == graph.op(part.nodes[i]).type);
    for (const auto& attribute : node.attribute()) CHECK(attribute.ref_attr_name().empty());
  }
  CHECK(static_cast<size_t>(found.graph().initializer_size()) == part.parameters);
  CheckWhole(whole, part, found);
}

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

bool IsInMainGraph(const Whole& whole, const Part& part) {
  return part.graph == whole.model.graph().main_block();
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
      CHECK(part.ok() == !whole.hierarchy.Nodes(module).empty());
      if (!part.ok()) {
        CHECK(part.status().code() == absl::StatusCode::kFailedPrecondition);
        continue;
      }
      const std::string bytes = whole.Written(Value(whole.cutter.EditsOf(*part)));
      if (IsInMainGraph(whole, *part)) {
        CheckPart(whole, *part, bytes);
      } else {
        CheckLifted(whole, *part, bytes);
      }
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
  for (const std::string& path : testing::ModelFiles()) {
    CAPTURE(path);
    parts += CheckModules(Whole(path));
    ++models;
  }
  CHECK(models >= 27);
  CHECK(parts >= 650);
}

TEST_CASE("the whole model with the part's inputs and outputs given out") {
  const Whole whole(testing::InTestdata("bert_tiny.onnx"));
  const ModuleId layer = whole.hierarchy.Find("bert.encoder.layer.1");
  const Part part = Value(whole.cutter.Cut({.modules = {layer}}));
  const std::string bytes = whole.Written(Value(whole.cutter.ProbeEditsOf(part)));
  onnx::ModelProto found = ParseModel(WithoutDocs(bytes));
  onnx::ModelProto expected = whole.proto;
  NameSet given = NamesOf(expected.graph().output());
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
  CHECK(NamesOf(graph.input()) == NameSet{"c", "h"});
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

TEST_CASE("shapes of new inputs and outputs, in the names of the model's sizes") {
  const auto dim = [](const std::string& bytes) { return wire::Bytes(1, bytes); };
  const std::string shape = wire::Bytes(
      2, dim(wire::Bytes(2, "batch")) + dim(wire::Number(1, 4)) + dim(wire::Bytes(2, "length")));
  const std::string x =
      wire::Bytes(1, "x") + wire::Bytes(2, wire::Bytes(1, wire::Number(1, 1) + shape));
  const MemoryFile file(wire::Model(wire::Graph(
      wire::Node("Concat", {"x", "x"}, {"h"}, "/layer.0/Concat",
                 wire::Attribute("axis", wire::Number(3, 2) + wire::Number(20, 2))) +
      wire::Node("Relu", {"h"}, {"r"}, "/layer.1/Relu") +
      wire::Node("Neg", {"r"}, {"y"}, "/layer.2/Neg") + wire::Bytes(11, x) + wire::Output("y"))));
  const Whole whole(file.path());
  const ModuleId layer = whole.hierarchy.Find("layer.1");
  const Part part = Value(whole.cutter.Cut({.modules = {layer}}));
  const onnx::ModelProto found = ParseModel(whole.Written(Value(whole.cutter.EditsOf(part))));
  for (const auto& value : {found.graph().input(0), found.graph().output(0)}) {
    const onnx::TensorShapeProto& dims = value.type().tensor_type().shape();
    REQUIRE(dims.dim_size() == 3);
    CHECK(dims.dim(0).dim_param() == "batch");
    CHECK(dims.dim(1).dim_value() == 4);
    CHECK(dims.dim(2).dim_param() == "2*length");
  }
}

TEST_CASE("what both branches of an If have is a part in each of them") {
  const MemoryFile file(Small());
  const Whole whole(file.path());
  const ModuleId act = whole.hierarchy.Find("layer.1.act");
  CHECK(whole.cutter.CallsOf(act) == 2);
  const std::vector<BlockId> graphs = whole.cutter.GraphsOf({.modules = {act}});
  REQUIRE(graphs.size() == 2);
  const Graph& graph = whole.model.graph();
  CHECK(graph.BlockPath(graphs[0]) == "1/then_branch");
  CHECK(graph.BlockPath(graphs[1]) == "1/else_branch");
  CHECK(Value(whole.cutter.Cut({.modules = {act}})).graph == graphs[0]);
  CHECK(Value(whole.cutter.Cut({.modules = {act}, .call = 1})).graph == graphs[1]);
  CHECK(Value(whole.cutter.Cut({.modules = {act}, .graph = graphs[1]})).graph == graphs[1]);
  CHECK_ERROR(whole.cutter.Cut({.modules = {act}, .call = 2}), kInvalidArgument, "has no call 2");
  CHECK_ERROR(whole.cutter.Cut({.modules = {act}, .graph = graph.main_block()}), kInvalidArgument,
              "nothing that is asked for is in");
}

TEST_CASE("parts at nodes and between values") {
  const MemoryFile file(Small());
  const Whole whole(file.path());
  const Graph& graph = whole.model.graph();
  const auto value = [&](absl::string_view name) {
    for (ValueId id : graph.value_ids()) {
      if (graph.value(id).name == name && graph.value(id).block == graph.main_block()) return id;
    }
    return ValueId();
  };
  const absl::Span<const NodeId> nodes = graph.nodes(graph.main_block());
  const Part node = Value(whole.cutter.Cut({.modules = {}, .nodes = {nodes[1]}}));
  CHECK(node.inputs == std::vector<ValueId>{value("c"), value("h")});
  CHECK(node.outputs == std::vector<ValueId>{value("m")});
  PartRequest request;
  request.reach = Reach::kValues;
  request.inputs = {value("h")};
  request.outputs = {value("z")};
  const Part between = Value(whole.cutter.Cut(request));
  CHECK(between.nodes == std::vector<NodeId>{nodes[1], nodes[2]});
  CHECK(between.inputs == std::vector<ValueId>{value("c"), value("h")});
  CHECK(between.outputs == std::vector<ValueId>{value("z")});
  request.outputs = {};  // all that is given out and needs it
  CHECK(Value(whole.cutter.Cut(request)).outputs == std::vector<ValueId>{value("y")});
  request.inputs = {value("y")};
  CHECK_ERROR(whole.cutter.Cut(request), kFailedPrecondition, "nothing that is given out needs");
  request.reach = Reach::kFrom;
  CHECK_ERROR(whole.cutter.Cut(request), kFailedPrecondition, "is read by no node");
}

TEST_CASE("requests that no part answers") {
  // A value of somebody's operator, of which the model says nothing, nor of what is made of it.
  const MemoryFile mystery(wire::Model(
      wire::Graph(wire::Node("Mystery", {}, {"m"}, "/layer.0/Mystery", wire::Domain("somebody")) +
                  wire::Node("Relu", {"m"}, {"y"}, "/layer.1/Relu"))));
  const Whole unknown(mystery.path());
  const ModuleId layer = unknown.hierarchy.Find("layer.1");
  CHECK_ERROR(unknown.cutter.EditsOf(Value(unknown.cutter.Cut({.modules = {layer}}))),
              kFailedPrecondition, "the type of the value 'm' cannot be told");
  // A function that is not called, beside a graph without nodes.
  const MemoryFile bare(
      wire::Model(wire::Graph(wire::Input("x") + wire::Output("x")) +
                  wire::Function("local", "F", {"x"}, {"y"},
                                 wire::FunctionNode("Relu", {"x"}, {"y"}, "/layer.0/act/Relu"))));
  const Whole uncalled(bare.path());
  CHECK_ERROR(uncalled.cutter.Cut({.modules = {uncalled.hierarchy.Find("layer.0")}}),
              kFailedPrecondition,
              "nothing runs the nodes of /layer.0: the main graph has none, and node");
}

// Two calls of F, in which a module lies: with other weights, types and attributes each time.
std::string ModelWithFunction() {
  onnx::ModelProto model;
  model.set_ir_version(9);
  const auto import = [](auto* opset, const char* domain, int version) {
    opset->set_domain(domain);
    opset->set_version(version);
  };
  import(model.add_opset_import(), "", 17);
  import(model.add_opset_import(), "d", 1);
  const auto node = [](onnx::NodeProto* made, const char* op, const char* name,
                       const std::vector<std::string>& inputs, const char* output) {
    made->set_op_type(op);
    made->set_name(name);
    for (const std::string& input : inputs) made->add_input(input);
    made->add_output(output);
    return made;
  };
  const auto weight = [&](const char* name, onnx::TensorProto::DataType type) {
    onnx::TensorProto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    tensor->add_dims(2);
    tensor->set_raw_data(std::string(type == onnx::TensorProto::FLOAT ? 8 : 4, name[0]));
  };
  const auto value = [](onnx::ValueInfoProto* info, const char* name,
                        onnx::TensorProto::DataType type) {
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  };
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  value(graph.add_input(), "x", onnx::TensorProto::FLOAT);
  value(graph.add_input(), "h", onnx::TensorProto::FLOAT16);
  value(graph.add_output(), "y", onnx::TensorProto::FLOAT);
  value(graph.add_output(), "z", onnx::TensorProto::FLOAT16);
  weight("first.w", onnx::TensorProto::FLOAT);
  weight("second.w", onnx::TensorProto::FLOAT16);
  const auto call = [&](const char* input, const char* with, const char* output) {
    onnx::NodeProto* made = node(graph.add_node(), "F", "", {input, with}, output);
    made->set_domain("d");
    return made;
  };
  onnx::AttributeProto* alpha = call("x", "first.w", "y")->add_attribute();
  alpha->set_name("slope");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_f(0.25F);
  call("h", "second.w", "z");
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("F");
  function.set_domain("d");
  function.add_input("a");
  function.add_input("w");
  function.add_output("b");
  function.add_attribute("slope");
  import(function.add_opset_import(), "", 16);
  node(function.add_node(), "Relu", "/m/Relu", {"a"}, "r");
  onnx::NodeProto* leaky = node(function.add_node(), "LeakyRelu", "/m/act/LeakyRelu", {"r"}, "l");
  leaky->set_doc_string("kept");
  onnx::AttributeProto* reference = leaky->add_attribute();
  reference->set_name("alpha");
  reference->set_type(onnx::AttributeProto::FLOAT);
  reference->set_ref_attr_name("slope");
  node(function.add_node(), "Mul", "/m/fc/Mul", {"l", "w"}, "b");
  return model.SerializeAsString();
}

onnx::ModelProto CutOf(const Whole& whole, const char* module, std::optional<uint32_t> call) {
  const ModuleId id = whole.hierarchy.Find(module);
  const Part part = Value(whole.cutter.Cut({.modules = {id}, .call = call}));
  return ParseModel(whole.Written(Value(whole.cutter.EditsOf(part))));
}

TEST_CASE("a module in a function's body is cut out of one call of it") {
  const testing::TempFolder folder;
  const std::string path = folder.Write("m.onnx", ModelWithFunction());
  const Whole whole(path);
  const ModuleId fc = whole.hierarchy.Find("m.fc");
  CHECK(whole.cutter.CallsOf(fc) == 2);
  const onnx::ModelProto first = CutOf(whole, "m.fc", std::nullopt);
  REQUIRE(first.graph().node_size() == 1);
  CHECK(first.graph().node(0).name() == "/m/fc/Mul");
  CHECK(absl::StrContains(first.graph().node(0).doc_string(), "/m/fc"));
  REQUIRE(first.graph().initializer_size() == 1);
  CHECK(first.graph().initializer(0).name() == "w");
  CHECK(first.graph().initializer(0).raw_data() == "ffffffff");
  CHECK(first.graph().input(0).name() == "l");
  CHECK(first.graph().input(0).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(first.functions_size() == 0);
  CHECK(first.opset_import(0).version() == 16);
  const onnx::ModelProto second = CutOf(whole, "m.fc", 1);
  CHECK(second.graph().initializer(0).raw_data() == "ssss");
  CHECK(second.graph().output(0).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT16);
}

TEST_CASE("attributes of the call stand where the function refers to them") {
  const testing::TempFolder folder;
  const Whole whole(folder.Write("m.onnx", ModelWithFunction()));
  const onnx::NodeProto given = CutOf(whole, "m.act", 0).graph().node(0);
  REQUIRE(given.attribute_size() == 1);
  CHECK(given.attribute(0).name() == "alpha");
  CHECK(given.attribute(0).f() == 0.25F);
  CHECK(given.attribute(0).ref_attr_name().empty());
  CHECK(absl::StrContains(given.doc_string(), "\"doc_string\":\"kept\""));
  // A call that does not give it leaves it to the operator's default.
  CHECK(CutOf(whole, "m.act", 1).graph().node(0).attribute_size() == 0);
}

TEST_CASE("what has no place in the main graph has no probe") {
  const testing::TempFolder folder;
  const Whole whole(folder.Write("m.onnx", ModelWithFunction()));
  const Part part = Value(whole.cutter.Cut({.modules = {whole.hierarchy.Find("m.act")}}));
  CHECK_ERROR(whole.cutter.ProbeEditsOf(part), kFailedPrecondition, "there is no probe");
}

}  // namespace
}  // namespace onnx_hier
