// SPDX-License-Identifier: Apache-2.0

// Rules of operators that choose, count, reduce or fill.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "lib/shapes/rule_parts.h"
#include "lib/shapes/shape_rules.h"

namespace onnx_hier {
namespace {

using Span = absl::Span<const Dim>;

DimList Joined(std::initializer_list<Span> parts) {
  DimList dims;
  for (Span part : parts) dims.insert(dims.end(), part.begin(), part.end());
  return dims;
}

}  // namespace

void ShapeShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return node.Make(0, {Dim()});
  const auto rank = static_cast<double>(from->size());
  const auto bound = [&](absl::string_view name, double otherwise) {
    const double at = node.Number(name, otherwise);
    return static_cast<size_t>(std::clamp(at < 0 ? at + rank : at, 0.0, rank));
  };
  const size_t begin = bound("start", 0);
  const size_t end = std::max(begin, bound("end", rank));
  const Span part = from->subspan(begin, end - begin);
  node.Make(0, {static_cast<double>(part.size())}, Elements(part.begin(), part.end()));
}

void SizeShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  node.Make(0, {}, {from ? CountOf(node.all(), *from) : Dim()});
}

void ConstantOfShapeShape(ShapedNode& node) {
  const std::optional<Elements> wanted = ElementsOrNumbers(node, "", 0);
  if (!wanted) {
    const std::optional<Span> shape = node.DimsOf(0);
    if (!shape) return;
    const std::optional<std::vector<size_t>> rank = SmallSizes(*shape);
    if (rank && rank->size() == 1) node.Make(0, DimList(rank->front(), Dim()));
    return;
  }
  const DimList dims(wanted->begin(), wanted->end());
  const std::optional<std::vector<size_t>> sizes = SmallSizes(dims);
  if (!sizes) return node.Make(0, dims);
  size_t count = 1;
  for (size_t size : *sizes) count *= size;
  const absl::Span<const double> value = node.Numbers("value");
  const bool is_zero = !node.HasAttribute("value");
  const Dim element = is_zero ? Dim(0) : value.size() == 1 ? Dim(value[0]) : Dim();
  node.Make(0, dims, Elements(count, element));
}

void RandomShape(ShapedNode& node) {
  const absl::Span<const double> shape = node.Numbers("shape");
  if (node.HasAttribute("shape")) node.Make(0, DimList(shape.begin(), shape.end()));
}

void RangeShape(ShapedNode& node) {
  const auto element = [&](size_t input) {
    const std::optional<Elements> elements = ElementsOrNumbers(node, "", input);
    return elements && elements->size() == 1 ? (*elements)[0] : Dim();
  };
  Expressions& all = node.all();
  const Dim start = element(0);
  const Dim step = element(2);
  const Dim length = all.Divide(all.Subtract(element(1), start), step, Rounding::kCeiling);
  const Dim count = length.is_number() ? Dim(std::max(0.0, length.number())) : length;
  if (!count.is_number() || count.number() > kMostElements) return node.Make(0, {count});
  Elements elements;
  for (double i = 0; i < count.number(); ++i) {
    elements.push_back(all.Add(start, all.Times(step, i)));
  }
  node.Make(0, {count}, std::move(elements));
}

void GatherShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  const std::optional<Span> indices = node.DimsOf(1);
  if (!from || !indices) return;
  const std::optional<size_t> axis = AxisOf(node.Number("axis", 0), from->size());
  if (!axis) return;
  const DimList dims = Joined({from->subspan(0, *axis), *indices, from->subspan(*axis + 1)});
  const std::optional<Span> elements = node.ElementsOf(0);
  const std::optional<std::vector<double>> chosen = NumbersOf(node, "", 1);
  std::vector<std::vector<size_t>> offsets = AllPlaces(node);
  if (!elements || !chosen || offsets.size() != from->size() || !SmallSizes(dims)) {
    return node.Make(0, dims);
  }
  std::vector<size_t> places;
  for (double index : *chosen) {
    const std::optional<size_t> place = AxisOf(index, offsets[*axis].size());
    if (!place) return node.Make(0, dims);
    places.push_back(offsets[*axis][*place]);
  }
  offsets[*axis] = std::move(places);
  node.Make(0, dims, Picked(*elements, offsets));
}

void GatherElementsShape(ShapedNode& node) {
  if (const std::optional<Span> dims = node.DimsOf(1)) {
    node.Make(0, DimList(dims->begin(), dims->end()));
  }
}

void GatherNDShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  const std::optional<Span> indices = node.DimsOf(1);
  if (!from || !indices || indices->empty() || !indices->back().is_number()) return;
  const double inner = node.Number("batch_dims", 0) + indices->back().number();
  if (inner < 0 || inner > static_cast<double>(from->size())) return;
  node.Make(0, Joined({indices->subspan(0, indices->size() - 1),
                       from->subspan(static_cast<size_t>(inner))}));
}

// Elements of a shape that are put in one by one.
void ScatterNDShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return;
  const DimList dims(from->begin(), from->end());
  const std::optional<Span> elements = node.ElementsOf(0);
  const std::optional<std::vector<double>> indices = NumbersOf(node, "", 1);
  const std::optional<Elements> updates = ElementsOrNumbers(node, "", 2);
  if (!elements || dims.size() != 1 || !indices || !updates || indices->size() != updates->size()) {
    return node.Make(0, dims);
  }
  Elements result(elements->begin(), elements->end());
  for (size_t i = 0; i < indices->size(); ++i) {
    const std::optional<size_t> place = AxisOf((*indices)[i], result.size());
    if (!place) return node.Make(0, dims);
    result[*place] = (*updates)[i];
  }
  node.Make(0, dims, std::move(result));
}

void CumSumShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return;
  const DimList dims(from->begin(), from->end());
  const std::optional<Span> elements = node.ElementsOf(0);
  const bool is_plain = node.Number("exclusive", 0) == 0 && node.Number("reverse", 0) == 0;
  const size_t long_ones =
      static_cast<size_t>(absl::c_count_if(dims, [](Dim dim) { return !dim.Is(1); }));
  if (!elements || !is_plain || long_ones > 1) return node.Make(0, dims);
  const std::optional<std::vector<double>> axes = NumbersOf(node, "", 1);
  if (!axes || axes->size() != 1) return node.Make(0, dims);
  const std::optional<size_t> axis = AxisOf((*axes)[0], dims.size());
  if (!axis || (long_ones == 1 && dims[*axis].Is(1))) return node.Make(0, dims);
  Elements sums;
  Dim sum = 0;
  for (Dim element : *elements) sums.push_back(sum = node.all().Add(sum, element));
  node.Make(0, dims, std::move(sums));
}

void NonZeroShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return node.Make(0, {Dim(), Dim()});
  const auto rank = static_cast<double>(std::max<size_t>(from->size(), 1));
  const std::optional<std::vector<double>> elements = NumbersOf(node, "", 0);
  if (!elements) return node.Make(0, {rank, Dim()});
  const auto is_there = [](double element) { return element != 0; };
  const auto count = static_cast<double>(absl::c_count_if(*elements, is_there));
  if (from->size() != 1) return node.Make(0, {rank, count});
  Elements places;
  for (size_t i = 0; i < elements->size(); ++i) {
    if (is_there((*elements)[i])) places.push_back(static_cast<double>(i));
  }
  node.Make(0, {rank, count}, std::move(places));
}

void OneHotShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  const std::optional<Elements> depth = ElementsOrNumbers(node, "", 1);
  if (!from) return;
  const std::optional<size_t> axis = AxisOf(node.Number("axis", -1), from->size() + 1);
  if (!axis) return;
  const Dim size = depth && depth->size() == 1 ? (*depth)[0] : Dim();
  node.Make(0, Joined({from->subspan(0, *axis), {&size, 1}, from->subspan(*axis)}));
}

void TopKShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return;
  const std::optional<size_t> axis = AxisOf(node.Number("axis", -1), from->size());
  if (!axis) return;
  const std::optional<Elements> count = ElementsOrNumbers(node, "k", 1);
  DimList dims(from->begin(), from->end());
  dims[*axis] = count && count->size() == 1 ? (*count)[0] : Dim();
  node.Make(0, dims);
  node.Make(1, dims);
}

// Reduce..., ArgMax, ArgMin.
void ReduceShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from) return;
  const bool keeps = node.Number("keepdims", 1) != 0;
  const bool is_arg = absl::StartsWith(node.op_type(), "Arg");
  std::optional<std::vector<double>> axes = NumbersOf(node, "axes", 1);
  if (is_arg) axes = {node.Number("axis", 0)};
  if (!axes && node.Has(1)) {
    if (keeps) node.Make(0, DimList(from->size(), Dim()));
    return;
  }
  std::vector<bool> chosen(from->size(), !axes || axes->empty());
  if ((!axes || axes->empty()) && node.Number("noop_with_empty_axes", 0) != 0) {
    chosen.assign(from->size(), false);
  }
  for (double axis : axes.value_or(std::vector<double>())) {
    if (const std::optional<size_t> at = AxisOf(axis, from->size())) chosen[*at] = true;
  }
  DimList dims;
  for (size_t i = 0; i < from->size(); ++i) {
    if (!chosen[i]) {
      dims.push_back((*from)[i]);
    } else if (keeps) {
      dims.push_back(1);
    }
  }
  const std::optional<Span> elements = node.ElementsOf(0);
  const bool is_all = absl::c_all_of(chosen, [](bool is_chosen) { return is_chosen; });
  if (!elements || !is_all || elements->empty()) return node.Make(0, dims);
  Dim result = (*elements)[0];
  for (Dim element : elements->subspan(1)) {
    const bool are_numbers = result.is_number() && element.is_number();
    if (node.op_type() == "ReduceProd") {
      result = node.all().Times(result, element);
    } else if (node.op_type() == "ReduceSum") {
      result = node.all().Add(result, element);
    } else if (node.op_type() == "ReduceMax" && are_numbers) {
      result = std::max(result.number(), element.number());
    } else if (node.op_type() == "ReduceMin" && are_numbers) {
      result = std::min(result.number(), element.number());
    } else {
      result = Dim();
    }
  }
  const bool is_of_one = elements->size() == 1 && !is_arg &&
                         (node.op_type() == "ReduceMax" || node.op_type() == "ReduceMin" ||
                          node.op_type() == "ReduceProd" || node.op_type() == "ReduceSum" ||
                          node.op_type() == "ReduceMean");
  node.Make(0, dims, {is_of_one || (elements->size() > 1 && !is_arg) ? result : Dim()});
}

}  // namespace onnx_hier
