// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialects/tensorflow.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "lib/base/rules.h"
#include "lib/base/slash_path.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kTensorflow = "tensorflow";

// Where a node of that name stands.
absl::string_view TensorflowScopeOf(absl::string_view name) {
  return WithoutBatchNorm(FolderOf(name), LastComponent(name));
}

class TensorflowGrammar final : public ScopeGrammar {
 public:
  NodeName ReadNode(absl::string_view name, absl::string_view) const override {
    return {true, TensorflowScopeOf(name)};
  }

  std::optional<absl::string_view> ReadOriginal(absl::string_view name,
                                                absl::string_view op_type) const override {
    const bool joined = absl::StrContains(name, ';');
    if (joined) name = PartOfJoinedName(name, op_type);
    bool is_value = false;
    name = NodeOfValueName(name, &is_value);
    if (!joined && !absl::StrContains(name, '/')) return std::nullopt;
    return TensorflowScopeOf(name);
  }

  std::optional<absl::string_view> ReadValue(absl::string_view name) const override {
    if (absl::StrContains(name, ';')) return ReadOriginal(name, "");
    const size_t colon = name.rfind(':');
    if (colon == absl::string_view::npos || !IsNumber(name.substr(colon + 1))) return std::nullopt;
    return ReadOriginal(name.substr(0, colon), "");
  }

  Component KindOf(absl::string_view component) const override {
    if (IsFunctionScope(component)) return Component::kNothing;
    return IsGradient(component) ? Component::kEnd : Component::kModule;
  }
  PathId Append(absl::string_view component, PathId parent, ModulePaths& paths) const override {
    return paths.Child(parent, component);
  }
  bool counts_calls() const override { return false; }
};

constexpr TensorflowGrammar kTensorflowGrammar;

}  // namespace

const ScopeGrammar& TensorflowScopes() { return kTensorflowGrammar; }

bool IsFunctionScope(absl::string_view component) {
  const absl::string_view name = WithoutCounter(component);
  if (name == "StatefulPartitionedCall" || name == "PartitionedCall") return true;
  return name == "moments" && IsOn(Rule::kFunctionScopes);
}

absl::string_view WithoutBatchNorm(absl::string_view folder, absl::string_view op_name) {
  const absl::string_view around = FolderOf(folder);
  if (around.empty() || op_name.empty() || !IsOn(Rule::kFunctionScopes)) return folder;
  if (WithoutCounter(LastComponent(folder)) != "batchnorm") return folder;
  const bool is_functions = absl::ascii_islower(static_cast<unsigned char>(op_name.front())) ||
                            absl::StartsWith(op_name, "Rsqrt");
  return is_functions ? around : folder;
}

absl::string_view PartOfJoinedName(absl::string_view name, absl::string_view op_type) {
  const auto parts = absl::StrSplit(name, ';');
  if (IsWeighted(op_type)) {
    for (absl::string_view part : parts) {
      const absl::string_view last = LastComponent(part);
      if (absl::StrContains(last, "Conv") || absl::StrContains(last, "MatMul")) return part;
    }
  }
  return *parts.begin();
}

constinit const DialectRow kTensorflowByMaker = {
    .name = kTensorflow,
    .fits =
        [](const ExporterTraces& traces) {
          return traces.IsMadeBy("tf2onnx") || traces.IsMadeBy("keras2onnx");
        },
    .names =
        [](const ExporterTraces& traces) {
          // Of a model that was TensorFlow Lite's.
          const ScopeGrammar* const layers = LayerNames(traces);
          return layers != nullptr ? layers : &TensorflowScopes();
        },
};

constinit const DialectRow kTensorflowByNames = {
    .name = kTensorflow,
    .fits =
        [](const ExporterTraces& traces) {
          return traces.names().tensorflow_values > 0 || traces.AreMost(traces.names().plain_slash);
        },
    .names = [](const ExporterTraces&) { return &TensorflowScopes(); },
};

}  // namespace onnx_hier
