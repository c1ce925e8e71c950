// SPDX-License-Identifier: Apache-2.0

// Rules of operators that multiply and add, and of those with windows.
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

// How a window moves along one dimension.
struct Window {
  double kernel = 1;
  double stride = 1;
  double dilation = 1;
  double pads = 0;  // both together
  double first_pad = 0;
};

double NumberAt(absl::Span<const double> numbers, size_t i, double otherwise) {
  return i < numbers.size() ? numbers[i] : otherwise;
}

std::optional<std::vector<Window>> WindowsOf(const ShapedNode& node, Span weight_sizes,
                                             size_t rank) {
  const absl::Span<const double> kernels = node.Numbers("kernel_shape");
  std::vector<Window> windows(rank);
  for (size_t i = 0; i < rank; ++i) {
    Window& window = windows[i];
    if (i < kernels.size()) {
      window.kernel = kernels[i];
    } else if (i < weight_sizes.size() && weight_sizes[i].is_number()) {
      window.kernel = weight_sizes[i].number();
    } else {
      return std::nullopt;
    }
    window.stride = NumberAt(node.Numbers("strides"), i, 1);
    window.dilation = NumberAt(node.Numbers("dilations"), i, 1);
    window.first_pad = NumberAt(node.Numbers("pads"), i, 0);
    window.pads = window.first_pad + NumberAt(node.Numbers("pads"), i + rank, 0);
    if (window.stride < 1 || window.dilation < 1 || window.kernel < 1) return std::nullopt;
  }
  return windows;
}

// How often a window fits.
Dim Fits(const ShapedNode& node, Dim size, const Window& window) {
  Expressions& all = node.all();
  const double extent = (window.kernel - 1) * window.dilation + 1;
  const absl::string_view padding = node.Text("auto_pad");
  if (absl::StartsWith(padding, "SAME")) {
    return all.Divide(size, window.stride, Rounding::kCeiling);
  }
  const bool is_valid = padding == "VALID";
  const bool goes_over = node.Number("ceil_mode", 0) != 0;
  const Dim room = all.Add(size, (is_valid ? 0 : window.pads) - extent);
  if (room.is_number() && room.number() < 0) return goes_over ? Dim() : Dim(0);
  const Dim steps =
      all.Divide(room, window.stride, goes_over ? Rounding::kCeiling : Rounding::kFloor);
  Dim count = all.Add(steps, 1);
  // The last window begins in the input, or in what is padded before it.
  if (goes_over && count.is_number() && size.is_number() &&
      (count.number() - 1) * window.stride >= size.number() + window.first_pad) {
    count = count.number() - 1;
  }
  return count;
}

// Channels stand last in what onnxruntime lays out for other processors.
bool IsChannelsLast(const ShapedNode& node) {
  return absl::StartsWith(node.op_type(), "Nhwc") || node.domain() == "com.ms.internal.nhwc" ||
         node.Number("channels_last", 0) != 0;
}

// Of N and C, and what windows go along.
void MakeImage(ShapedNode& node, Dim batch, Dim channels, Span sizes, size_t outputs) {
  DimList dims = {batch};
  if (!IsChannelsLast(node)) dims.push_back(channels);
  dims.insert(dims.end(), sizes.begin(), sizes.end());
  if (IsChannelsLast(node)) dims.push_back(channels);
  for (size_t i = 0; i < outputs; ++i) node.Make(i, dims);
}

// What windows go along, and channels; none: it is no image.
struct Image {
  Dim batch;
  Dim channels;
  Span sizes;
};
std::optional<Image> ImageOf(const ShapedNode& node) {
  const std::optional<Span> dims = node.DimsOf(0);
  if (!dims || dims->size() < 2) return std::nullopt;
  const size_t rank = dims->size() - 2;
  if (IsChannelsLast(node)) return Image{dims->front(), dims->back(), dims->subspan(1, rank)};
  return Image{dims->front(), (*dims)[1], dims->subspan(2)};
}

double FlagOf(const ShapedNode& node, absl::string_view name) { return node.Number(name, 0); }

// The dimensions of a factor of a product, turned as its attributes say.
DimList Turned(const ShapedNode& node, Span from, absl::string_view is_turned,
               absl::string_view is_batch_turned) {
  DimList dims(from.begin(), from.end());
  if (dims.size() < 2) return dims;
  if (FlagOf(node, is_batch_turned) != 0) {
    std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
  }
  if (FlagOf(node, is_turned) != 0) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return dims;
}

}  // namespace

