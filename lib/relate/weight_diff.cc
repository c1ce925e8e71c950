// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/weight_diff.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/graph/tensor_values.h"
#include "lib/graph/weight.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// How far the numbers of tensors are from those of others.
class WeightDistance {
 public:
  // All must outlive this.
  WeightDistance(const Graph& a, TensorValues& values_a, const Graph& b, TensorValues& values_b)
      : a_(a), values_a_(values_a), b_(b), values_b_(values_b) {}

  // Adds two tensors, read side by side, if they are of one shape, and of one type or both of a
  // floating one; whether they are. Errors of reading them.
  absl::StatusOr<bool> Add(TensorId a, TensorId b);
  // Of all that were added.
  WeightDifference Result() const;

 private:
  bool AreComparable(TensorId a, TensorId b) const;
  void AddBlock(absl::Span<const double> a, absl::Span<const double> b);

  const Graph& a_;
  TensorValues& values_a_;
  const Graph& b_;
  TensorValues& values_b_;
  WeightDifference result_;
  double squares_ = 0;  // of A's numbers
  double squared_differences_ = 0;
};

constexpr uint64_t kBlock = 1 << 13;  // numbers

bool IsFloat(int32_t type) {
  return type == data_type::kFloat || type == data_type::kFloat16 || type == data_type::kBfloat16 ||
         type == data_type::kDouble;
}

absl::StatusOr<bool> WeightDistance::Add(TensorId a, TensorId b) {
  if (!AreComparable(a, b)) return false;
  OH_ASSIGN_OR_RETURN(const bool has_a, values_a_.Begin(a));
  if (!has_a) return false;
  OH_ASSIGN_OR_RETURN(const bool has_b, values_b_.Begin(b));
  if (!has_b) return false;
  std::vector<double> block_a(kBlock);
  std::vector<double> block_b(kBlock);
  for (uint64_t left = a_.tensor(a).elements; left > 0;) {
    const uint64_t count = std::min(left, kBlock);
    const absl::Span<double> of_a = absl::MakeSpan(block_a).subspan(0, count);
    const absl::Span<double> of_b = absl::MakeSpan(block_b).subspan(0, count);
    OH_RETURN_IF_ERROR(values_a_.Read(of_a));
    OH_RETURN_IF_ERROR(values_b_.Read(of_b));
    AddBlock(of_a, of_b);
    left -= count;
  }
  return true;
}

WeightDifference WeightDistance::Result() const {
  WeightDifference result = result_;
  if (squared_differences_ > 0) {
    result.relative = squares_ > 0 ? std::sqrt(squared_differences_ / squares_)
                                   : std::numeric_limits<double>::infinity();
  }
  return result;
}

bool WeightDistance::AreComparable(TensorId a, TensorId b) const {
  const absl::Span<const int64_t> dims_a = a_.dims(a);
  const absl::Span<const int64_t> dims_b = b_.dims(b);
  if (!std::equal(dims_a.begin(), dims_a.end(), dims_b.begin(), dims_b.end())) return false;
  if (a_.tensor(a).elements != b_.tensor(b).elements) return false;
  const int32_t type_a = a_.tensor(a).data_type;
  const int32_t type_b = b_.tensor(b).data_type;
  return type_a == type_b || (IsFloat(type_a) && IsFloat(type_b));
}

void WeightDistance::AddBlock(absl::Span<const double> a, absl::Span<const double> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(b[i] - a[i]);
    if (!std::isfinite(difference)) {
      const bool are_same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
      result_.not_finite += are_same ? 0 : 1;
      continue;
    }
    result_.largest = std::max(result_.largest, difference);
    squared_differences_ += difference * difference;
    squares_ += a[i] * a[i];
  }
  result_.compared += a.size();
}

// Reading as much takes several times as long as starting a thread.
constexpr uint64_t kWorthAThread = 1 << 20;

template <class Key>
std::vector<WeightDiff::Keyed> InOrder(const ModuleGroups& groups, GroupId group, const Key& key) {
  std::vector<WeightDiff::Keyed> tensors;
  for (ValueId value : groups.group(group).parameters) {
    const TensorId tensor = HeldTensor(groups.graph(), value);
    if (tensor.valid()) tensors.push_back({key(value), tensor});
  }
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  return tensors;
}

}  // namespace

