// Parts of models as libonnx's reader sees them: all modules of all of testdata.

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::ParseModel;
using testing::TempFolder;
using testing::Value;
using testing::WithoutDocs;

using Names = std::set<std::string>;

// A model with all that parts are cut with.
struct Whole {
  explicit Whole(const std::string& path)
      : model(Value(Model::Open(path))),
        annotation(Annotate(model)),
        hierarchy(model.graph(), annotation),
        cutter(Value(Cutter::For(model, hierarchy))),
        proto(ParseModel(WithoutDocs(testing::ReadFile(path)))) {}

  std::string Written(const Edits& edits) const {
    const MemoryFile file("");
    CHECK_OK(Write(model, edits, Destination::Stream(file.fd())));
    return file.Read();
  }
  std::string TagOf(ModuleId module) const {
    return annotation.paths.Tag(annotation.modules.module(module).path);
  }
  Names NamesOf(const std::vector<ValueId>& values) const {
    Names names;
    for (ValueId id : values) names.emplace(model.graph().value(id).name);
    return names;
  }

  const Model model;
  const Annotation annotation;
  const Hierarchy hierarchy;
  const Cutter cutter;
  const onnx::ModelProto proto;
};

// Calls `visit` with each name that the node, or a graph inside it, takes from outside of it.
template <class Visit>
void ForEachRead(const onnx::NodeProto& node, const Names& inside, const Visit& visit) {
  const auto look = [&](const std::string& name) {
    if (!name.empty() && inside.count(name) == 0) visit(name);
  };
  for (const std::string& name : node.input()) look(name);
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    std::vector<const onnx::GraphProto*> graphs;
    if (attribute.has_g()) graphs.push_back(&attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs()) graphs.push_back(&graph);
    for (const onnx::GraphProto* graph : graphs) {
      Names made = inside;
      for (const auto& input : graph->input()) made.insert(input.name());
      for (const auto& initializer : graph->initializer()) made.insert(initializer.name());
      for (const onnx::NodeProto& inner : graph->node()) {
        ForEachRead(inner, made, visit);
        made.insert(inner.output().begin(), inner.output().end());
      }
      for (const auto& output : graph->output()) {
        if (made.count(output.name()) == 0) visit(output.name());
      }
    }
  }
}

// Values that are read before they are there.
Names Undefined(const onnx::GraphProto& graph) {
  Names known;
  Names missing;
  for (const auto& input : graph.input()) known.insert(input.name());
  for (const auto& initializer : graph.initializer()) known.insert(initializer.name());
  const auto look = [&](const std::string& name) {
    if (known.count(name) == 0) missing.insert(name);
  };
  for (const onnx::NodeProto& node : graph.node()) {
    ForEachRead(node, {}, look);
    known.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : graph.output()) look(output.name());
  return missing;
}

// The functions that nodes call, and theirs.
void AddCalled(const onnx::ModelProto& model,
               const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, Names& called) {
  for (const onnx::NodeProto& node : nodes) {
    for (const onnx::FunctionProto& function : model.functions()) {
      const bool is_it = function.domain() == node.domain() && function.name() == node.op_type();
      if (is_it && called.insert(function.name()).second) AddCalled(model, function.node(), called);
    }
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      AddCalled(model, attribute.g().node(), called);
      for (const onnx::GraphProto& graph : attribute.graphs()) {
        AddCalled(model, graph.node(), called);
      }
    }
  }
}

template <class List>
Names NamesOf(const List& list) {
  Names names;
  for (const auto& item : list) names.insert(item.name());
  return names;
}