void MatMulShape(ShapedNode& node) {
  const std::optional<Span> left = node.DimsOf(0);
  const std::optional<Span> right = node.DimsOf(node.op_type() == "QLinearMatMul" ? 3 : 1);
  if (!left || !right || left->empty() || right->empty()) return;
  const DimList a = Turned(node, *left, "transA", "transBatchA");
  const DimList b = Turned(node, *right, "transB", "transBatchB");
  const auto outer = [](const DimList& dims) {
    return Span(dims).subspan(0, dims.size() < 2 ? 0 : dims.size() - 2);
  };
  const Span outers[] = {outer(a), outer(b)};
  std::optional<DimList> dims = Broadcast(outers);
  if (!dims) return;
  if (a.size() > 1) dims->push_back(a[a.size() - 2]);
  if (b.size() > 1) dims->push_back(b.back());
  node.Make(0, *dims);
}

void NBitsShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  if (!from || from->empty() || !node.HasAttribute("N")) return;
  DimList dims(from->begin(), from->end());
  dims.back() = node.Number("N", 0);
  node.Make(0, dims);
}

void GemmShape(ShapedNode& node) {
  const std::optional<Span> a = node.DimsOf(0);
  const std::optional<Span> b = node.DimsOf(node.op_type() == "QGemm" ? 3 : 1);
  if (!a || !b || a->size() != 2 || b->size() != 2) return;
  node.Make(0,
            {(*a)[FlagOf(node, "transA") != 0 ? 1 : 0], (*b)[FlagOf(node, "transB") != 0 ? 0 : 1]});
}

void ConvShape(ShapedNode& node) {
  const std::optional<Image> image = ImageOf(node);
  const bool is_qlinear =
      absl::StrContains(node.op_type(), "QLinearConv") || node.op_type() == "QConv";
  const std::optional<Span> weight = node.DimsOf(is_qlinear ? 3 : 1);
  if (!image || !weight || weight->size() != image->sizes.size() + 2) return;
  // Weights may be laid out as the channels are.
  const bool is_last = node.domain() == "com.ms.internal.nhwc";
  const Span kernel = weight->subspan(is_last ? 1 : 2, image->sizes.size());
  const std::optional<std::vector<Window>> windows = WindowsOf(node, kernel, image->sizes.size());
  if (!windows) return;
  DimList sizes;
  for (size_t i = 0; i < image->sizes.size(); ++i) {
    sizes.push_back(Fits(node, image->sizes[i], (*windows)[i]));
  }
  MakeImage(node, image->batch, weight->front(), sizes, 1);
}

void ConvTransposeShape(ShapedNode& node) {
  const std::optional<Image> image = ImageOf(node);
  const std::optional<Span> weight = node.DimsOf(1);
  if (!image || !weight || weight->size() != image->sizes.size() + 2) return;
  const std::optional<std::vector<Window>> windows =
      WindowsOf(node, weight->subspan(2), image->sizes.size());
  if (!windows) return;
  const bool is_same = absl::StartsWith(node.Text("auto_pad"), "SAME");
  DimList sizes;
  for (size_t i = 0; i < image->sizes.size(); ++i) {
    const Window& window = (*windows)[i];
    const double wanted = NumberAt(node.Numbers("output_shape"), i, -1);
    const double extent = (window.kernel - 1) * window.dilation + 1;
    const double added = NumberAt(node.Numbers("output_padding"), i, 0) + extent - window.stride -
                         (is_same ? extent - window.stride : window.pads);
    sizes.push_back(wanted >= 0
                        ? Dim(wanted)
                        : node.all().Add(node.all().Times(image->sizes[i], window.stride), added));
  }
  MakeImage(node, image->batch, node.all().Times((*weight)[1], node.Number("group", 1)), sizes, 1);
}

void PoolShape(ShapedNode& node) {
  const std::optional<Image> image = ImageOf(node);
  if (!image) return;
  const std::optional<std::vector<Window>> windows = WindowsOf(node, {}, image->sizes.size());
  if (!windows) return;
  DimList sizes;
  for (size_t i = 0; i < image->sizes.size(); ++i) {
    sizes.push_back(Fits(node, image->sizes[i], (*windows)[i]));
  }
  MakeImage(node, image->batch, image->channels, sizes, 2);
}

void GlobalPoolShape(ShapedNode& node) {
  const std::optional<Image> image = ImageOf(node);
  if (!image) return;
  MakeImage(node, image->batch, image->channels, DimList(image->sizes.size(), Dim(1)), 1);
}

// RNN, LSTM, GRU.
void RecurrenceShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  const std::optional<Span> recurrent = node.DimsOf(2);
  if (!from || from->size() != 3) return;
  Dim hidden = recurrent && recurrent->size() == 3 ? recurrent->back() : Dim();
  if (node.HasAttribute("hidden_size")) hidden = node.Number("hidden_size", 0);
  const Dim directions = node.Text("direction") == "bidirectional" ? 2 : 1;
  const bool batch_first = node.Number("layout", 0) != 0;
  const Dim batch = (*from)[batch_first ? 0 : 1];
  const Dim steps = (*from)[batch_first ? 1 : 0];
  node.Make(0, batch_first ? DimList{batch, steps, directions, hidden}
                           : DimList{steps, directions, batch, hidden});
  const DimList last =
      batch_first ? DimList{batch, directions, hidden} : DimList{directions, batch, hidden};
  node.Make(1, last);
  node.Make(2, last);
}

