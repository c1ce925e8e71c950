// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/fused_operators.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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
    {"Attention", "Softmax"},
    {"QAttention", "Softmax"},
    {"MultiHeadAttention", "Softmax"},
    {"GroupQueryAttention", "Softmax"},
    {"HardSwish", "HardSigmoid"},
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
    {"Cast", "InsertedPrecisionFreeCast_gemm_input_reshape", Served::kReader},
    {"Cast", "InsertedPrecisionFreeCast_gemm_output_reshape", Served::kMaker},
    {"ReorderInput", "", Served::kReader},
    {"ReorderOutput", "", Served::kMaker},
};
// A Reshape behind one Gemm that was joined with the one in front of the next; quantisation that
// was moved in front of a Reshape; the second half of HardSwish, which is written out as
// HardSigmoid and Mul.
constexpr Servant kMade[] = {
    {"Reshape", "gemm_output_reshape", Served::kReader},
    {"QuantizeLinear", "gemm_output_reshape", Served::kMaker},
    {"DequantizeLinear", "gemm_output_reshape", Served::kMaker},
    {"Mul", "Mul_", Served::kMaker},
};

constexpr absl::string_view kPassBlocksOn[] = {
    "Add", "Concat", "HardSigmoid", "Mul", "QuickGelu", "Relu", "Sigmoid", "Sum", "Tanh",
};

template <size_t kSize>
Served ServedBy(const Kernel& kernel, const Servant (&servants)[kSize]) {
  for (const Servant& servant : servants) {
    if (kernel.op_type == servant.op_type && absl::StartsWith(kernel.name, servant.name)) {
      return servant.served;
    }
  }
  return Served::kNone;
}

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
  return ServedBy(kernel, kServants);
}

Served ServedByIfMade(const Kernel& kernel) { return ServedBy(kernel, kMade); }

bool IsMovedQuantisation(const Kernel& kernel) {
  return IsQuantisation(kernel.op_type) && ServedByIfMade(kernel) != Served::kNone;
}

bool MayServe(const Kernel& servant, const Kernel& kernel) {
  if (IsReordering(servant)) return WorksInBlocks(kernel);
  if (servant.op_type == "Mul") return kernel.op_type == "HardSigmoid";
  return absl::EndsWith(kernel.op_type, "Gemm");
}

bool IsReordering(const Kernel& kernel) { return absl::StartsWith(kernel.op_type, "Reorder"); }

bool WorksInBlocks(const Kernel& kernel) { return absl::StrContains(kernel.name, "_nchwc"); }

bool PassesBlocksOn(const Kernel& kernel) {
  return std::find(std::begin(kPassBlocksOn), std::end(kPassBlocksOn), kernel.op_type) !=
         std::end(kPassBlocksOn);
}

}  // namespace onnx_hier
