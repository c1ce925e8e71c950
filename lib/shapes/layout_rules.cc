// SPDX-License-Identifier: Apache-2.0

// Rules of operators that give elements another place.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "lib/shapes/rule_parts.h"
#include "lib/shapes/shape_rules.h"

namespace onnx_hier {
namespace {

// An output with elements picked from the first input: `offsets` as of Picked().
void MakePicked(ShapedNode& node, const DimList& dims, size_t output,
                absl::Span<const std::vector<size_t>> offsets) {
  const std::optional<absl::Span<const Dim>> elements = node.ElementsOf(0);
  if (elements && SmallSizes(dims)) {
    node.Make(output, dims, Picked(*elements, offsets));
  } else {
    node.Make(output, dims);
  }
}

std::vector<bool> Chosen(const std::vector<double>& axes, size_t rank) {
  std::vector<bool> chosen(rank, false);
  for (double axis : axes) {
    if (const std::optional<size_t> place = AxisOf(axis, rank)) chosen[*place] = true;
  }
  return chosen;
}

// Where a slice of a dimension begins or ends, that is gone through forwards.
Dim Bound(Expressions& all, Dim bound, Dim dim) {
  constexpr double kTheEnd = 1u << 31;  // what stands for "to the end" is more
  if (!bound.is_number()) return bound;
  if (bound.number() < 0) {
    if (dim.is_number()) return std::max(0.0, dim.number() + bound.number());
    return bound.number() <= -kTheEnd ? Dim(0) : all.Add(dim, bound);
  }
  if (dim.is_number()) return std::min(bound.number(), dim.number());
  return bound.number() >= kTheEnd - 1 ? dim : bound;
}

struct Cut {
  Dim length;
  std::vector<size_t> places;  // where the dimension is small
};

Cut CutOut(Expressions& all, Dim dim, Dim start, Dim end, double step) {
  Cut cut;
  if (dim.is_number() && start.is_number() && end.is_number()) {
    const double size = dim.number();
    const double least = step < 0 ? -1 : 0;
    const double most = step < 0 ? size - 1 : size;
    const auto within = [&](double at) {
      return std::clamp(at < 0 ? at + size : at, least, std::max(least, most));
    };
    const double first = within(start.number());
    const double last = step < 0 && end.number() < -size ? -1 : within(end.number());
    cut.length = std::max(0.0, std::ceil((last - first) / step));
    if (cut.length.number() > kMostElements) return cut;
    for (double i = 0; i < cut.length.number(); ++i) {
      cut.places.push_back(static_cast<size_t>(first + i * step));
    }
    return cut;
  }
  if (step == -1 && start.Is(-1) && end.is_number() && end.number() < -(1 << 30)) {
    cut.length = dim;
  } else if (step > 0) {
    const Dim from = Bound(all, start, dim);
    const Dim length = all.Subtract(Bound(all, end, dim), from);
    cut.length = all.Divide(length, step, Rounding::kCeiling);
    if (cut.length.is_number()) cut.length = std::max(0.0, cut.length.number());
  }
  return cut;
}

}  // namespace

void ReshapeShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  const std::optional<Elements> wanted = ElementsOrNumbers(node, "shape", 1);
  if (!wanted) {
    const std::optional<absl::Span<const Dim>> shape = node.DimsOf(1);
    const std::optional<std::vector<size_t>> rank = shape ? SmallSizes(*shape) : std::nullopt;
    if (rank && rank->size() == 1) node.Make(0, DimList((*rank)[0], Dim()));
    return;
  }
  const bool keeps_zero = node.Number("allowzero", 0) != 0;
  DimList dims;
  size_t open = wanted->size();  // the one that is what is left
  for (size_t i = 0; i < wanted->size(); ++i) {
    Dim dim = (*wanted)[i];
    if (dim.Is(0) && !keeps_zero) dim = from && i < from->size() ? (*from)[i] : Dim();
    if (dim.Is(-1)) open = i;
    dims.push_back(dim);
  }
  if (open < dims.size()) {
    dims[open] = 1;
    dims[open] = from ? node.all().Divide(CountOf(node.all(), *from), CountOf(node.all(), dims),
                                          Rounding::kDivides)
                      : Dim();
  } else if (from && absl::c_count_if(dims, [](Dim dim) { return !dim.is_known(); }) == 1) {
    // One that is not known is what is left, too.
    const auto unknown = absl::c_find_if(dims, [](Dim dim) { return !dim.is_known(); });
    *unknown = 1;
    const Dim rest = CountOf(node.all(), dims);
    *unknown = node.all().Divide(CountOf(node.all(), *from), rest, Rounding::kDivides);
  }
  MakeSame(node, dims);
}

void FlattenShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const double axis = node.Number("axis", 1);
  const double rank = static_cast<double>(from->size());
  const double split = axis < 0 ? axis + rank : axis;
  if (split < 0 || split > rank) return;
  const auto at = static_cast<size_t>(split);
  MakeSame(node,
           {CountOf(node.all(), from->subspan(0, at)), CountOf(node.all(), from->subspan(at))});
}

void SqueezeShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const bool has_axes = node.HasAttribute("axes") || node.Has(1);
  const std::optional<std::vector<double>> axes = NumbersOf(node, "axes", 1);
  if (has_axes && !axes) return;
  const std::vector<bool> chosen =
      axes ? Chosen(*axes, from->size()) : std::vector<bool>(from->size(), false);
  DimList dims;
  for (size_t i = 0; i < from->size(); ++i) {
    if (!has_axes && !(*from)[i].is_known()) return;
    if (has_axes ? !chosen[i] : !(*from)[i].Is(1)) dims.push_back((*from)[i]);
  }
  MakeSame(node, dims);
}

void UnsqueezeShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  const std::optional<std::vector<double>> axes = NumbersOf(node, "axes", 1);
  if (!from || !axes) return;
  const std::vector<bool> chosen = Chosen(*axes, from->size() + axes->size());
  DimList dims;
  size_t next = 0;
  for (bool is_new : chosen) {
    if (!is_new && next == from->size()) return;
    dims.push_back(is_new ? Dim(1) : (*from)[next++]);
  }
  MakeSame(node, dims);
}

void TransposeShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  std::vector<double> order(from->size());
  absl::c_iota(order, 0);
  absl::c_reverse(order);
  if (const absl::Span<const double> given = node.Numbers("perm"); !given.empty()) {
    order.assign(given.begin(), given.end());
  }
  if (order.size() != from->size()) return;
  const std::vector<std::vector<size_t>> places = AllPlaces(node);
  std::vector<std::vector<size_t>> offsets;
  DimList dims;
  for (double axis : order) {
    const std::optional<size_t> place = AxisOf(axis, from->size());
    if (!place) return;
    dims.push_back((*from)[*place]);
    if (!places.empty()) offsets.push_back(places[*place]);
  }
  MakePicked(node, dims, 0, offsets);
}

void ConcatShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> first = node.DimsOf(0);
  if (!first) return;
  const std::optional<size_t> axis = AxisOf(node.Number("axis", 1), first->size());
  if (!axis) return;
  DimList dims(first->begin(), first->end());
  dims[*axis] = 0;
  bool has_elements = true;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const std::optional<absl::Span<const Dim>> from = node.DimsOf(i);
    if (!from || from->size() != dims.size()) return;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == *axis) {
        dims[d] = node.all().Add(dims[d], (*from)[d]);
      } else if (!dims[d].is_number()) {
        dims[d] = (*from)[d].is_number() || !dims[d].is_known() ? (*from)[d] : dims[d];
      }
    }
    has_elements = has_elements && dims.size() == 1 && node.ElementsOf(i).has_value();
  }
  if (!has_elements || !SmallSizes(dims)) return node.Make(0, dims);
  Elements elements;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const absl::Span<const Dim> from = *node.ElementsOf(i);
    elements.insert(elements.end(), from.begin(), from.end());
  }
  node.Make(0, dims, std::move(elements));
}

void SplitShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const std::optional<size_t> axis = AxisOf(node.Number("axis", 0), from->size());
  if (!axis) return;
  const std::optional<Elements> lengths = ElementsOrNumbers(node, "split", 1);
  const bool are_given = node.HasAttribute("split") || node.Has(1);
  const Dim whole = (*from)[*axis];
  const auto count = static_cast<double>(node.outputs());
  const Dim each = node.all().Divide(whole, count, Rounding::kCeiling);
  std::vector<std::vector<size_t>> places = AllPlaces(node);
  if (node.outputs() > kMostElements) places.clear();
  size_t begin = 0;
  for (size_t i = 0; i < node.outputs(); ++i) {
    DimList dims(from->begin(), from->end());
    if (are_given) {
      dims[*axis] = lengths && i < lengths->size() ? (*lengths)[i] : Dim();
    } else {  // alike, but for the last one
      const Dim others = node.all().Times(each, count - 1);
      dims[*axis] = i + 1 < node.outputs() ? each : node.all().Subtract(whole, others);
    }
    std::vector<std::vector<size_t>> offsets = places;
    if (!places.empty() && dims[*axis].is_number()) {
      const std::vector<size_t>& all = places[*axis];
      const double length = std::clamp(dims[*axis].number(), 0.0, double{kMostElements});
      const size_t end = std::min(all.size(), begin + static_cast<size_t>(length));
      offsets[*axis].assign(all.begin() + static_cast<ptrdiff_t>(std::min(begin, end)),
                            all.begin() + static_cast<ptrdiff_t>(end));
      begin = end;
      MakePicked(node, dims, i, offsets);
    } else {
      node.Make(i, dims);
    }
  }
}

void SliceShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const std::optional<Elements> starts = ElementsOrNumbers(node, "starts", 1);
  const std::optional<Elements> ends = ElementsOrNumbers(node, "ends", 2);
  std::optional<std::vector<double>> axes = NumbersOf(node, "axes", 3);
  std::optional<std::vector<double>> steps = NumbersOf(node, "", 4);
  const bool has_axes = node.HasAttribute("axes") || node.Has(3);
  const bool has_steps = node.Has(4);
  DimList dims(from->begin(), from->end());
  if (has_axes && !axes) return node.Make(0, DimList(from->size(), Dim()));
  if (!starts || !ends || (has_steps && !steps) || starts->size() != ends->size()) {
    // Which dimensions are cut may be known all the same.
    if (!axes) return node.Make(0, DimList(from->size(), Dim()));
    for (double axis : *axes) {
      if (const std::optional<size_t> at = AxisOf(axis, dims.size())) dims[*at] = Dim();
    }
    return node.Make(0, dims);
  }
  std::vector<std::vector<size_t>> offsets = AllPlaces(node);
  for (size_t i = 0; i < starts->size(); ++i) {
    if ((axes && i >= axes->size()) || (steps && i >= steps->size())) return;
    const std::optional<size_t> at =
        AxisOf(axes ? (*axes)[i] : static_cast<double>(i), dims.size());
    const double step = steps ? (*steps)[i] : 1;
    if (!at || step == 0) return;
    Cut cut = CutOut(node.all(), dims[*at], (*starts)[i], (*ends)[i], step);
    dims[*at] = cut.length;
    if (offsets.empty()) continue;
    for (size_t& place : cut.places) place = offsets[*at][place];
    offsets[*at] = std::move(cut.places);
  }
  if (offsets.size() != dims.size()) return node.Make(0, dims);
  MakePicked(node, dims, 0, offsets);
}

void ExpandShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  const std::optional<Elements> wanted = ElementsOrNumbers(node, "", 1);
  if (!from || !wanted) return;
  const absl::Span<const Dim> both[] = {*from, *wanted};
  const std::optional<DimList> dims = Broadcast(both);
  if (!dims) return;
  const std::optional<std::vector<size_t>> sizes = SmallSizes(*dims);
  const std::vector<std::vector<size_t>> own = AllPlaces(node);
  if (!sizes || own.size() != from->size()) return node.Make(0, *dims);
  std::vector<std::vector<size_t>> offsets;
  for (size_t i = 0; i < sizes->size(); ++i) {
    const size_t missing = sizes->size() - own.size();
    if (i < missing || own[i - missing].size() == 1) {
      offsets.emplace_back((*sizes)[i], 0);
    } else {
      offsets.push_back(own[i - missing]);
    }
  }
  MakePicked(node, *dims, 0, offsets);
}

void TileShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  const std::optional<Elements> repeats = ElementsOrNumbers(node, "", 1);
  if (!from || !repeats || repeats->size() != from->size()) return;
  DimList dims;
  for (size_t i = 0; i < from->size(); ++i) {
    dims.push_back(node.all().Times((*from)[i], (*repeats)[i]));
  }
  const std::optional<std::vector<size_t>> sizes = SmallSizes(dims);
  std::vector<std::vector<size_t>> offsets = AllPlaces(node);
  if (!sizes || offsets.size() != sizes->size()) return node.Make(0, dims);
  for (size_t i = 0; i < sizes->size(); ++i) {
    const std::vector<size_t> once = offsets[i];
    offsets[i].clear();
    for (size_t place = 0; place < (*sizes)[i]; ++place) {
      offsets[i].push_back(once[place % once.size()]);
    }
  }
  MakePicked(node, dims, 0, offsets);
}

void PadShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const bool is_old = node.HasAttribute("paddings");
  const std::optional<Elements> pads = ElementsOrNumbers(node, is_old ? "paddings" : "pads", 1);
  const std::optional<std::vector<double>> axes = NumbersOf(node, "", 3);
  const bool has_axes = node.Has(3);
  if (!pads || (has_axes && !axes)) return node.Make(0, DimList(from->size(), Dim()));
  const size_t count = axes ? axes->size() : from->size();
  if (pads->size() != 2 * count) return;
  DimList dims(from->begin(), from->end());
  for (size_t i = 0; i < count; ++i) {
    const std::optional<size_t> at =
        AxisOf(axes ? (*axes)[i] : static_cast<double>(i), dims.size());
    if (!at) return;
    const Dim both = node.all().Add((*pads)[i], (*pads)[i + count]);
    dims[*at] = node.all().Add(dims[*at], both);
  }
  node.Make(0, dims);
}

namespace {

// Scales are of 32 bits, and so is the product.
Dim Scaled(Expressions& all, Dim dim, double scale) {
  if (!dim.is_number()) return all.Divide(all.Times(dim, scale), 1, Rounding::kFloor);
  return std::floor(static_cast<float>(dim.number()) * static_cast<float>(scale));
}

}  // namespace

// Resize and Upsample.
void ResizeShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  if (!from) return;
  const bool is_first = node.op_type() == "Upsample" || node.opset() < 11;
  const std::optional<std::vector<double>> given_axes = NumbersOf(node, "axes", node.inputs());
  std::vector<double> axes(from->size());
  absl::c_iota(axes, 0);
  if (given_axes) axes = *given_axes;
  DimList dims(from->begin(), from->end());
  const bool has_sizes = !is_first && node.Has(3);
  const std::optional<Elements> sizes = has_sizes ? ElementsOrNumbers(node, "", 3) : std::nullopt;
  const std::optional<std::vector<double>> scales =
      has_sizes ? std::nullopt : NumbersOf(node, "scales", is_first ? 1 : 2);
  const size_t count = sizes ? sizes->size() : scales ? scales->size() : 0;
  const absl::string_view policy = node.Text("keep_aspect_ratio_policy");
  if (count != axes.size() || (!policy.empty() && policy != "stretch")) {
    return node.Make(0, DimList(from->size(), Dim()));
  }
  for (size_t i = 0; i < count; ++i) {
    const std::optional<size_t> at = AxisOf(axes[i], dims.size());
    if (!at) return;
    dims[*at] = sizes ? (*sizes)[i] : scales ? Scaled(node.all(), dims[*at], (*scales)[i]) : Dim();
  }
  node.Make(0, dims);
}

void SpaceShape(ShapedNode& node) {
  const std::optional<absl::Span<const Dim>> from = node.DimsOf(0);
  const double block = node.Number("blocksize", 0);
  if (!from || from->size() != 4 || block < 1) return;
  Expressions& all = node.all();
  const bool is_deeper = node.op_type() == "SpaceToDepth";
  const auto larger = [&](Dim dim, double factor) { return all.Times(dim, factor); };
  const auto smaller = [&](Dim dim, double factor) {
    return all.Divide(dim, factor, Rounding::kDivides);
  };
  const absl::Span<const Dim> x = *from;
  if (is_deeper) {
    node.Make(0, {x[0], larger(x[1], block * block), smaller(x[2], block), smaller(x[3], block)});
  } else {
    node.Make(0, {x[0], smaller(x[1], block * block), larger(x[2], block), larger(x[3], block)});
  }
}

}  // namespace onnx_hier
