// SPDX-License-Identifier: Apache-2.0

// Models that are cut into parts that run one after the other: all of testdata, in several ways.

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
using testing::MemoryFile;
using testing::NameSet;
using testing::NamesOf;
using testing::ParseModel;
using testing::TempFolder;
using testing::Value;
using testing::Whole;

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
  NameSet known = NamesOf(whole.proto.graph().input());
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
  for (const std::string& path : testing::ModelFiles()) {
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

std::string Labels(const SplitPlan& plan) {
  return absl::StrJoin(plan.parts, " ",
                       [](std::string* out, const SplitPart& part) { out->append(part.label); });
}

TEST_CASE("layers of which one begins early; constants are no place to cut at") {
  const MemoryFile file(wire::Model(
      wire::Graph(wire::Node("Relu", {"c"}, {"k"}, "/layer.1/key/Relu") +
                  wire::Node("Relu", {"x"}, {"a"}, "/layer.0/Relu") +
                  wire::Node("Neg", {"w"}, {"b"}, "/layer.2/Neg") +
                  wire::Node("Add", {"a", "k"}, {"h"}, "/layer.1/Add") +
                  wire::Node("Add", {"h", "b"}, {"y"}, "/Add") + wire::Input("x") +
                  wire::Input("c") + wire::Initializer("w", {1}, "1234") + wire::Output("y"))));
  const Whole whole(file.path());
  const auto split = [&](std::vector<ModuleId> modules) {
    return whole.cutter.Split({.rule = SplitRequest::Rule::kModules, .modules = modules});
  };
  const ModuleId constant = whole.hierarchy.Find("layer.2");
  const SplitPlan plan =
      Value(split({whole.hierarchy.Find("layer.0"), whole.hierarchy.Find("layer.1"), constant}));
  CHECK(Labels(plan) == "layer.0 layer.1 tail");
  CHECK(plan.passed_over == std::vector<ModuleId>{constant});
  CHECK_ERROR(split({constant}), kFailedPrecondition, "/layer.2 has no nodes in the main graph");
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

}  // namespace
}  // namespace onnx_hier
