// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialect.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "lib/graph/parameter_leaf.h"
#include "lib/names/builder_names.h"
#include "lib/names/derived_name.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/number.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

// How often each kind of trace shows in a file.
struct Traces {
  size_t nodes = 0;
  MetadataStyles metadata;
  size_t leading_slash = 0;      // node or value names
  size_t plain_slash = 0;        // "a/b/Op"
  size_t tensorflow_values = 0;  // "a/b:0"
  size_t counted_names = 0;      // "Gather_12": operator and number
  size_t dotted_names = 0;       // "p2o.Conv.3", "Conv.3"
  size_t underscored = 0;        // "stage1_conv0_fwd"
  size_t dynamo_names = 0;       // "node_MatMul_12"
  size_t module_functions = 0;   // local functions of Python packages
  size_t custom_functions = 0;   // local functions in "custom." domains
  size_t torch_functions = 0;    // functions that torch's own function library brings
  size_t module_parameters = 0;  // "layer1.0.conv1.weight"
  size_t paddle_parameters = 0;  // "conv2d_0.w_0"
  size_t ml_operators = 0;       // of the domain ai.onnx.ml
};

bool IsDottedCounter(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot != absl::string_view::npos && dot > 0 && IsNumber(name.substr(dot + 1));
}

void LookAtName(absl::string_view name, absl::string_view op_type, Traces& traces) {
  const size_t slash = absl::StartsWith(name, "/") ? 0 : name.find('/');
  const bool has_slash = slash != absl::string_view::npos;
  if (slash == 0 || (has_slash && absl::StartsWith(OriginalNames(name).front(), "/"))) {
    ++traces.leading_slash;
  } else if (has_slash) {
    // "relu_Grad/Relu_0" is what training tools append; a hierarchy goes deeper.
    if (name.find('/', slash + 1) != absl::string_view::npos) ++traces.plain_slash;
  } else if (WithoutCounter(name) == op_type) {
    ++traces.counted_names;
  } else if (IsDottedCounter(name)) {
    ++traces.dotted_names;
  } else if (absl::StartsWith(name, "node_")) {
    ++traces.dynamo_names;
  } else if (absl::EndsWith(name, "_fwd") || absl::StrContains(name, "__plus")) {
    ++traces.underscored;
  }
}

Traces Look(const Graph& graph) {
  Traces traces;
  traces.nodes = graph.node_count();
  for (OpId id : graph.op_ids()) {
    if (graph.op(id).domain == "ai.onnx.ml") ++traces.ml_operators;
  }
  traces.metadata = FindStyles(graph);
  for (NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    LookAtName(node.name, graph.op(id).type, traces);
    for (ValueId value : graph.outputs(id)) {
      if (!value.valid()) continue;
      const absl::string_view name = graph.value(value).name;
      if (absl::StartsWith(name, "/")) ++traces.leading_slash;
      if (absl::EndsWith(name, ":0") && absl::StrContains(name, '/')) ++traces.tensorflow_values;
    }
  }
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction) continue;
    if (absl::StartsWith(block.domain, "pkg.onnxscript.torch_lib")) {
      ++traces.torch_functions;
    } else if (block.domain == "custom" || absl::StartsWith(block.domain, "custom.")) {
      ++traces.custom_functions;
    } else {
      ++traces.module_functions;
    }
  }
  return traces;
}

// Only where names do not tell already.
void LookAtParameters(const Graph& graph, Traces& traces) {
  for (TensorId id : graph.tensor_ids()) {
    const Tensor& tensor = graph.tensor(id);
    if (!tensor.block.valid() || OwnerInParameterName(tensor.name).empty()) continue;
    const absl::string_view counted = LeafOfParameterName(tensor.name);
    const absl::string_view leaf = WithoutCounter(counted);
    const bool is_paddle = leaf.size() < counted.size() && (leaf == "w" || leaf == "b");
    ++(is_paddle ? traces.paddle_parameters : traces.module_parameters);
  }
}

// What a file says of who made it; tools that work on any model say nothing here.
enum class Maker { kOther, kTorch, kTensorFlow, kSklearn, kPaddle, kCntk };

