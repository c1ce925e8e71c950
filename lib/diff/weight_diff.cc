#include "lib/diff/weight_diff.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/diff/weight_distance.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

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
