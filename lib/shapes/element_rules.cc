// SPDX-License-Identifier: Apache-2.0

// Rules of operators that work element by element.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "lib/graph/data_type.h"
#include "lib/shapes/rule_parts.h"
#include "lib/shapes/shape_rules.h"

namespace onnx_hier {
namespace {

constexpr size_t kMostTerms = 256;

// `b`: of operators that read one tensor, none.
using Calculation = Dim (*)(Expressions& all, Dim a, Dim b, bool is_integer);

template <class OfNumbers>
Dim Compared(Dim a, Dim b, const OfNumbers& of_numbers) {
  return a.is_number() && b.is_number() ? Dim(of_numbers(a.number(), b.number()) ? 1 : 0) : Dim();
}

template <class OfNumber>
Dim OfOne(Dim a, const OfNumber& of_number) {
  return a.is_number() ? Dim(of_number(a.number())) : Dim();
}

// Dimensions are no less than 1, or they would not be asked for.
Dim Equal(Expressions&, Dim a, Dim b, bool) {
  if (a == b) return 1;
  if (a.is_number() && b.is_number()) return 0;
  const Dim number = a.is_number() ? a : b;
  return a.is_known() && b.is_known() && number.is_number() && number.number() < 1 ? Dim(0) : Dim();
}

constexpr struct {
  absl::string_view op_type;
  Calculation calculation;
} kCalculations[] = {
    {"Abs",
     [](Expressions&, Dim a, Dim, bool) { return OfOne(a, [](double x) { return std::abs(x); }); }},
    {"Add", [](Expressions& all, Dim a, Dim b, bool) { return all.Add(a, b); }},
    {"And",
     [](Expressions&, Dim a, Dim b, bool) {
       if (a.Is(0) || b.Is(0)) return Dim(0);
       return Compared(a, b, [](double x, double y) { return x != 0 && y != 0; });
     }},
    {"Ceil",
     [](Expressions& all, Dim a, Dim, bool) { return all.Divide(a, 1, Rounding::kCeiling); }},
    {"Div",
     [](Expressions& all, Dim a, Dim b, bool is_integer) {
       return all.Divide(a, b, is_integer ? Rounding::kToZero : Rounding::kNone);
     }},
    {"Equal", Equal},
    {"Floor",
     [](Expressions& all, Dim a, Dim, bool) { return all.Divide(a, 1, Rounding::kFloor); }},
    {"Greater", [](Expressions&, Dim a, Dim b, bool) { return Compared(a, b, std::greater<>()); }},
    {"GreaterOrEqual",
     [](Expressions&, Dim a, Dim b, bool) { return Compared(a, b, std::greater_equal<>()); }},
    {"Identity", [](Expressions&, Dim a, Dim, bool) { return a; }},
    {"Less", [](Expressions&, Dim a, Dim b, bool) { return Compared(a, b, std::less<>()); }},
    {"LessOrEqual",
     [](Expressions&, Dim a, Dim b, bool) { return Compared(a, b, std::less_equal<>()); }},
    {"Max",
     [](Expressions&, Dim a, Dim b, bool) {
       if (a == b) return a;
       return a.is_number() && b.is_number() ? Dim(std::max(a.number(), b.number())) : Dim();
     }},
    {"Min",
     [](Expressions&, Dim a, Dim b, bool) {
       if (a == b) return a;
       return a.is_number() && b.is_number() ? Dim(std::min(a.number(), b.number())) : Dim();
     }},
    {"Mod",
     [](Expressions&, Dim a, Dim b, bool) {
       if (!a.is_number() || !b.is_number() || b.number() == 0) return Dim();
       return Dim(a.number() - b.number() * std::floor(a.number() / b.number()));
     }},
    {"Mul", [](Expressions& all, Dim a, Dim b, bool) { return all.Times(a, b); }},
    {"Neg", [](Expressions& all, Dim a, Dim, bool) { return all.Times(a, -1); }},
    {"Not", [](Expressions&, Dim a, Dim,
               bool) { return OfOne(a, [](double x) { return x == 0 ? 1.0 : 0.0; }); }},
    {"Or",
     [](Expressions&, Dim a, Dim b, bool) {
       if ((a.is_number() && !a.Is(0)) || (b.is_number() && !b.Is(0))) return Dim(1);
       return Compared(a, b, [](double x, double y) { return x != 0 || y != 0; });
     }},
    {"Reciprocal",
     [](Expressions& all, Dim a, Dim, bool) { return all.Divide(1, a, Rounding::kNone); }},
    {"Round", [](Expressions&, Dim a, Dim,
                 bool) { return OfOne(a, [](double x) { return std::nearbyint(x); }); }},
    {"Sqrt", [](Expressions&, Dim a, Dim,
                bool) { return OfOne(a, [](double x) { return std::sqrt(x); }); }},
    {"Sub", [](Expressions& all, Dim a, Dim b, bool) { return all.Subtract(a, b); }},
    {"Sum", [](Expressions& all, Dim a, Dim b, bool) { return all.Add(a, b); }},
    {"Xor",
     [](Expressions&, Dim a, Dim b, bool) {
       return Compared(a, b, [](double x, double y) { return (x != 0) != (y != 0); });
     }},
};

Calculation CalculationOf(absl::string_view op_type) {
  const auto* const found =
      absl::c_find_if(kCalculations, [&](const auto& row) { return row.op_type == op_type; });
  return found == std::end(kCalculations) ? nullptr : found->calculation;
}

// An input's elements, stretched to `sizes`; none: they are not known.
std::optional<Elements> Stretched(const ShapedNode& node, size_t input,
                                  const std::vector<size_t>& sizes) {
  const std::optional<absl::Span<const Dim>> elements = node.ElementsOf(input);
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(input);
  if (!elements || !dims) return std::nullopt;
  const std::optional<std::vector<size_t>> own = SmallSizes(*dims);
  if (!own || own->size() > sizes.size()) return std::nullopt;
  const std::vector<size_t> strides = StridesOf(*own);
  const size_t missing = sizes.size() - own->size();
  std::vector<std::vector<size_t>> offsets(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool repeats = i < missing || (*own)[i - missing] == 1;
    for (size_t place = 0; place < sizes[i]; ++place) {
      offsets[i].push_back(repeats ? 0 : place * strides[i - missing]);
    }
  }
  return Picked(*elements, offsets);
}

}  // namespace

void ElementwiseShape(ShapedNode& node) {
  const std::optional<DimList> dims = BroadcastInputs(node, 0, node.inputs());
  if (!dims) return;
  const Calculation calculate = CalculationOf(node.op_type());
  const std::optional<std::vector<size_t>> sizes = SmallSizes(*dims);
  // No shape is made of so many.
  const bool is_long = node.inputs() > kMostTerms;
  if (calculate == nullptr || !sizes || is_long) return node.Make(0, *dims);
  std::optional<Elements> result;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const std::optional<Elements> elements = Stretched(node, i, *sizes);
    if (!elements) return node.Make(0, *dims);
    if (!result) {
      result = *elements;
      if (node.inputs() > 1) continue;
    }
    for (size_t e = 0; e < result->size(); ++e) {
      (*result)[e] = calculate(node.all(), (*result)[e], (*elements)[e], node.IsInteger(0));
    }
  }
  if (!result) return;
  node.Make(0, *dims, *std::move(result));
}