Maker MakerOf(const Graph& graph) {
  struct Name {
    absl::string_view text;
    Maker maker;
  };
  constexpr Name kProducers[] = {
      {"pytorch", Maker::kTorch},         {"tf2onnx", Maker::kTensorFlow},
      {"keras2onnx", Maker::kTensorFlow}, {"skl2onnx", Maker::kSklearn},
      {"PaddlePaddle", Maker::kPaddle},   {"CNTK", Maker::kCntk},
  };
  constexpr Name kGraphs[] = {{"paddle-onnx", Maker::kPaddle}, {"CNTKGraph", Maker::kCntk}};
  for (const Name& name : kProducers) {
    if (graph.info().producer_name == name.text) return name.maker;
  }
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kMain) continue;
    for (const Name& name : kGraphs) {
      if (block.name == name.text) return name.maker;
    }
  }
  return Maker::kOther;
}

bool HasModuleParameters(const Graph& graph) {
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kInitializer) continue;
    const absl::string_view owner = OwnerInParameterName(value.name);
    if (!owner.empty() && !IsNamedAfterReader(graph, id, owner)) return true;
  }
  return false;
}

bool ImportsOnnxscript(const Graph& graph) {
  const std::vector<OpsetImport>& imports = graph.info().opset_imports;
  return std::any_of(imports.begin(), imports.end(), [](const OpsetImport& import) {
    return absl::StartsWith(import.domain, "pkg.onnxscript");
  });
}

struct Row {
  bool fits;
  Dialect dialect;
};

// Null: none does.
const Row* FirstThatFits(absl::Span<const Row> rows) {
  const auto row = std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.fits; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

Dialect RecognizeDialect(const Graph& graph) {
  Traces t = Look(graph);
  const Maker maker = MakerOf(graph);
  const NameStyle plain = NameStyle::kPlainSlash;
  const NameStyle leading = NameStyle::kLeadingSlash;
  const Row by_names[] = {
      {t.metadata.onnxscript, {"onnxscript-builder", true, t.leading_slash > 0 ? leading : plain}},
      {t.leading_slash > 0 && IsNamedByBuilder(graph), {"onnxscript-builder", true, leading}},
      {t.metadata.torch, {"dynamo", t.leading_slash > 0, leading}},
      {t.module_functions > 0 && t.torch_functions > 0, {"dynamo-functions", false, leading}},
      {t.custom_functions > 0, {"jax-functions", false, leading}},
      {t.module_functions > 0 && t.leading_slash > 0, {"torchscript-functions", true, leading}},
      {t.leading_slash > 0 && t.leading_slash >= t.tensorflow_values,
       {"torchscript-scoped", true, leading}},
      {maker == Maker::kTensorFlow, {"tensorflow", true, plain}},
      {maker == Maker::kSklearn, {"sklearn", false, leading}},
      {maker == Maker::kPaddle, {"paddle", false, leading}},
      {maker == Maker::kCntk, {"cntk", false, leading}},
      {maker == Maker::kTorch && (t.dynamo_names * 2 > t.nodes || ImportsOnnxscript(graph)),
       {"dynamo", false, leading}},
      {t.tensorflow_values > 0 || t.plain_slash * 2 > t.nodes, {"tensorflow", true, plain}},
      {t.ml_operators > 0, {"sklearn", false, leading}},
      {t.underscored > 0, {"mxnet", false, leading}},
  };
  if (const Row* row = FirstThatFits(by_names); row != nullptr) return row->dialect;
  LookAtParameters(graph, t);
  const Row by_parameters[] = {
      {t.paddle_parameters > t.module_parameters || t.dotted_names * 2 > t.nodes,
       {"paddle", false, leading}},
      {maker == Maker::kTorch || (t.module_parameters > 0 && HasModuleParameters(graph)),
       {"torchscript-flat", false, leading}},
  };
  if (const Row* row = FirstThatFits(by_parameters); row != nullptr) return row->dialect;
  return {"unknown", false, leading};
}

}  // namespace onnx_hier
