// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialects/torchscript.h"

#include "absl/strings/match.h"
#include "lib/base/slash_path.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/parameter_name.h"
#include "lib/names/scoped_name.h"
#include "lib/names/standard_operators.h"

namespace onnx_hier {
namespace {

// An operator that was appended to another node's name: "MatMul", "MatMulAddFusion".
bool IsAppendedOperator(absl::string_view component) {
  return IsStandardOperator(WithoutCounter(component)) || absl::EndsWith(component, "Fusion");
}

class TorchGrammar final : public ScopeGrammar {
 public:
  NodeName ReadNode(absl::string_view name, absl::string_view op_type) const override {
    NodeName result;
    result.is_own = EndsWithOperator(name, op_type, &result.scope);
    return result;
  }

  std::optional<absl::string_view> ReadOriginal(absl::string_view name,
                                                absl::string_view op_type) const override {
    bool is_value = false;
    name = NodeOfValueName(name, &is_value);
    if (!absl::StartsWith(name, "/")) return std::nullopt;
    absl::string_view scope = FolderOf(name);
    if (is_value || OperatorInName(name) == op_type) return scope;
    while (!scope.empty() && (scope.back() == '/' || IsAppendedOperator(LastComponent(scope)))) {
      scope = FolderOf(scope);
    }
    return scope;
  }

  std::optional<absl::string_view> ReadValue(absl::string_view name) const override {
    if (!absl::StrContains(name, '/')) return std::nullopt;
    bool is_value = false;
    const absl::string_view node =
        NodeOfValueName(WithoutSuffixOfValue(OriginalNames(name).back()), &is_value);
    if (!is_value || !absl::StartsWith(node, "/")) return std::nullopt;
    return FolderOf(node);
  }

  Component KindOf(absl::string_view component) const override {
    return IsGradient(component) ? Component::kEnd : Component::kModule;
  }
  PathId Append(absl::string_view component, PathId parent, ModulePaths& paths) const override {
    return AppendComponent(component, parent, paths);
  }
  bool counts_calls() const override { return true; }
};

constexpr TorchGrammar kTorchGrammar;

bool HasModuleParameters(const Graph& graph) {
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kInitializer) continue;
    const absl::string_view owner = OwnerInParameterName(value.name);
    if (!owner.empty() && !IsNamedAfterReader(graph, id, owner)) return true;
  }
  return false;
}

}  // namespace

const ScopeGrammar& TorchScopes() { return kTorchGrammar; }

// export_modules_as_functions: a local function for each class of modules.
constinit const DialectRow kTorchscriptFunctions = {
    .name = "torchscript-functions",
    .fits =
        [](const ExporterTraces& traces) {
          return traces.functions().of_modules > 0 && traces.names().leading_slash > 0;
        },
    .names = [](const ExporterTraces&) { return &TorchScopes(); },
};

// torch >= 1.13: "/encoder/layer.0/Add".
constinit const DialectRow kTorchscriptScoped = {
    .name = "torchscript-scoped",
    .fits =
        [](const ExporterTraces& traces) {
          const ExporterTraces::Names& names = traces.names();
          return names.leading_slash > 0 && names.leading_slash >= names.tensorflow_values;
        },
    .names = [](const ExporterTraces&) { return &TorchScopes(); },
};

// torch < 1.13: flat names of nodes, parameters named by module.
constinit const DialectRow kTorchscriptFlat = {
    .name = "torchscript-flat",
    .fits =
        [](const ExporterTraces& traces) {
          return traces.IsMadeBy(kTorchProducer) ||
                 (traces.parameters().of_modules > 0 && HasModuleParameters(traces.graph()));
        },
};

}  // namespace onnx_hier
