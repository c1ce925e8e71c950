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

// In the order in which the module's nodes read them; what only others read, behind.
std::vector<TensorId> InOrder(const ModuleGroups& groups, GroupId group) {
  const Graph& graph = groups.graph();
  std::vector<std::pair<std::pair<uint64_t, uint64_t>, TensorId>> tensors;
  for (ValueId value : groups.group(group).parameters) {
    std::pair<uint64_t, uint64_t> first = {graph.node_count(), 0};
    for (const Use& use : graph.uses(value)) {
      if (groups.group_of(use.node) != group) continue;
      first = {groups.position(use.node), use.slot};
      break;
    }
    const TensorId tensor = HeldTensor(graph, value);
    if (tensor.valid()) tensors.emplace_back(first, tensor);
  }
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TensorId> sorted;
  sorted.reserve(tensors.size());
  for (const auto& [place, tensor] : tensors) sorted.push_back(tensor);
  return sorted;
}

}  // namespace

absl::StatusOr<bool> WeightDiff::Differ(GroupId a, GroupId b, bool in_order) {
  const std::vector<TensorId> of_a = InOrder(a_, a);
  const std::vector<TensorId> of_b = InOrder(b_, b);
  if (of_a.size() != of_b.size()) return true;
  return in_order ? DifferOneByOne(of_a, of_b) : DifferAsTheyCome(of_a, of_b);
}

absl::StatusOr<std::optional<WeightDifference>> WeightDiff::Measure(GroupId a, GroupId b) {
  const std::vector<TensorId> of_a = InOrder(a_, a);
  const std::vector<TensorId> of_b = InOrder(b_, b);
  if (of_a.size() != of_b.size()) return std::nullopt;
  WeightDistance distance(a_.graph(), values_a_, b_.graph(), values_b_);
  for (size_t i = 0; i < of_a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const bool is_compared, distance.Add(of_a[i], of_b[i]));
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

absl::StatusOr<bool> WeightDiff::DifferOneByOne(const std::vector<TensorId>& a,
                                                const std::vector<TensorId>& b) {
  // What a sample tells apart need not be read.
  for (size_t i = 0; i < a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const uint64_t sample_a, hashes_a_.Sample(a[i]));
    OH_ASSIGN_OR_RETURN(const uint64_t sample_b, hashes_b_.Sample(b[i]));
    if (sample_a == 0 || sample_b == 0) {
      ++unread_;
    } else if (sample_a != sample_b) {
      return true;
    }
  }
  for (size_t i = 0; i < a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const Pair whole, ReadWhole(a[i], b[i]));
    if (whole.a != whole.b && whole.a != 0 && whole.b != 0) return true;
  }
  return false;
}

absl::StatusOr<bool> WeightDiff::DifferAsTheyCome(const std::vector<TensorId>& a,
                                                  const std::vector<TensorId>& b) {
  std::vector<uint64_t> hashes_a;
  std::vector<uint64_t> hashes_b;
  for (size_t i = 0; i < a.size(); ++i) {
    OH_ASSIGN_OR_RETURN(const Pair whole, ReadWhole(a[i], b[i]));
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
