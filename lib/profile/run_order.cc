// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/run_order.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/profile/fused_operators.h"

namespace onnx_hier {

void RunOrder::Ran(NodeId node, size_t kernel) {
  ran_[node] = std::min(ran_[node], static_cast<uint32_t>(kernel + 1));
}

std::vector<NodeId> RunOrder::LastRun(NodeId node) const {
  // Of nodes that were fused with one kernel, and what they read.
  constexpr size_t kMostLooks = 16;
  std::vector<NodeId> found;
  std::vector<NodeId> open = {node};
  for (size_t i = 0; i < open.size() && i < kMostLooks; ++i) {
    if (has_run(open[i])) {
      found.push_back(open[i]);
      continue;
    }
    for (ValueId value : graph_.inputs(open[i])) {
      if (open.size() == kMostLooks) break;
      const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
      if (maker.valid()) open.push_back(maker);
    }
  }
  return found;
}

std::vector<RunOrder::Stretch> RunOrder::Stretches() const {
  IdVector<NodeId, uint32_t> begin(graph_.node_count(), 0);
  IdVector<NodeId, uint32_t> end(graph_.node_count(), kNever);
  const auto for_makers = [&](NodeId node, const auto& visit) {
    for (ValueId value : graph_.inputs(node)) {
      const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
      if (maker.valid()) visit(maker);
    }
  };
  std::vector<Stretch> stretches;
  for (NodeId node : graph_.node_ids()) {
    for_makers(node, [&](NodeId maker) {
      begin[node] = std::max(begin[node], has_run(maker) ? ran_[maker] : begin[maker]);
    });
  }
  for (size_t i = graph_.node_count(); i-- > 0;) {
    const NodeId node(i);
    const uint32_t latest = std::min(end[node], ran_[node]);
    for_makers(node, [&](NodeId maker) { end[maker] = std::min(end[maker], latest); });
    if (!has_run(node)) stretches.push_back({node, begin[node], end[node]});
  }
  std::reverse(stretches.begin(), stretches.end());
  return stretches;
}

std::vector<AlignedKernel> RunOrder::Align(absl::Span<const size_t> open) const {
  absl::flat_hash_map<absl::string_view, size_t> numbers;
  std::vector<std::vector<size_t>> kernels;
  for (size_t i : open) {
    const auto [kind, is_new] = numbers.emplace(KindOf(kernels_[i].op_type), kernels.size());
    if (is_new) kernels.emplace_back();
    kernels[kind->second].push_back(i);
  }
  std::vector<AlignedKernel> aligned;
  if (kernels.empty()) return aligned;
  std::vector<std::vector<Stretch>> stretches(kernels.size());
  for (const Stretch& stretch : Stretches()) {
    const auto kind = numbers.find(KindOf(graph_, stretch.node));
    if (kind != numbers.end()) stretches[kind->second].push_back(stretch);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    AlignKind(kernels[i], std::move(stretches[i]), aligned);
  }
  return aligned;
}

// Each kernel takes, of the nodes that can be meant, the one whose time ends first.
void RunOrder::AlignKind(absl::Span<const size_t> open, std::vector<Stretch> stretches,
                         std::vector<AlignedKernel>& aligned) {
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  const auto ends_later = [](const Stretch& a, const Stretch& b) {
    return std::tie(a.end, a.node) > std::tie(b.end, b.node);
  };
  std::priority_queue<Stretch, std::vector<Stretch>, decltype(ends_later)> running(ends_later);
  // Likewise of those that were taken: they could have been meant by this one.
  std::priority_queue<Stretch, std::vector<Stretch>, decltype(ends_later)> taken(ends_later);
  size_t next = 0;
  for (size_t kernel : open) {
    const auto time = static_cast<uint32_t>(kernel + 1);
    for (; next < stretches.size() && stretches[next].begin < time; ++next) {
      running.push(stretches[next]);
    }
    while (!running.empty() && running.top().end <= time) running.pop();
    while (!taken.empty() && taken.top().end <= time) taken.pop();
    if (running.empty()) continue;
    aligned.push_back({kernel, running.top().node, running.size() == 1 && taken.empty()});
    taken.push(running.top());
    running.pop();
  }
}

}  // namespace onnx_hier
