// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/shape_rules.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "lib/onnx/type_rules.h"
#include "lib/shapes/rule_parts.h"

namespace onnx_hier {
namespace {

// As one of its inputs, and where the first is meant, with what is in it.
template <size_t kInput>
void Same(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(kInput);
  if (!dims) return;
  const DimList same(dims->begin(), dims->end());
  for (size_t i = node.outputs(); i-- > 1;) node.Make(i, same);
  node.Make(0, same);
}

void Identity(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(0);
  if (dims) MakeSame(node, DimList(dims->begin(), dims->end()));
}

// The first output is as the input, the others are single numbers.
void Quantized(ShapedNode& node) {
  Same<0>(node);
  for (size_t i = 1; i < node.outputs(); ++i) node.Make(i, {});
}

// The others are what was known of each channel.
void BatchNorm(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(0);
  if (!dims) return;
  node.Make(0, DimList(dims->begin(), dims->end()));
  const std::optional<absl::Span<const Dim>> channels = node.DimsOf(1);
  for (size_t i = 1; channels && i < node.outputs(); ++i) {
    node.Make(i, DimList(channels->begin(), channels->end()));
  }
}

// The others are of what was normalised together; the last output of a Skip... is the sum.
void LayerNorm(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(0);
  if (!dims) return;
  const DimList same(dims->begin(), dims->end());
  node.Make(0, same);
  const std::optional<size_t> axis = AxisOf(node.Number("axis", -1), same.size());
  if (axis) {
    DimList each = same;
    std::fill(each.begin() + static_cast<ptrdiff_t>(*axis), each.end(), Dim(1));
    node.Make(1, each);
    node.Make(2, each);
  }
  node.Make(3, same);
}

// Of onnxruntime's operators on quantised tensors: each with its scale and zero point.
void QuantizedPair(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> a = node.DimsOf(0);
  const std::optional<absl::Span<const Dim>> b = node.DimsOf(3);
  if (!a || !b) return;
  const absl::Span<const Dim> both[] = {*a, *b};
  if (const std::optional<DimList> dims = Broadcast(both)) node.Make(0, *dims);
}

void GridSample(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> image = node.DimsOf(0);
  const std::optional<absl::Span<const Dim>> grid = node.DimsOf(1);
  if (!image || !grid || image->size() != grid->size() || image->size() < 3) return;
  DimList dims = {(*image)[0], (*image)[1]};
  dims.insert(dims.end(), grid->begin() + 1, grid->end() - 1);
  node.Make(0, dims);
}

// Out of what onnxruntime lays out in blocks of channels, and into it.
void Reorder(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from || from->size() < 3) return;
  DimList dims(from->begin(), from->end());
  const bool is_output = node.op_type() == "ReorderOutput";
  if (is_output && node.HasAttribute("channels")) dims[1] = node.Number("channels", 0);
  // Channels fill blocks whose size is the machine's, 8 or 16.
  const auto is_full = [](Dim dim) { return dim.is_number() && std::fmod(dim.number(), 16) == 0; };
  const bool is_last = node.Number("channels_last", 0) != 0;
  if (Dim& channels = is_last ? dims.back() : dims[1]; !is_output && !is_full(channels)) {
    channels = Dim();
  }
  if (is_last && is_output) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  if (is_last && !is_output) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  node.Make(0, dims);
}

// What depends on more than shapes: how many there are is not known.
template <size_t kRank, int kLast>
void Open(ShapedNode& node) {
  DimList dims(kRank, Dim());
  if (kLast > 0) dims.back() = kLast;
  node.Make(0, dims);
}

struct Row {
  absl::string_view op_type;
  ShapeRule rule;
};

// In order of the operators.
constexpr Row kRows[] = {
    {"Abs", ElementwiseShape},
    {"Acos", Same<0>},
    {"Acosh", Same<0>},
    {"Add", ElementwiseShape},
    {"And", ElementwiseShape},
    {"ArgMax", ReduceShape},
    {"ArgMin", ReduceShape},
    {"Asin", Same<0>},
    {"Asinh", Same<0>},
    {"Atan", Same<0>},
    {"Atanh", Same<0>},
    {"Attention", HeadsShape},
    {"AveragePool", PoolShape},
    {"BatchNormalization", BatchNorm},
    {"Bernoulli", Same<0>},
    {"BiasAdd", Same<0>},
    {"BiasGelu", Same<0>},
    {"BiasSoftmax", Same<0>},
    {"BitShift", ElementwiseShape},
    {"BitwiseAnd", ElementwiseShape},
    {"BitwiseNot", Same<0>},
    {"BitwiseOr", ElementwiseShape},
    {"BitwiseXor", ElementwiseShape},
    {"Cast", CastShape},
    {"CastLike", CastShape},
    {"Ceil", ElementwiseShape},
    {"Celu", Same<0>},
    {"Clip", Same<0>},
    {"Concat", ConcatShape},
    {"ConstantOfShape", ConstantOfShapeShape},
    {"Conv", ConvShape},
    {"ConvInteger", ConvShape},
    {"ConvTranspose", ConvTransposeShape},
    {"Cos", Same<0>},
    {"Cosh", Same<0>},
    {"CumSum", CumSumShape},
    {"DecoderMaskedMultiHeadAttention", ManyHeadsShape},
    {"DeformConv", ConvShape},
    {"DepthToSpace", SpaceShape},
    {"DequantizeLinear", Same<0>},
    {"Div", ElementwiseShape},
    {"Dropout", Same<0>},
    {"DynamicQuantizeLinear", Quantized},
    {"DynamicQuantizeMatMul", MatMulShape},
    {"Einsum", EinsumShape},
    {"Elu", Same<0>},
    {"EmbedLayerNormalization", EmbeddingShape},
    {"Equal", ElementwiseShape},
    {"Erf", Same<0>},
    {"Exp", ElementwiseShape},
    {"Expand", ExpandShape},
    {"EyeLike", Same<0>},
    {"FastGelu", Same<0>},
    {"Flatten", FlattenShape},
    {"Floor", ElementwiseShape},
    {"FusedConv", ConvShape},
    {"FusedGemm", GemmShape},
    {"FusedMatMul", MatMulShape},
    {"FusedMatMulActivation", MatMulShape},
    {"GRU", RecurrenceShape},
    {"Gather", GatherShape},
    {"GatherElements", GatherElementsShape},
    {"GatherND", GatherNDShape},
    {"Gelu", Same<0>},
    {"Gemm", GemmShape},
    {"GemmFastGelu", MatMulShape},
    {"GlobalAveragePool", GlobalPoolShape},
    {"GlobalLpPool", GlobalPoolShape},
    {"GlobalMaxPool", GlobalPoolShape},
    {"Greater", ElementwiseShape},
    {"GreaterOrEqual", ElementwiseShape},
    {"GridSample", GridSample},
    {"GroupNorm", Same<0>},
    {"GroupNormalization", Same<0>},
    {"GroupQueryAttention", GroupedHeadsShape},
    {"HardSigmoid", Same<0>},
    {"HardSwish", Same<0>},
    {"Hardmax", Same<0>},
    {"Identity", Identity},
    {"InstanceNormalization", Same<0>},
    {"IsInf", Same<0>},
    {"IsNaN", Same<0>},
    {"LRN", Same<0>},
    {"LSTM", RecurrenceShape},
    {"LayerNormalization", LayerNorm},
    {"LeakyRelu", Same<0>},
    {"Less", ElementwiseShape},
    {"LessOrEqual", ElementwiseShape},
    {"Log", ElementwiseShape},
    {"LogSoftmax", Same<0>},
    {"LpNormalization", Same<0>},
    {"LpPool", PoolShape},
    {"MatMul", MatMulShape},
    {"MatMulBnb4", NBitsShape},
    {"MatMulFpQ4", NBitsShape},
    {"MatMulInteger", MatMulShape},
    {"MatMulInteger16", MatMulShape},
    {"MatMulIntegerToFloat", MatMulShape},
    {"MatMulNBits", NBitsShape},
    {"Max", ElementwiseShape},
    {"MaxPool", PoolShape},
    {"Mean", ElementwiseShape},
    {"MeanVarianceNormalization", Same<0>},
    {"Min", ElementwiseShape},
    {"Mish", Same<0>},
    {"Mod", ElementwiseShape},
    {"Mul", ElementwiseShape},
    {"MultiHeadAttention", ManyHeadsShape},
    {"Neg", ElementwiseShape},
    {"NhwcConv", ConvShape},
    {"NhwcFusedConv", ConvShape},
    {"NhwcMaxPool", PoolShape},
    {"NonMaxSuppression", Open<2, 3>},
    {"NonZero", NonZeroShape},
    {"Not", ElementwiseShape},
    {"OneHot", OneHotShape},
    {"Or", ElementwiseShape},
    {"PRelu", Same<0>},
    {"PackedMultiHeadAttention", Same<0>},
    {"Pad", PadShape},
    {"Pow", ElementwiseShape},
    {"QAttention", ProjectedHeadsShape},
    {"QGemm", GemmShape},
    {"QLinearAdd", QuantizedPair},
    {"QLinearAveragePool", PoolShape},
    {"QLinearConv", ConvShape},
    {"QLinearGlobalAveragePool", GlobalPoolShape},
    {"QLinearLeakyRelu", Same<0>},
    {"QLinearMatMul", MatMulShape},
    {"QLinearMul", QuantizedPair},
    {"QLinearReduceMean", ReduceShape},
    {"QLinearSigmoid", Same<0>},
    {"QLinearSoftmax", Same<0>},
    {"QuantizeLinear", Same<0>},
    {"QuickGelu", Same<0>},
    {"RMSNormalization", LayerNorm},
    {"RNN", RecurrenceShape},
    {"RandomNormal", RandomShape},
    {"RandomNormalLike", Same<0>},
    {"RandomUniform", RandomShape},
    {"RandomUniformLike", Same<0>},
    {"Range", RangeShape},
    {"Reciprocal", ElementwiseShape},
    {"ReduceL1", ReduceShape},
    {"ReduceL2", ReduceShape},
    {"ReduceLogSum", ReduceShape},
    {"ReduceLogSumExp", ReduceShape},
    {"ReduceMax", ReduceShape},
    {"ReduceMean", ReduceShape},
    {"ReduceMin", ReduceShape},
    {"ReduceProd", ReduceShape},
    {"ReduceSum", ReduceShape},
    {"ReduceSumInteger", ReduceShape},
    {"ReduceSumSquare", ReduceShape},
    {"Relu", Same<0>},
    {"ReorderInput", Reorder},
    {"ReorderOutput", Reorder},
    {"Reshape", ReshapeShape},
    {"Resize", ResizeShape},
    {"ReverseSequence", Same<0>},
    {"RotaryEmbedding", Same<0>},
    {"Round", ElementwiseShape},
    {"Scatter", Same<0>},
    {"ScatterElements", Same<0>},
    {"ScatterND", ScatterNDShape},
    {"Selu", Same<0>},
    {"Shape", ShapeShape},
    {"Shrink", Same<0>},
    {"Sigmoid", Same<0>},
    {"Sign", Same<0>},
    {"SimplifiedLayerNormalization", LayerNorm},
    {"Sin", Same<0>},
    {"Sinh", Same<0>},
    {"Size", SizeShape},
    {"SkipGroupNorm", Same<0>},
    {"SkipLayerNormalization", LayerNorm},
    {"SkipSimplifiedLayerNormalization", LayerNorm},
    {"Slice", SliceShape},
    {"Softmax", Same<0>},
    {"Softplus", Same<0>},
    {"Softsign", Same<0>},
    {"SpaceToDepth", SpaceShape},
    {"Split", SplitShape},
    {"Sqrt", ElementwiseShape},
    {"Squeeze", SqueezeShape},
    {"Sub", ElementwiseShape},
    {"Sum", ElementwiseShape},
    {"Swish", Same<0>},
    {"Tan", Same<0>},
    {"Tanh", Same<0>},
    {"ThresholdedRelu", Same<0>},
    {"Tile", TileShape},
    {"TopK", TopKShape},
    {"Transpose", TransposeShape},
    {"TransposeMatMul", MatMulShape},
    {"Trilu", Same<0>},
    {"Unsqueeze", UnsqueezeShape},
    {"Upsample", ResizeShape},
    {"Where", WhereShape},
    {"Xor", ElementwiseShape},
};

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) { return a.op_type < b.op_type; }));

}  // namespace

ShapeRule ShapeRuleOf(absl::string_view domain, absl::string_view op_type) {
  if (!HasRules(domain) && domain != "com.ms.internal.nhwc") return nullptr;
  const Row* const row =
      std::lower_bound(std::begin(kRows), std::end(kRows), op_type,
                       [](const Row& each, absl::string_view type) { return each.op_type < type; });
  return row != std::end(kRows) && row->op_type == op_type ? row->rule : nullptr;
}

}  // namespace onnx_hier
