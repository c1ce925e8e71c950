// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/weight_views.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/graph/weight.h"
#include "lib/onnx/file_order.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_attributes.h"
#include "lib/relate/data_faults.h"

namespace onnx_hier {
namespace {

// Larger ones are no scales.
constexpr uint64_t kLongestCycle = 1 << 20;
constexpr uint64_t kUsualWindow = 1 << 12;

enum class Axis { kFirst, kLast, kAttribute, kBlocks };

// Where operators have their weights, scales and zero points. Sources: the operators of ONNX, and
// onnxruntime's docs/ContribOperators.md.
struct QuantisedSlots {
  absl::string_view op_type;
  uint32_t weight;
  int32_t scale;  // -1: there is none, as the result is scaled
  int32_t zero;
  Axis axis;
};
constexpr std::array<QuantisedSlots, 11> kSlots = {{
    {"DequantizeLinear", 0, 1, 2, Axis::kAttribute},
    {"QLinearConv", 3, 4, 5, Axis::kFirst},
    {"QLinearMatMul", 3, 4, 5, Axis::kLast},
    {"QGemm", 3, 4, 5, Axis::kLast},
    {"MatMulInteger", 1, -1, 3, Axis::kLast},
    {"ConvInteger", 1, -1, 3, Axis::kFirst},
    {"DynamicQuantizeMatMul", 1, 2, 3, Axis::kLast},
    {"MatMulIntegerToFloat", 1, 3, 5, Axis::kLast},
    {"QAttention", 1, 4, 7, Axis::kLast},
    {"MatMulNBits", 1, 2, 3, Axis::kBlocks},
    {"GatherBlockQuantized", 0, 2, 3, Axis::kAttribute},
}};

class ViewFinder {
 public:
  explicit ViewFinder(const Model& model)
      : source_(ModelAccess::Source(model)), graph_(source_.scanned.graph) {}

  absl::StatusOr<std::vector<WeightView>> Find() {
    OH_RETURN_IF_ERROR(ReadAttributesOf());
    std::vector<WeightView> views;
    for (ValueId value : graph_.value_ids()) {
      const TensorId tensor = HeldTensor(graph_, value);
      if (!tensor.valid() || graph_.tensor(tensor).elements == 0) continue;
      std::optional<WeightView> view = ViewOf(value, tensor);
      if (view.has_value()) views.push_back(*std::move(view));
    }
    return views;
  }

 private:
  static const QuantisedSlots* SlotsOf(absl::string_view op_type) {
    const auto* const found = std::find_if(
        kSlots.begin(), kSlots.end(), [&](const auto& slots) { return slots.op_type == op_type; });
    return found == kSlots.end() ? nullptr : &*found;
  }

  absl::Status ReadAttributesOf() {
    std::vector<NodeId> nodes;
    for (NodeId node : graph_.node_ids()) {
      const QuantisedSlots* const slots = SlotsOf(graph_.op(node).type);
      if (slots != nullptr && (slots->axis == Axis::kAttribute || slots->axis == Axis::kBlocks)) {
        nodes.push_back(node);
      }
    }
    SortInFileOrder(source_.scanned, nodes);
    OH_ASSIGN_OR_RETURN(FileImage image, source_.image.Again());
    OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                        ReadAttributes(image, source_.scanned, nodes));
    for (const NodeAttribute& attribute : attributes) {
      for (const absl::string_view name :
           {"axis", "quantize_axis", "block_size", "K", "N", "bits"}) {
        if (attribute.name == name) integers_[{attribute.node, name}] = attribute.integer;
      }
    }
    return absl::OkStatus();
  }

  int64_t Integer(NodeId node, absl::string_view name, int64_t usual) const {
    const auto found = integers_.find({node, name});
    return found == integers_.end() ? usual : found->second;
  }

  TensorId InSlot(NodeId node, int32_t slot) const {
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    if (slot < 0 || static_cast<size_t>(slot) >= inputs.size()) return TensorId();
    const ValueId value = inputs[static_cast<size_t>(slot)];
    return value.valid() ? HeldTensor(graph_, value) : TensorId();
  }

  // None: it is a scale or a zero point, or does not stand for numbers that are read.
  std::optional<WeightView> ViewOf(ValueId value, TensorId tensor) const {
    const Tensor& about = graph_.tensor(tensor);
    WeightView view = {.value = value, .tensor = tensor, .elements = about.elements};
    for (int64_t dim : graph_.dims(tensor)) view.dims.push_back(static_cast<uint64_t>(dim));
    for (const Use& use : graph_.uses(value)) {
      const QuantisedSlots* const slots = SlotsOf(graph_.op(use.node).type);
      if (slots == nullptr) continue;
      const auto slot = static_cast<int32_t>(use.slot);
      if (slot == slots->scale || slot == slots->zero) return std::nullopt;
      if (use.slot != slots->weight || IsFloatingPointType(about)) continue;
      view.is_quantised = true;
      view.scale = InSlot(use.node, slots->scale);
      view.zero = InSlot(use.node, slots->zero);
      const bool is_known = slots->axis == Axis::kBlocks ? SetBlocks(use.node, view)
                                                         : SetAxis(use.node, *slots, view);
      return is_known ? std::optional(std::move(view)) : std::nullopt;
    }
    return view;
  }
  static bool IsFloatingPointType(const Tensor& tensor) {
    return data_type::IsFloatingPoint(tensor.data_type);
  }

