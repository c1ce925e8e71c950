// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/type_rules.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "lib/graph/data_type.h"

namespace onnx_hier {
namespace {

using Kind = TypeRule::Kind;
using data_type::kBool;
using data_type::kFloat;
using data_type::kInt32;
using data_type::kInt64;
using data_type::kString;
using data_type::kUint8;

struct Entry {
  absl::string_view op_type;
  TypeRule rule;
};

// Of the first output, and of the others if kLaterEntries does not say. In order of the operators.
constexpr Entry kEntries[] = {
    {"And", {Kind::kFixed, kBool}},
    {"ArgMax", {Kind::kFixed, kInt64}},
    {"ArgMin", {Kind::kFixed, kInt64}},
    {"Bernoulli", {Kind::kAttributeOrInput, 0, "dtype"}},
    {"BitCast", {Kind::kAttribute, 0, "to"}},
    {"BlackmanWindow", {Kind::kAttribute, kFloat, "output_datatype"}},
    {"Cast", {Kind::kAttribute, 0, "to"}},
    {"CastLike", {Kind::kInput, 1}},
    {"CastMap", {Kind::kUnknown}},
    {"CategoryMapper", {Kind::kUnknown}},
    {"ConcatFromSequence", {Kind::kElement}},
    {"Constant", {Kind::kConstant}},
    {"ConstantOfShape", {Kind::kFilled}},
    {"ConvInteger", {Kind::kFixed, kInt32}},
    {"DequantizeLinear", {Kind::kAttributeOrInput, 1, "output_dtype"}},
    {"DictVectorizer", {Kind::kUnknown}},
    {"DynamicQuantizeLinear", {Kind::kFixed, kUint8}},
    {"EmbedLayerNormalization", {Kind::kInput, 2}},
    {"Equal", {Kind::kFixed, kBool}},
    {"EyeLike", {Kind::kAttributeOrInput, 0, "dtype"}},
    {"FeatureVectorizer", {Kind::kFixed, kFloat}},
    {"GatherBlockQuantized", {Kind::kInput, 2}},
    {"Greater", {Kind::kFixed, kBool}},
    {"GreaterOrEqual", {Kind::kFixed, kBool}},
    {"HammingWindow", {Kind::kAttribute, kFloat, "output_datatype"}},
    {"HannWindow", {Kind::kAttribute, kFloat, "output_datatype"}},
    {"If", {Kind::kBodies}},
    {"ImageDecoder", {Kind::kFixed, kUint8}},
    {"IsInf", {Kind::kFixed, kBool}},
    {"IsNaN", {Kind::kFixed, kBool}},
    {"LabelEncoder", {Kind::kConstant}},
    {"Less", {Kind::kFixed, kBool}},
    {"LessOrEqual", {Kind::kFixed, kBool}},
    {"LinearClassifier", {Kind::kConstant}},
    {"LinearRegressor", {Kind::kFixed, kFloat}},
    {"Loop", {Kind::kBodies}},
    {"MatMulInteger", {Kind::kFixed, kInt32}},
    {"MatMulIntegerToFloat", {Kind::kInput, 2}},
    {"MelWeightMatrix", {Kind::kAttribute, kFloat, "output_datatype"}},
    {"Multinomial", {Kind::kAttribute, kInt32, "dtype"}},
    {"NGramRepeatBlock", {Kind::kInput, 1}},
    {"NonMaxSuppression", {Kind::kFixed, kInt64}},
    {"NonZero", {Kind::kFixed, kInt64}},
    {"Normalizer", {Kind::kFixed, kFloat}},
    {"Not", {Kind::kFixed, kBool}},
    {"OneHot", {Kind::kInput, 2}},
    {"OneHotEncoder", {Kind::kFixed, kFloat}},
    {"Optional", {Kind::kOptional}},
    {"OptionalGetElement", {Kind::kElement}},
    {"OptionalHasElement", {Kind::kFixed, kBool}},
    {"Or", {Kind::kFixed, kBool}},
    {"QAttention", {Kind::kInput, 2}},
    {"QEmbedLayerNormalization", {Kind::kFixed, kFloat}},
    {"QGemm", {Kind::kInput, 8}},
    {"QLinearConcat", {Kind::kInput, 1}},
    {"QLinearConv", {Kind::kInput, 7}},
    {"QLinearMatMul", {Kind::kInput, 7}},
    {"QLinearWhere", {Kind::kInput, 1}},
    {"QuantizeLinear", {Kind::kZeroPoint, 2, "output_dtype"}},
    {"RandomNormal", {Kind::kAttribute, kFloat, "dtype"}},
    {"RandomNormalLike", {Kind::kAttributeOrInput, 0, "dtype"}},
    {"RandomUniform", {Kind::kAttribute, kFloat, "dtype"}},
    {"RandomUniformLike", {Kind::kAttributeOrInput, 0, "dtype"}},
    {"RegexFullMatch", {Kind::kFixed, kBool}},
    {"SVMClassifier", {Kind::kConstant}},
    {"SVMRegressor", {Kind::kFixed, kFloat}},
    {"Scaler", {Kind::kFixed, kFloat}},
    {"Scan", {Kind::kBodies}},
    {"SequenceAt", {Kind::kElement}},
    {"SequenceConstruct", {Kind::kSequence}},
    {"SequenceEmpty", {Kind::kAttribute, kFloat, "dtype"}},
    {"SequenceLength", {Kind::kFixed, kInt64}},
    {"SequenceMap", {Kind::kBodies}},
    {"Shape", {Kind::kFixed, kInt64}},
    {"Size", {Kind::kFixed, kInt64}},
    {"SparseToDenseMatMul", {Kind::kInput, 1}},
    {"SplitToSequence", {Kind::kSequence}},
    {"StringSplit", {Kind::kFixed, kString}},
    {"TfIdfVectorizer", {Kind::kFixed, kFloat}},
    {"TreeEnsembleClassifier", {Kind::kConstant}},
    {"TreeEnsembleRegressor", {Kind::kFixed, kFloat}},
    {"Where", {Kind::kInput, 1}},
    {"Xor", {Kind::kFixed, kBool}},
    {"ZipMap", {Kind::kUnknown}},
};

static_assert(std::is_sorted(std::begin(kEntries), std::end(kEntries),
                             [](const Entry& a, const Entry& b) { return a.op_type < b.op_type; }));

// Of outputs behind the first one, up to `last`.
struct LaterEntry {
  absl::string_view op_type;
  uint32_t last;
  TypeRule rule;
};

constexpr LaterEntry kLaterEntries[] = {
    {"BatchNormalization", 4, {Kind::kInput, 3}},
    {"BeamSearch", 2, {Kind::kFixed, kFloat}},
    {"Dropout", 1, {Kind::kFixed, kBool}},
    {"DynamicQuantizeLinear", 1, {Kind::kFixed, kFloat}},
    {"DynamicQuantizeLinear", 2, {Kind::kFixed, kUint8}},
    {"EmbedLayerNormalization", 1, {Kind::kFixed, kInt32}},
    {"LayerNormalization", 2, {Kind::kAttribute, kFloat, "stash_type"}},
    {"LinearClassifier", 1, {Kind::kFixed, kFloat}},
    {"MaxPool", 1, {Kind::kFixed, kInt64}},
    {"QEmbedLayerNormalization", 1, {Kind::kFixed, kInt32}},
    {"SVMClassifier", 1, {Kind::kFixed, kFloat}},
    {"SimplifiedLayerNormalization", 1, {Kind::kAttribute, kFloat, "stash_type"}},
    {"SkipLayerNormalization", 2, {Kind::kFixed, kFloat}},
    {"SkipSimplifiedLayerNormalization", 2, {Kind::kFixed, kFloat}},
    {"StringSplit", 1, {Kind::kFixed, kInt64}},
    {"TopK", 1, {Kind::kFixed, kInt64}},
    {"TreeEnsembleClassifier", 1, {Kind::kFixed, kFloat}},
    {"Unique", 3, {Kind::kFixed, kInt64}},
};

// Indices, sizes, axes and conditions; of indices that may be of 32 bits, too, exporters write 64.
struct ReadingEntry {
  absl::string_view op_type;
  uint32_t first;
  uint32_t last;
  ReadingRule rule;
};

constexpr uint32_t kAll = 0xFFFFFFFF;
constexpr ReadingRule kIndices = {.element = kInt64};
constexpr ReadingRule kCondition = {.element = kBool};
constexpr ReadingRule kLikeOthers = {.like_others = true};
constexpr ReadingRule kLikeOtherFloats = {.like_others = true, .is_floating = true};
constexpr ReadingRule kFloats = {.is_floating = true};

constexpr ReadingEntry kReadingEntries[] = {
    {"Gather", 1, 1, kIndices},
    {"GatherElements", 1, 1, kIndices},
    {"GatherND", 1, 1, kIndices},
    {"ScatterElements", 1, 1, kIndices},
    {"ScatterND", 1, 1, kIndices},
    {"Reshape", 1, 1, kIndices},
    {"Expand", 1, 1, kIndices},
    {"Tile", 1, 1, kIndices},
    {"Slice", 1, 4, kIndices},
    {"Squeeze", 1, 1, kIndices},
    {"Unsqueeze", 1, 1, kIndices},
    {"Pad", 1, 1, kIndices},
    {"Split", 1, 1, kIndices},
    {"TopK", 1, 1, kIndices},
    {"ConstantOfShape", 0, 0, kIndices},
    {"Where", 0, 0, kCondition},
    {"If", 0, 0, kCondition},
    {"Not", 0, 0, kCondition},
    {"And", 0, 1, kCondition},
    {"Or", 0, 1, kCondition},
    {"Xor", 0, 1, kCondition},
    {"Conv", 0, kAll, kLikeOtherFloats},
    {"ConvTranspose", 0, kAll, kLikeOtherFloats},
    {"PRelu", 0, kAll, kLikeOtherFloats},
    {"BatchNormalization", 0, kAll, kLikeOtherFloats},
    {"InstanceNormalization", 0, kAll, kLikeOtherFloats},
    {"GroupNormalization", 0, kAll, kLikeOtherFloats},
    {"LayerNormalization", 0, kAll, kLikeOtherFloats},
    {"MatMul", 0, kAll, kLikeOthers},
    {"Gemm", 0, kAll, kLikeOthers},
    {"Add", 0, kAll, kLikeOthers},
    {"Sub", 0, kAll, kLikeOthers},
    {"Mul", 0, kAll, kLikeOthers},
    {"Div", 0, kAll, kLikeOthers},
    {"Sum", 0, kAll, kLikeOthers},
    {"Max", 0, kAll, kLikeOthers},
    {"Min", 0, kAll, kLikeOthers},
    {"Mean", 0, kAll, kLikeOthers},
    {"Concat", 0, kAll, kLikeOthers},
    {"Equal", 0, kAll, kLikeOthers},
    {"Less", 0, kAll, kLikeOthers},
    {"Greater", 0, kAll, kLikeOthers},
    {"Relu", 0, 0, kFloats},
    {"LeakyRelu", 0, 0, kFloats},
    {"Elu", 0, 0, kFloats},
    {"Sigmoid", 0, 0, kFloats},
    {"Tanh", 0, 0, kFloats},
    {"Erf", 0, 0, kFloats},
    {"Exp", 0, 0, kFloats},
    {"Log", 0, 0, kFloats},
    {"Sqrt", 0, 0, kFloats},
    {"Softmax", 0, 0, kFloats},
    {"LogSoftmax", 0, 0, kFloats},
    {"AveragePool", 0, 0, kFloats},
    {"GlobalAveragePool", 0, 0, kFloats},
};

}  // namespace

TypeRule RuleOf(absl::string_view op_type, uint32_t slot) {
  if (slot > 0) {
    for (const LaterEntry& entry : kLaterEntries) {
      if (slot <= entry.last && entry.op_type == op_type) return entry.rule;
    }
  }
  const auto* const found = std::lower_bound(
      std::begin(kEntries), std::end(kEntries), op_type,
      [](const Entry& entry, absl::string_view type) { return entry.op_type < type; });
  return found != std::end(kEntries) && found->op_type == op_type ? found->rule : TypeRule();
}

bool HasRules(absl::string_view domain) {
  constexpr absl::string_view kDomains[] = {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.training"};
  return std::find(std::begin(kDomains), std::end(kDomains), domain) != std::end(kDomains) ||
         absl::StartsWith(domain, "com.microsoft") || absl::StartsWith(domain, "ai.onnx.preview");
}

ReadingRule ReadingRuleOf(absl::string_view op_type, uint32_t slot) {
  for (const ReadingEntry& entry : kReadingEntries) {
    if (entry.op_type == op_type && entry.first <= slot && slot <= entry.last) return entry.rule;
  }
  return {};
}

}  // namespace onnx_hier
