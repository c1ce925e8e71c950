// SPDX-License-Identifier: Apache-2.0

// Exporters that call a node, and what it makes, after its layer: "conv2d_1", "fc_MatMul" and
// "fc_Add", "stage1_conv0_fwd". Learned from files of MATLAB's exporter, of MXNet's (Gluon) and of
// tf2onnx's from TensorFlow Lite.
#include "absl/strings/strip.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

class LayerGrammar final : public ScopeGrammar {
 public:
  // What a layer takes several operators for has theirs behind its name, what tf2onnx puts in front
  // of it a number: "conv2d__48".
  NodeName ReadNode(absl::string_view name, absl::string_view op_type) const override {
    absl::string_view layer = absl::StripSuffix(name, "_fwd");
    const size_t end = layer.rfind("__");
    if (end != absl::string_view::npos && end > 0 && IsNumber(layer.substr(end + 2))) {
      layer = layer.substr(0, end);
    }
    absl::string_view around = layer;
    const bool has_operator = absl::ConsumeSuffix(&around, op_type) &&
                              absl::ConsumeSuffix(&around, "_") && !around.empty();
    return {true, has_operator ? around : layer};
  }
  std::optional<absl::string_view> ReadOriginal(absl::string_view,
                                                absl::string_view) const override {
    return std::nullopt;
  }
  std::optional<absl::string_view> ReadValue(absl::string_view) const override {
    return std::nullopt;
  }
  Component KindOf(absl::string_view) const override { return Component::kModule; }
  PathId Append(absl::string_view component, PathId parent, ModulePaths& paths) const override {
    return paths.Child(parent, component);
  }
  bool counts_calls() const override { return false; }
};

constexpr LayerGrammar kLayerGrammar;

bool NameLayers(const ExporterTraces& traces) { return traces.AreMost(traces.names().layers); }

}  // namespace

const ScopeGrammar* LayerNames(const ExporterTraces& traces) {
  return NameLayers(traces) ? &kLayerGrammar : nullptr;
}

constinit const DialectRow kMatlab = {
    .name = "matlab",
    .fits =
        [](const ExporterTraces& traces) {
          return traces.IsMadeBy("MATLAB Deep Learning Toolbox Converter for ONNX Model Format");
        },
    .names = &LayerNames,
};

// Gluon.
constinit const DialectRow kMxnet = {
    .name = "mxnet",
    .fits = [](const ExporterTraces& traces) { return traces.names().underscored > 0; },
    .names = &LayerNames,
};

constinit const DialectRow kLayerNames = {
    .name = "layer-names",
    .fits = &NameLayers,
    .names = &LayerNames,
};

}  // namespace onnx_hier