void WhereShape(ShapedNode& node) {
  const std::optional<DimList> dims = BroadcastInputs(node, 0, 3);
  if (!dims || node.inputs() != 3) return;
  const std::optional<std::vector<size_t>> sizes = SmallSizes(*dims);
  if (!sizes) return node.Make(0, *dims);
  const std::optional<Elements> conditions = Stretched(node, 0, *sizes);
  const std::optional<Elements> yes = Stretched(node, 1, *sizes);
  const std::optional<Elements> no = Stretched(node, 2, *sizes);
  if (!conditions || !yes || !no) return node.Make(0, *dims);
  Elements result;
  for (size_t e = 0; e < conditions->size(); ++e) {
    const Dim condition = (*conditions)[e];
    const bool is_same = (*yes)[e] == (*no)[e];
    result.push_back(condition.is_number() ? (condition.Is(0) ? *no : *yes)[e]
                     : is_same             ? (*yes)[e]
                                           : Dim());
  }
  node.Make(0, *dims, std::move(result));
}

// Elements of another type.
void CastShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(0);
  if (!dims) return;
  const DimList same(dims->begin(), dims->end());
  const std::optional<absl::Span<const Dim>> elements = node.ElementsOf(0);
  if (!elements || !SmallSizes(same)) return node.Make(0, same);
  constexpr double kFractions[] = {data_type::kFloat, data_type::kFloat16, data_type::kDouble,
                                   data_type::kBfloat16};
  const double to = node.Number("to", 0);
  const bool keeps = absl::c_linear_search(kFractions, to) || node.op_type() == "CastLike";
  Elements result;
  for (Dim element : *elements) {
    result.push_back(keeps ? element
                     : to == data_type::kBool
                         ? OfOne(element, [](double x) { return x != 0 ? 1.0 : 0.0; })
                         : node.all().Divide(element, 1, Rounding::kToZero));
  }
  node.Make(0, same, std::move(result));
}

}  // namespace onnx_hier
