#include "lib/profile/fused_operators.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

constexpr std::pair<absl::string_view, absl::string_view> kKinds[] = {
    {"SkipLayerNormalization", "LayerNormalization"},
    {"SimplifiedLayerNormalization", "LayerNormalization"},
    {"SkipSimplifiedLayerNormalization", "LayerNormalization"},
    {"RMSNormalization", "LayerNormalization"},
    {"BiasGelu", "Gelu"},
    {"FastGelu", "Gelu"},
    {"Erf", "Gelu"},
    {"Tanh", "Gelu"},
    {"QuickGelu", "Sigmoid"},
    {"BiasSoftmax", "Softmax"},
};

// A servant: the operator, how its name begins, and whom it serves.
struct Servant {
  absl::string_view op_type;
  absl::string_view name;
  Served served;
};
constexpr Servant kServants[] = {
    {"Reshape", "gemm_input_reshape", Served::kReader},
    {"Reshape", "gemm_output_reshape", Served::kMaker},
    {"QuantizeLinear", "gemm_output_reshape", Served::kMaker},
    {"DequantizeLinear", "gemm_output_reshape", Served::kMaker},
    {"ReorderInput", "", Served::kReader},
    {"ReorderOutput", "", Served::kMaker},
};

NodeId MakerOfFirst(const Graph& graph, NodeId node) {
  const absl::Span<const ValueId> inputs = graph.inputs(node);
  return inputs.empty() || !inputs[0].valid() ? NodeId() : graph.value(inputs[0]).producer;
}

// The Sqrt of ReduceMean -> Add -> Sqrt.
bool IsNormalizing(const Graph& graph, NodeId sqrt) {
  const NodeId add = MakerOfFirst(graph, sqrt);
  if (!add.valid() || graph.op(add).type != "Add") return false;
  for (ValueId value : graph.inputs(add)) {
    const NodeId maker = value.valid() ? graph.value(value).producer : NodeId();
    if (maker.valid() && graph.op(maker).type == "ReduceMean") return true;
  }
  return false;
}

}  // namespace

absl::string_view KindOf(absl::string_view op_type) {
  for (const auto& [made, kind] : kKinds) {
    if (op_type == made) return kind;
  }
  absl::ConsumePrefix(&op_type, "Fused");
  return op_type;
}

absl::string_view KindOf(const Graph& graph, NodeId node) {
  const absl::string_view op_type = graph.op(node).type;
  if (op_type == "Sqrt" && IsNormalizing(graph, node)) return "LayerNormalization";
  return KindOf(op_type);
}

Served ServedBy(const Kernel& kernel) {
  // One that was joined with a Reshape of the model is that one.
  if (absl::EndsWith(kernel.name, "_new_reshape")) return Served::kNone;
  for (const Servant& servant : kServants) {
    if (kernel.op_type == servant.op_type && absl::StartsWith(kernel.name, servant.name)) {
      return servant.served;
    }
  }
  return Served::kNone;
}

bool MayServe(const Kernel& servant, const Kernel& kernel) {
  // Where it works in blocks, onnxruntime says so in the kernel's name.
  if (IsReordering(servant)) return absl::StrContains(kernel.name, "_nchwc");
  return absl::EndsWith(kernel.op_type, "Gemm");
}

bool IsReordering(const Kernel& kernel) { return absl::StartsWith(kernel.op_type, "Reorder"); }

}  // namespace onnx_hier