// What the part must be, of the whole as it is.
void CheckPart(const Whole& whole, const Part& part, const std::string& bytes) {
  const onnx::ModelProto found = ParseModel(WithoutDocs(bytes));
  const onnx::GraphProto& all = whole.proto.graph();
  REQUIRE(static_cast<size_t>(found.graph().node_size()) == part.nodes.size());
  CHECK(std::is_sorted(part.nodes.begin(), part.nodes.end()));
  Names read;
  Names made;
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    const auto index = static_cast<int>(whole.model.graph().node(part.nodes[i]).index);
    const onnx::NodeProto& node = found.graph().node(static_cast<int>(i));
    CHECK(node.SerializeAsString() == all.node(index).SerializeAsString());
    ForEachRead(node, {}, [&](const std::string& name) { read.insert(name); });
    made.insert(node.output().begin(), node.output().end());
  }
  std::vector<std::string> weights;
  for (const onnx::TensorProto& tensor : all.initializer()) {
    if (read.count(tensor.name()) > 0) weights.push_back(tensor.SerializeAsString());
  }
  REQUIRE(static_cast<size_t>(found.graph().initializer_size()) == weights.size());
  CHECK(part.parameters == weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    CHECK(found.graph().initializer(static_cast<int>(i)).SerializeAsString() == weights[i]);
  }
  CHECK(Undefined(found.graph()) == Names());
  CHECK(NamesOf(found.graph().input()) == whole.NamesOf(part.inputs));
  CHECK(NamesOf(found.graph().output()) == whole.NamesOf(part.outputs));
  CHECK(!part.outputs.empty());
  for (const auto& output : found.graph().output()) CHECK(made.count(output.name()) > 0);
  for (const auto& info : found.graph().value_info()) {
    CHECK(made.count(info.name()) + NamesOf(found.graph().input()).count(info.name()) > 0);
  }
  Names called;
  AddCalled(whole.proto, found.graph().node(), called);
  CHECK(NamesOf(found.functions()) == called);
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

// All parts in one go, as files; each reads what the model is given and earlier parts give, and
// together they give what the model gives. How many they are.
size_t CheckSplit(const Whole& whole, const SplitRequest& request) {
  const absl::StatusOr<SplitPlan> plan = whole.cutter.Split(request);
  if (!plan.ok()) {
    CHECK(plan.status().code() == absl::StatusCode::kFailedPrecondition);
    return 0;
  }
  const TempFolder folder;
  const auto path = [&](size_t i) { return folder / absl::StrCat(i, ".onnx"); };
  std::vector<Output> outputs;
  for (size_t i = 0; i < plan->parts.size(); ++i) {
    const Part& part = plan->parts[i].part;
    outputs.emplace_back([&whole, &part] { return whole.cutter.EditsOf(part); },
                         Destination::File(path(i)));
  }
  CHECK_OK(Write(whole.model, outputs, {.sync = false, .external_data = ExternalData::kKeep}));
  Names known = NamesOf(whole.proto.graph().input());
  for (size_t i = 0; i < plan->parts.size(); ++i) {
    const Part& part = plan->parts[i].part;
    const std::string bytes = testing::ReadFile(path(i));
    CHECK(bytes == whole.Written(Value(whole.cutter.EditsOf(part))));
    CheckPart(whole, part, bytes);
    for (const std::string& name : whole.NamesOf(part.inputs)) CHECK(known.count(name) == 1);
    known.merge(whole.NamesOf(part.outputs));
  }
  for (const auto& output : whole.proto.graph().output()) CHECK(known.count(output.name()) == 1);
  return plan->parts.size();
}

TEST_CASE("splits of every model in testdata") {
  size_t parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONNX_HIER_TESTDATA)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    CAPTURE(path);
    const Whole whole(path);
    using Rule = SplitRequest::Rule;
    const std::vector<ModuleId> layers = whole.cutter.MainList();
    if (!layers.empty()) parts += CheckSplit(whole, {.rule = Rule::kModules, .modules = layers});
    parts += CheckSplit(
        whole, {.rule = Rule::kParts, .parts = 5, .measure = SplitRequest::Measure::kNodes});
    parts += CheckSplit(whole, {.rule = Rule::kMaxBytes, .max_bytes = 60000});
  }
  CHECK(parts >= 150);
}

TEST_CASE("a model that gives out a parameter alone") {
  const MemoryFile file(
      wire::Model(wire::Graph(wire::Initializer("k", {2}, "12345678") + wire::Output("k"))));
  const Whole whole(file.path());
  const SplitPlan plan = Value(whole.cutter.Split({.rule = SplitRequest::Rule::kParts}));
  REQUIRE(plan.parts.size() == 1);
  CHECK(plan.parts[0].part.parameter_bytes == 8);
  const onnx::ModelProto found =
      ParseModel(whole.Written(Value(whole.cutter.EditsOf(plan.parts[0].part))));
  CHECK(found.graph().initializer_size() == 1);
  CHECK(found.graph().output_size() == 1);
  const MemoryFile nothing(wire::Model(wire::Graph("")));
  CHECK_ERROR(Whole(nothing.path()).cutter.Split({.rule = SplitRequest::Rule::kParts}),
              kFailedPrecondition, "gives out nothing");
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