std::vector<WeightDiff::Keyed> WeightDiff::OfA(GroupId group) const {
  return InOrder(a_, group, [&](ValueId value) { return flow_.KeyInA(value); });
}

std::vector<WeightDiff::Keyed> WeightDiff::OfB(GroupId group) const {
  return InOrder(b_, group, [&](ValueId value) { return flow_.KeyInB(value); });
}

absl::StatusOr<bool> WeightDiff::Differ(GroupId a, GroupId b, bool in_order) {
  const std::vector<Keyed> of_a = OfA(a);
  const std::vector<Keyed> of_b = OfB(b);
  if (of_a.size() != of_b.size()) return true;
  return in_order ? DifferInOrder(of_a, of_b) : DifferAsTheyCome(of_a, of_b);
}

absl::StatusOr<std::optional<WeightDifference>> WeightDiff::Measure(GroupId a, GroupId b) {
  const std::vector<Keyed> of_a = OfA(a);
  const std::vector<Keyed> of_b = OfB(b);
  if (of_a.size() != of_b.size()) return std::nullopt;
  WeightDistance distance(a_.graph(), values_a_, b_.graph(), values_b_);
  for (size_t i = 0; i < of_a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const bool is_compared, distance.Add(of_a[i].tensor, of_b[i].tensor));
    if (!is_compared) return std::nullopt;
  }
  const WeightDifference result = distance.Result();
  if (result.compared == 0) return std::nullopt;
  return result;
}

absl::StatusOr<WeightDiff::Pair> WeightDiff::ReadWhole(TensorId a, TensorId b) {
  absl::StatusOr<uint64_t> of_b = 0;
  SideTask read_b(b_.graph().tensor(b).bytes >= kWorthAThread, [&] { of_b = hashes_b_.Whole(b); });
  OH_ASSIGN_OR_RETURN(const uint64_t of_a, hashes_a_.Whole(a));
  read_b.Finish();
  if (!of_b.ok()) return of_b.status();
  return Pair{of_a, *of_b};
}

absl::StatusOr<bool> WeightDiff::DifferInOrder(absl::Span<const Keyed> a,
                                               absl::Span<const Keyed> b) {
  // What a sample tells apart need not be read.
  for (const bool whole : {false, true}) {
    for (size_t i = 0, end = 0; i < a.size(); i = end) {
      while (end < a.size() && a[end].key == a[i].key) ++end;
      bool differ = false;
      if (end == i + 1) {
        OH_ASSIGN_OR_RETURN(differ, DifferAlone(a[i].tensor, b[i].tensor, whole));
      } else if (whole) {
        // Nothing but what they hold tells them apart.
        OH_ASSIGN_OR_RETURN(differ, DifferAsTheyCome(a.subspan(i, end - i), b.subspan(i, end - i)));
      }
      if (differ) return true;
    }
  }
  return false;
}

absl::StatusOr<bool> WeightDiff::DifferAlone(TensorId a, TensorId b, bool whole) {
  if (whole) {
    OH_ASSIGN_OR_RETURN(const Pair hashes, ReadWhole(a, b));
    return hashes.a != hashes.b && hashes.a != 0 && hashes.b != 0;
  }
  if (a_.graph().dims(a) != b_.graph().dims(b)) return true;
  OH_ASSIGN_OR_RETURN(const uint64_t sample_a, hashes_a_.Sample(a));
  OH_ASSIGN_OR_RETURN(const uint64_t sample_b, hashes_b_.Sample(b));
  const bool is_unread = sample_a == 0 || sample_b == 0;
  if (is_unread) ++unread_;
  return !is_unread && sample_a != sample_b;
}

absl::StatusOr<bool> WeightDiff::DifferAsTheyCome(absl::Span<const Keyed> a,
                                                  absl::Span<const Keyed> b) {
  std::vector<uint64_t> hashes_a;
  std::vector<uint64_t> hashes_b;
  for (size_t i = 0; i < a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const Pair whole, ReadWhole(a[i].tensor, b[i].tensor));
    if (whole.a == 0 || whole.b == 0) {
      ++unread_;
      continue;
    }
    hashes_a.push_back(whole.a);
    hashes_b.push_back(whole.b);
  }
  std::sort(hashes_a.begin(), hashes_a.end());
  std::sort(hashes_b.begin(), hashes_b.end());
  return hashes_a != hashes_b;
}

}  // namespace onnx_hier
