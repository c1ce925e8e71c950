// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/rule_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace onnx_hier {
namespace {

constexpr size_t kLongestEquation = 256;  // longer ones are nobody's

}  // namespace

Dim CountOf(Expressions& all, absl::Span<const Dim> dims) {
  Dim product = 1;
  for (Dim dim : dims) product = all.Times(product, dim);
  return product;
}

std::optional<std::vector<size_t>> SmallSizes(absl::Span<const Dim> dims) {
  std::vector<size_t> sizes;
  double product = 1;
  for (Dim dim : dims) {
    if (!dim.is_number() || dim.number() < 0 || dim.number() > kMostElements) return std::nullopt;
    product *= std::max(dim.number(), 1.0);  // nothing is as much work as one
    sizes.push_back(static_cast<size_t>(dim.number()));
  }
  if (product > kMostElements) return std::nullopt;
  return sizes;
}

std::optional<size_t> AxisOf(double axis, size_t rank) {
  const auto end = static_cast<double>(rank);
  if (axis < -end || axis >= end || std::trunc(axis) != axis) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + end : axis);
}

std::optional<DimList> Broadcast(absl::Span<const absl::Span<const Dim>> shapes) {
  size_t rank = 0;
  for (absl::Span<const Dim> shape : shapes) rank = std::max(rank, shape.size());
  DimList dims(rank, Dim(1));
  for (absl::Span<const Dim> shape : shapes) {
    for (size_t i = 0; i < shape.size(); ++i) {
      Dim& into = dims[rank - shape.size() + i];
      const Dim from = shape[i];
      if (from.Is(1) || from == into) continue;
      const bool is_stretched = into.Is(1);
      if (into.is_number() && from.is_number() && !is_stretched) return std::nullopt;
      if (is_stretched || from.is_number()) {  // what is open is that, or 1
        into = from;
      } else if (!into.is_number()) {
        into = Dim();
      }
    }
  }
  return dims;
}

std::optional<DimList> BroadcastInputs(const ShapedNode& node, size_t first, size_t end) {
  std::vector<absl::Span<const Dim>> shapes;
  for (size_t i = first; i < end; ++i) {
    if (!node.Has(i)) continue;
    const std::optional<absl::Span<const Dim>> dims = node.DimsOf(i);
    if (!dims) return std::nullopt;
    shapes.push_back(*dims);
  }
  return Broadcast(shapes);
}

std::optional<Elements> ElementsOrNumbers(const ShapedNode& node, absl::string_view attribute,
                                          size_t input) {
  if (!attribute.empty() && node.HasAttribute(attribute)) {
    const absl::Span<const double> numbers = node.Numbers(attribute);
    return Elements(numbers.begin(), numbers.end());
  }
  if (!node.Has(input)) return std::nullopt;
  const std::optional<absl::Span<const Dim>> elements = node.ElementsOf(input);
  if (!elements) return std::nullopt;
  return Elements(elements->begin(), elements->end());
}

std::optional<std::vector<double>> NumbersOf(const ShapedNode& node, absl::string_view attribute,
                                             size_t input) {
  const std::optional<Elements> elements = ElementsOrNumbers(node, attribute, input);
  if (!elements) return std::nullopt;
  std::vector<double> numbers;
  for (Dim element : *elements) {
    if (!element.is_number()) return std::nullopt;
    numbers.push_back(element.number());
  }
  return numbers;
}

std::vector<size_t> StridesOf(const std::vector<size_t>& sizes) {
  std::vector<size_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

Elements Picked(absl::Span<const Dim> from, absl::Span<const std::vector<size_t>> offsets) {
  std::vector<size_t> places = {0};
  for (const std::vector<size_t>& of_dimension : offsets) {
    std::vector<size_t> next;
    next.reserve(places.size() * of_dimension.size());
    for (size_t place : places) {
      for (size_t offset : of_dimension) next.push_back(place + offset);
    }
    places = std::move(next);
  }
  Elements elements;
  elements.reserve(places.size());
  for (size_t place : places) elements.push_back(place < from.size() ? from[place] : Dim());
  return elements;
}

std::vector<std::vector<size_t>> AllPlaces(const ShapedNode& node) {
  std::vector<std::vector<size_t>> offsets;
  const std::optional<absl::Span<const Dim>> dims = node.DimsOf(0);
  const std::optional<std::vector<size_t>> sizes = dims ? SmallSizes(*dims) : std::nullopt;
  if (!sizes || !node.ElementsOf(0)) return offsets;
  const std::vector<size_t> strides = StridesOf(*sizes);
  for (size_t i = 0; i < sizes->size(); ++i) {
    std::vector<size_t>& places = offsets.emplace_back();
    for (size_t place = 0; place < (*sizes)[i]; ++place) places.push_back(place * strides[i]);
  }
  return offsets;
}

std::optional<EinsumTerms> EinsumTermsOf(const ShapedNode& node) {
  std::string equation(node.Text("equation"));
  if (equation.size() > kLongestEquation) return std::nullopt;
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  EinsumTerms terms;
  terms.inputs = absl::StrSplit(equation.substr(0, arrow), ',');
  constexpr char kFirstOpen = 1;  // letters of "...", from the last one of them on
  constexpr absl::string_view kOpen = "...";
  const auto spelled = [&](std::string& term, size_t count) {
    std::string letters;
    for (size_t i = count; i-- > 0;) letters.push_back(static_cast<char>(kFirstOpen + i));
    if (const size_t at = term.find("..."); at != std::string::npos) {
      term.replace(at, kOpen.size(), letters);
    }
  };
  size_t most = 0;
  for (size_t i = 0; i < terms.inputs.size(); ++i) {
    std::string& term = terms.inputs[i];
    const std::optional<absl::Span<const Dim>> dims = node.DimsOf(i);
    if (!dims) return std::nullopt;
    const bool is_open = absl::StrContains(term, kOpen);
    const size_t letters = term.size() - (is_open ? kOpen.size() : 0);
    if (is_open ? dims->size() < letters : dims->size() != letters) return std::nullopt;
    most = std::max(most, dims->size() - letters);
    spelled(term, dims->size() - letters);
    for (size_t d = 0; d < dims->size(); ++d) {
      Dim& size = terms.sizes[term[d]];
      if (!size.is_known() || size.Is(1)) size = (*dims)[d];
    }
  }
  if (arrow != std::string::npos) {
    terms.result = equation.substr(arrow + 2);
    spelled(terms.result, most);
    return terms;
  }
  // What occurs once, in the order of the alphabet.
  if (most > 0) return std::nullopt;
  std::string all = absl::StrJoin(terms.inputs, "");
  std::sort(all.begin(), all.end());
  for (char letter : all) {
    if (std::count(all.begin(), all.end(), letter) == 1) terms.result.push_back(letter);
  }
  return terms;
}

void MakeSame(ShapedNode& node, DimList dims) {
  const std::optional<absl::Span<const Dim>> elements = node.ElementsOf(0);
  if (elements) {
    node.Make(0, std::move(dims), Elements(elements->begin(), elements->end()));
  } else {
    node.Make(0, std::move(dims));
  }
}

}  // namespace onnx_hier