namespace {

// What is kept for the next step: what was before, and as many keys and values more.
void MakePresent(ShapedNode& node, size_t past, Dim length, size_t outputs) {
  const std::optional<Span> before = node.DimsOf(past);
  if (!before || before->size() < 4) return;
  DimList present(before->begin(), before->end());
  Dim& kept = present[present.size() - 2];
  kept = node.all().Add(kept, length);
  for (size_t i = 1; i <= outputs; ++i) node.Make(i, present);
}

// As many elements as there are for each of some heads, times the heads of the queries.
Dim OfHeads(ShapedNode& node, Dim size, double heads, double query_heads) {
  if (heads <= 0) return Dim();
  return node.all().Times(node.all().Divide(size, heads, Rounding::kDivides), query_heads);
}

// What comes out is as the queries are, and as wide as the values.
void ShapeOfHeads(ShapedNode& node, absl::string_view heads_name) {
  const std::optional<Span> query = node.DimsOf(0);
  if (!query || query->size() < 3) return;
  DimList dims(query->begin(), query->end());
  if (node.Has(2)) {
    const std::optional<Span> value = node.DimsOf(2);
    if (!value) return;
    const double heads = node.Number(heads_name, 1);
    if (value->size() == 4 && dims.size() == 4) dims[3] = value->back();
    if (value->size() == 3 && dims.size() == 3) {
      dims[2] = OfHeads(node, value->back(), node.Number("kv_num_heads", heads), heads);
    }
  } else if (dims.size() == 5) {  // packed: batch, length, heads, 3, size
    dims = {dims[0], dims[1], node.all().Times(dims[2], dims[4])};
  }
  node.Make(0, dims);
}

}  // namespace

// Queries, keys and values are made of one input and one weight.
void ProjectedHeadsShape(ShapedNode& node) {
  const std::optional<Span> from = node.DimsOf(0);
  const std::optional<Span> weight = node.DimsOf(1);
  if (!from || from->size() != 3 || !weight || weight->size() != 2) return;
  const absl::Span<const double> sizes = node.Numbers("qkv_hidden_sizes");
  const Dim width =
      sizes.size() == 3 ? Dim(sizes[2]) : node.all().Divide((*weight)[1], 3, Rounding::kDivides);
  const Dim length = (*from)[1];
  node.Make(0, {(*from)[0], length, width});
  MakePresent(node, 4, length, 1);
}

// The standard's operator, or onnxruntime's of the same name.
void HeadsShape(ShapedNode& node) {
  if (node.domain() == "com.microsoft") return ProjectedHeadsShape(node);
  ShapeOfHeads(node, "q_num_heads");
}

void ManyHeadsShape(ShapedNode& node) {
  ShapeOfHeads(node, "num_heads");
  const std::optional<Span> query = node.DimsOf(0);
  if (query && query->size() == 3) MakePresent(node, 6, (*query)[1], 2);
}

// Queries share keys and values, or all stand beside each other.
void GroupedHeadsShape(ShapedNode& node) {
  const std::optional<Span> query = node.DimsOf(0);
  if (!query || query->size() != 3) return;
  const double heads = node.Number("num_heads", 0);
  const double all_heads = node.Has(1) ? heads : heads + 2 * node.Number("kv_num_heads", 0);
  node.Make(0, {(*query)[0], (*query)[1], OfHeads(node, (*query)[2], all_heads, heads)});
}

void EinsumShape(ShapedNode& node) {
  const std::optional<EinsumTerms> terms = EinsumTermsOf(node);
  if (!terms) return;
  DimList dims;
  for (char letter : terms->result) {
    const auto size = terms->sizes.find(letter);
    dims.push_back(size == terms->sizes.end() ? Dim() : size->second);
  }
  node.Make(0, dims);
}

// EmbedLayerNormalization: of token numbers, the rows of a table.
void EmbeddingShape(ShapedNode& node) {
  const std::optional<Span> ids = node.DimsOf(0);
  const std::optional<Span> table = node.DimsOf(2);
  if (!ids || !table || ids->size() != 2 || table->size() != 2) return;
  node.Make(0, {(*ids)[0], (*ids)[1], (*table)[1]});
  node.Make(1, {(*ids)[0]});
  node.Make(2, {(*ids)[0], (*ids)[1], (*table)[1]});
}

}  // namespace onnx_hier