  bool SetAxis(NodeId node, const QuantisedSlots& slots, WeightView& view) const {
    const bool is_table = slots.op_type == "GatherBlockQuantized";
    if (is_table && graph_.tensor(view.tensor).data_type == data_type::kUint8 &&
        Integer(node, "bits", 4) == 4 && !view.dims.empty()) {
      view.dims.back() *= 2;
      view.elements *= 2;
      view.are_pairs = true;
      view.usual_zero = 8;
      if (view.zero.valid()) return false;
    }
    view.block = static_cast<uint64_t>(
        std::max<int64_t>(Integer(node, "block_size", is_table ? 128 : 0), 0));
    const bool has_many = view.scale.valid() && graph_.tensor(view.scale).elements > 1;
    const bool has_zeros = view.zero.valid() && graph_.tensor(view.zero).elements > 1;
    if (!has_many && !has_zeros) return true;
    const auto rank = static_cast<int64_t>(view.dims.size());
    int64_t axis = slots.axis == Axis::kFirst ? 0
                   : slots.axis == Axis::kLast
                       ? rank - 1
                       : Integer(node, is_table ? "quantize_axis" : "axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return false;
    view.has_axis = true;
    view.axis = static_cast<uint32_t>(axis);
    return true;
  }

  bool SetBlocks(NodeId node, WeightView& view) const {
    const int64_t bits = Integer(node, "bits", 4);
    const auto block = static_cast<uint64_t>(std::max<int64_t>(Integer(node, "block_size", 0), 0));
    const auto rows = static_cast<uint64_t>(std::max<int64_t>(Integer(node, "N", 0), 0));
    const auto columns = static_cast<uint64_t>(std::max<int64_t>(Integer(node, "K", 0), 0));
    // Whole blocks only, as rows are; and bits that are halves of bytes.
    if ((bits != 4 && bits != 8) || block == 0 || columns % block != 0) return false;
    uint64_t elements = 0;
    if (__builtin_mul_overflow(rows, columns, &elements)) return false;
    if (elements / (bits == 4 ? 2 : 1) != view.elements) return false;
    view.dims = {rows, columns};
    view.elements = elements;
    view.are_pairs = bits == 4;
    view.usual_zero = bits == 4 ? 8 : 128;
    view.has_axis = true;
    view.axis = 1;
    view.block = block;
    if (view.zero.valid() && graph_.tensor(view.zero).data_type == data_type::kUint8 && bits == 4) {
      view.are_zeros_pairs = true;
      view.zeros_in_row = (columns / block + 1) / 2;
    }
    return true;
  }

  const ModelSource& source_;
  const Graph& graph_;
  absl::flat_hash_map<std::pair<NodeId, absl::string_view>, int64_t> integers_;
};

}  // namespace

absl::StatusOr<std::vector<WeightView>> WeightViewsOf(const Model& model) {
  return ViewFinder(model).Find();
}

absl::StatusOr<bool> ViewValues::Window::Begin(TensorId tensor, uint64_t size, uint64_t cycle,
                                               bool are_pairs) {
  tensor_ = tensor;
  size_ = size;
  are_pairs_ = are_pairs;
  begin_ = 0;
  numbers_.clear();
  if (cycle == 0 || cycle > kLongestCycle) return false;
  length_ = std::max<uint64_t>(kUsualWindow / cycle, 1) * cycle;
  return stored_.Begin(tensor);
}

absl::StatusOr<double> ViewValues::Window::At(uint64_t index) {
  const uint64_t at = are_pairs_ ? index / 2 : index;
  if (at >= size_) return absl::InvalidArgumentError("a tensor has fewer scales than it should");
  const uint64_t begin = at / length_ * length_;
  if (numbers_.empty() || begin != begin_) {
    uint64_t next = begin_ + numbers_.size();
    if (begin < next) {
      OH_ASSIGN_OR_RETURN(const bool is_there, stored_.Begin(tensor_));
      if (!is_there) return absl::InvalidArgumentError("a tensor of scales cannot be read again");
      next = 0;
    }
    OH_RETURN_IF_ERROR(stored_.Skip(begin - next));
    numbers_.resize(std::min(length_, size_ - begin));
    OH_RETURN_IF_ERROR(stored_.Read(absl::MakeSpan(numbers_)));
    begin_ = begin;
  }
  const double number = numbers_[at - begin];
  if (!are_pairs_) return number;
  const int byte = static_cast<int>(number);
  return index % 2 == 0 ? byte & 0xF : byte >> 4;
}

ViewValues::ViewValues(const Model& model, const std::vector<WeightView>& views)
    : graph_(model.graph()),
      views_(views),
      stored_(ValuesOf(model)),
      scales_(ValuesOf(model)),
      zeros_(ValuesOf(model)) {}

absl::StatusOr<bool> ViewValues::Begin(TensorId view) {
  view_ = &views_[view.index()];
  next_ = 0;
  has_scale_ = view_->scale.valid();
  has_zero_ = view_->zero.valid();
  inner_ = 1;
  length_ = 1;
  blocks_ = 1;
  if (view_->has_axis) {
    for (size_t i = view_->axis + 1; i < view_->dims.size(); ++i) inner_ *= view_->dims[i];
    length_ = view_->dims[view_->axis];
    const uint64_t block = view_->block;
    blocks_ = block > 0 ? (length_ + block - 1) / block : length_;
  }
  const uint64_t cycle = view_->block == 0                      ? blocks_
                         : view_->axis + 1 < view_->dims.size() ? inner_
                                                                : 1;
  for (const bool is_scale : {true, false}) {
    const TensorId tensor = is_scale ? view_->scale : view_->zero;
    if (!tensor.valid()) continue;
    const uint64_t size = graph_.tensor(tensor).elements;
    const bool are_pairs = !is_scale && view_->are_zeros_pairs;
    Window& window = is_scale ? scales_ : zeros_;
    OH_ASSIGN_OR_RETURN(const bool is_there,
                        window.Begin(tensor, size, size == 1 ? 1 : cycle, are_pairs));
    if (!is_there) return false;
  }
  return stored_.Begin(view_->tensor);
}

// Which of the scales a number has.
uint64_t ViewValues::ScaleOf(uint64_t index) const {
  if (!view_->has_axis) return 0;
  const uint64_t in_axis = index / inner_ % length_;
  if (view_->block == 0) return in_axis;
  const uint64_t outer = index / inner_ / length_;
  return (outer * blocks_ + in_axis / view_->block) * inner_ + index % inner_;
}

absl::Status ViewValues::ReadStored(absl::Span<double> values) {
  if (!view_->are_pairs) return stored_.Read(values);
  uint64_t done = 0;
  if (next_ % 2 == 1 && !values.empty()) values[done++] = odd_;
  bytes_.resize((values.size() - done + 1) / 2);
  OH_RETURN_IF_ERROR(stored_.Read(absl::MakeSpan(bytes_)));
  for (const double number : bytes_) {
    const int byte = static_cast<int>(number);
    values[done++] = byte & 0xF;
    odd_ = byte >> 4;
    if (done < values.size()) values[done++] = odd_;
  }
  return absl::OkStatus();
}

absl::Status ViewValues::Read(absl::Span<double> values) {
  OH_RETURN_IF_ERROR(ReadStored(values));
  if (view_->is_quantised) {
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t scale = ScaleOf(next_ + i);
      double zero = view_->usual_zero;
      if (has_zero_) {
        const uint64_t rows = view_->are_zeros_pairs ? scale / blocks_ : 0;
        const uint64_t at =
            view_->are_zeros_pairs ? rows * 2 * view_->zeros_in_row + scale % blocks_ : scale;
        const bool is_one = graph_.tensor(view_->zero).elements == 1 && !view_->are_zeros_pairs;
        OH_ASSIGN_OR_RETURN(zero, zeros_.At(is_one ? 0 : at));
      }
      double factor = 1;
      if (has_scale_) {
        const bool is_one = graph_.tensor(view_->scale).elements == 1;
        OH_ASSIGN_OR_RETURN(factor, scales_.At(is_one ? 0 : scale));
      }
      values[i] = (values[i] - zero) * factor;
    }
  }
  next_ += values.size();
  return absl::OkStatus();
}

absl::Status ViewValues::Skip(uint64_t count) {
  if (!view_->are_pairs) {
    OH_RETURN_IF_ERROR(stored_.Skip(count));
    next_ += count;
    return absl::OkStatus();
  }
  // To a whole byte, then over whole bytes, then into one.
  double one = 0;
  if (next_ % 2 == 1 && count > 0) {
    ++next_;
    --count;
  }
  OH_RETURN_IF_ERROR(stored_.Skip(count / 2));
  next_ += count / 2 * 2;
  if (count % 2 == 0) return absl::OkStatus();
  OH_RETURN_IF_ERROR(ReadStored(absl::MakeSpan(&one, 1)));
  ++next_;
  return absl::OkStatus();
}

}  // namespace onnx_hier
