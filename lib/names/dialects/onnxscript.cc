// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialects/onnxscript.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/dialects/module_lists.h"
#include "lib/names/dialects/tensorflow.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/scoped_name.h"
#include "lib/names/standard_operators.h"

namespace onnx_hier {
namespace {

// Of names, more than one of so many is such a one where a builder gave them.
constexpr size_t kBuiltShare = 2;
// Where none of so many is, none is looked for among the others.
constexpr size_t kFirstMade = 256;

// "Mul_34" -> "Mul", "Split_9_1" -> "Split"; "" if it is no operator with a counter.
absl::string_view OperatorOf(absl::string_view counted) {
  absl::string_view name = WithoutCounter(counted);
  if (name.size() == counted.size()) return "";
  if (IsStandardOperator(name)) return name;
  name = WithoutCounter(name);
  return IsStandardOperator(name) ? name : "";
}

// The parts of such a name: "model.layers.0.mlp" and "Mul".
struct BuilderName {
  absl::string_view modules;
  absl::string_view op_type;  // "": it is none
};

BuilderName Parse(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "v_")) return {};
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos) return {"", OperatorOf(name)};
  return {name.substr(0, dot), OperatorOf(name.substr(dot + 1))};
}

constexpr absl::string_view kOnnxscript = "onnxscript-builder";

// The lists hold each module's own name. What goes on where paths end is in the last of them.
std::vector<MetadataModule> ReadOnnxscriptLists(const MetadataTexts& texts) {
  std::vector<MetadataModule> modules = ReadModuleLists(texts, 0);
  for (size_t i = 1; i < modules.size(); ++i) {
    const std::string& around = modules[i - 1].qualified_name;
    if (around.size() > ModulePaths::kLongest) {
      modules.resize(i);
      break;
    }
    std::string& name = modules[i].qualified_name;
    if (around.empty()) continue;
    const std::string prefix = absl::StrCat(around, ".");
    if (!absl::StartsWith(name, prefix)) name.insert(0, prefix);
  }
  return modules;
}

}  // namespace

constinit const MetadataFormat kOnnxscriptLists = {
    .dialect = kOnnxscript,
    .key = "pkg.onnxscript.name_scopes",
    .classes_key = "pkg.onnxscript.class_hierarchy",
    .mark = "",
    .read = ReadOnnxscriptLists,
    .without_operator = [](absl::string_view text) { return text; },
};

constinit const DialectRow kOnnxscriptByMetadata = {
    .name = kOnnxscript,
    .fits = [](const ExporterTraces& traces) { return traces.HasMetadataOf(kOnnxscript); },
    .names =
        [](const ExporterTraces& traces) {
          return traces.names().leading_slash > 0 ? &TorchScopes() : &TensorflowScopes();
        },
};

constinit const DialectRow kOnnxscriptByNames = {
    .name = kOnnxscript,
    .fits =
        [](const ExporterTraces& traces) {
          return traces.names().leading_slash > 0 && IsNamedByBuilder(traces.graph());
        },
    .names = [](const ExporterTraces&) { return &TorchScopes(); },
};

bool IsNamedByBuilder(const Graph& graph) {
  constexpr size_t kFirstScopes = 256;
  size_t scoped = 0;
  size_t built = 0;
  for (NodeId id : graph.node_ids()) {
    const absl::string_view name = graph.node(id).name;
    if (!absl::StrContains(name, '/')) continue;
    if (HasBuilderCounter(name)) ++built;
    if (++scoped == kFirstScopes) break;
  }
  return built * kBuiltShare > scoped;
}

BuilderValues::BuilderValues(const Graph& graph) : graph_(graph) {
  size_t made = 0;
  size_t fit = 0;
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kNodeOutput || value.name.empty()) continue;
    ++made;
    if (!Parse(value.name).op_type.empty()) ++fit;
    if (made == kFirstMade && fit == 0) return;
  }
  any_ = fit * kBuiltShare > made;
}

bool BuilderValues::Read(ValueId id, std::string& text) const {
  if (graph_.value(id).kind != ValueKind::kNodeOutput) return false;
  const auto [modules, op_type] = Parse(graph_.value(id).name);
  if (op_type.empty()) return false;
  text = absl::StrCat(ScopeOfModules(modules, "."), "/", op_type, "_output_0");
  return true;
}

}  // namespace onnx_hier
