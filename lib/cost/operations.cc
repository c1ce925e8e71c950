// SPDX-License-Identifier: Apache-2.0
#include "lib/cost/operations.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "lib/shapes/rule_parts.h"

namespace onnx_hier {
namespace {

using Span = absl::Span<const Dim>;

Dim ProductOf(const ShapedNode& node, std::optional<Span> dims) {
  return dims ? CountOf(node.all(), *dims) : Dim();
}

// Each element that is made is a sum over a kernel's weights.
template <size_t kWeight>
Dim Conv(const ShapedNode& node, std::optional<Span> output) {
  const std::optional<Span> weight = node.DimsOf(kWeight);
  if (!weight || weight->empty()) return Dim();
  return node.all().Times(ProductOf(node, output), CountOf(node.all(), weight->subspan(1)));
}

// Each element that is read goes into all that a kernel covers.
Dim ConvTranspose(const ShapedNode& node, std::optional<Span>) {
  return Conv<1>(node, node.DimsOf(0));
}

Dim MatMul(const ShapedNode& node, std::optional<Span> output) {
  const std::optional<Span> a = node.DimsOf(0);
  if (!a || a->empty()) return Dim();
  const bool is_turned = node.Number("transA", 0) != 0 && a->size() > 1;
  return node.all().Times(ProductOf(node, output), (*a)[a->size() - (is_turned ? 2 : 1)]);
}

Dim NBits(const ShapedNode& node, std::optional<Span> output) {
  return node.HasAttribute("K") ? node.all().Times(ProductOf(node, output), node.Number("K", 0))
                                : Dim();
}

template <int kGates>
Dim Recurrence(const ShapedNode& node, std::optional<Span> output) {
  const std::optional<Span> x = node.DimsOf(0);
  const std::optional<Span> recurrent = node.DimsOf(2);
  if (!x || x->size() != 3 || !recurrent || recurrent->size() != 3) return Dim();
  Expressions& all = node.all();
  const Dim hidden = recurrent->back();
  // All that is made is steps x directions x batch x hidden.
  const Dim made =
      output ? CountOf(all, *output)
             : all.Times(CountOf(all, x->subspan(0, 2)), all.Times((*recurrent)[0], hidden));
  return all.Times(all.Times(made, kGates), all.Add(x->back(), hidden));
}

// How many keys there are.
Dim Keys(const ShapedNode& node, size_t key, size_t past, Dim otherwise) {
  Dim count = otherwise;
  if (const std::optional<Span> dims = node.DimsOf(key); dims && dims->size() >= 3) {
    count = (*dims)[dims->size() == 4 ? 2 : 1];
  }
  if (const std::optional<Span> dims = node.DimsOf(past); dims && dims->size() >= 4) {
    count = node.all().Add(count, (*dims)[dims->size() - 2]);
  }
  return count;
}

// Queries times keys, and that times values: kKey, kPast: which inputs these are.
template <size_t kKey, size_t kPast>
Dim Scores(const ShapedNode& node, std::optional<Span> output) {
  const std::optional<Span> query = node.DimsOf(0);
  if (!query || !output || query->size() < 3) return Dim();
  const bool is_packed = !node.Has(kKey);
  const Dim own = (*query)[query->size() == 4 ? 2 : 1];
  const Dim keys = Keys(node, kKey, kPast, own);
  Expressions& all = node.all();
  const Dim made = CountOf(all, *output);
  return all.Times(all.Add(is_packed ? made : CountOf(all, *query), made), keys);
}

// The same, behind the product that makes queries, keys and values.
Dim Attention(const ShapedNode& node, std::optional<Span> output) {
  if (node.domain() != "com.microsoft") return Scores<1, 4>(node, output);
  const std::optional<Span> x = node.DimsOf(0);
  const std::optional<Span> weight = node.DimsOf(1);
  if (!x || !output || !weight || x->size() != 3 || weight->size() != 2) return Dim();
  Expressions& all = node.all();
  const Dim projected = all.Times(CountOf(all, *x), (*weight)[1]);
  const size_t past = node.op_type() == "QAttention" ? 8 : 4;
  const Dim keys = Keys(node, node.inputs(), past, (*x)[1]);
  return all.Add(projected, all.Times(all.Times(CountOf(all, *output), 2), keys));
}

// Of two factors: all that their letters count.
Dim Einsum(const ShapedNode& node, std::optional<Span>) {
  if (node.inputs() == 1) return 0;
  const std::optional<EinsumTerms> terms = EinsumTermsOf(node);
  if (!terms || node.inputs() > 2) return Dim();
  Dim product = 1;
  for (const auto& [letter, size] : terms->sizes) product = node.all().Times(product, size);
  return product;
}

Dim Unheard(const ShapedNode&, std::optional<Span>) { return Dim(); }

struct Row {
  absl::string_view op_type;
  Dim (*macs)(const ShapedNode& node, std::optional<Span> output);
};

// Operators that multiply and add.
constexpr Row kRows[] = {
    {"Attention", Attention},
    {"Conv", Conv<1>},
    {"ConvInteger", Conv<1>},
    {"ConvTranspose", ConvTranspose},
    {"DecoderMaskedMultiHeadAttention", Scores<1, 5>},
    {"DeformConv", Conv<1>},
    {"DynamicQuantizeLSTM", Unheard},
    {"DynamicQuantizeMatMul", MatMul},
    {"Einsum", Einsum},
    {"FusedConv", Conv<1>},
    {"FusedGemm", MatMul},
    {"FusedMatMul", MatMul},
    {"FusedMatMulActivation", MatMul},
    {"GRU", Recurrence<3>},
    {"Gemm", MatMul},
    {"GemmFastGelu", MatMul},
    {"GroupQueryAttention", Scores<1, 3>},
    {"LSTM", Recurrence<4>},
    {"LinearAttention", Unheard},
    {"MatMul", MatMul},
    {"MatMulBnb4", NBits},
    {"MatMulFpQ4", NBits},
    {"MatMulInteger", MatMul},
    {"MatMulInteger16", MatMul},
    {"MatMulIntegerToFloat", MatMul},
    {"MatMulNBits", NBits},
    {"MoE", Unheard},
    {"MultiHeadAttention", Scores<1, 6>},
    {"NhwcConv", Conv<1>},
    {"NhwcFusedConv", Conv<1>},
    {"PackedMultiHeadAttention", Unheard},
    {"QAttention", Attention},
    {"QGemm", MatMul},
    {"QLinearConv", Conv<3>},
    {"QLinearMatMul", MatMul},
    {"QMoE", Unheard},
    {"RNN", Recurrence<1>},
    {"SparseAttention", Unheard},
    {"TransposeMatMul", MatMul},
};

// Operators that calculate nothing, but give what they read another place, form or name.
constexpr absl::string_view kMovers[] = {
    "Cast",
    "CastLike",
    "Compress",
    "Concat",
    "Constant",
    "ConstantOfShape",
    "DepthToSpace",
    "Dropout",
    "Expand",
    "Flatten",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "If",
    "Loop",
    "OneHot",
    "Pad",
    "Range",
    "ReorderInput",
    "ReorderOutput",
    "Reshape",
    "ReverseSequence",
    "Scan",
    "Scatter",
    "ScatterElements",
    "ScatterND",
    "Shape",
    "Size",
    "Slice",
    "SpaceToDepth",
    "Split",
    "Squeeze",
    "Tile",
    "Transpose",
    "Trilu",
    "Unsqueeze",
    "Where",
};

}  // namespace

OperatorWork::OperatorWork(absl::string_view op_type) {
  const auto* const row =
      absl::c_find_if(kRows, [&](const Row& each) { return each.op_type == op_type; });
  if (row != std::end(kRows)) macs_ = row->macs;
  is_mover_ = absl::c_linear_search(kMovers, op_type);
}

Operations OperatorWork::Of(const ShapedNode& node, std::optional<Span> output) const {
  if (macs_ != nullptr) return {.macs = macs_(node, output)};
  if (is_mover_) return {};
  const Dim made = ProductOf(node, output);
  const Dim read = ProductOf(node, node.DimsOf(0));
  if (!made.is_number() || !read.is_number()) return {.others = made};
  return {.others = std::max(made.number(), read.number())};
}

}  // namespace onnx_hier
