// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/counterparts.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"

namespace onnx_hier {
namespace {

// Each layer stands in two pairs, and lists are in lists: of some thousand real models none needs
// more than five.
constexpr uint64_t kLooksPerNode = 64;

}  // namespace

Counterparts::Counterparts(const std::vector<IdVector<NodeId, uint64_t>>& hashes)
    : hashes_(hashes),
      next_(hashes[0].size()),
      previous_(hashes[0].size()),
      budget_(kLooksPerNode * hashes[0].size()) {}

void Counterparts::Clear() {
  for (NodeId node : linked_) next_[node] = previous_[node] = NodeId();
  linked_.clear();
}

void Counterparts::Link(const Segmentation& cut) {
  Clear();
  std::vector<Stretch> stretches(cut.order.size());
  for (size_t i = 0; i < cut.nodes.size(); ++i) {
    Stretch& stretch = stretches[cut.cut[i]];
    if (stretch.end == 0) stretch.begin = cut.nodes[i].index();
    stretch.end = cut.nodes[i].index() + 1;
  }
  for (size_t i = 0; i + 1 < stretches.size(); ++i) {
    if (stretches[i].end > 0 && stretches[i + 1].end > 0) {
      LinkStretches(stretches[i], stretches[i + 1]);
    }
  }
}

// What is unique in both, by the widest view in which there is anything.
std::vector<Counterparts::Anchor> Counterparts::FindAnchors(Stretch first, Stretch second) const {
  struct Seen {
    uint32_t in_first = 0;
    uint32_t in_second = 0;
    Anchor anchor = {0, 0};
  };
  for (size_t radius = hashes_.size(); radius-- > 0;) {
    const IdVector<NodeId, uint64_t>& hash = hashes_[radius];
    absl::flat_hash_map<uint64_t, Seen> seen;
    for (uint32_t i = first.begin; i < first.end; ++i) {
      Seen& entry = seen[hash[NodeId(i)]];
      ++entry.in_first;
      entry.anchor.first = i;
    }
    for (uint32_t i = second.begin; i < second.end; ++i) {
      Seen& entry = seen[hash[NodeId(i)]];
      ++entry.in_second;
      entry.anchor.second = i;
    }
    std::vector<Anchor> anchors;
    std::vector<uint32_t> seconds;
    for (uint32_t i = first.begin; i < first.end; ++i) {
      const Seen& entry = seen[hash[NodeId(i)]];
      if (entry.in_first != 1 || entry.in_second != 1) continue;
      anchors.push_back(entry.anchor);
      seconds.push_back(entry.anchor.second);
    }
    if (anchors.empty()) continue;
    const std::vector<char> in_run = LongestRun(seconds);
    std::vector<Anchor> ordered;
    for (size_t i = 0; i < anchors.size(); ++i) {
      if (in_run[i] != 0) ordered.push_back(anchors[i]);
    }
    return ordered;
  }
  return {};
}

bool Counterparts::TryLink(uint32_t first, uint32_t second) {
  const NodeId a(first);
  const NodeId b(second);
  if (next_[a].valid() || previous_[b].valid() || hashes_[0][a] != hashes_[0][b]) return false;
  next_[a] = b;
  previous_[b] = a;
  linked_.push_back(a);
  linked_.push_back(b);
  return true;
}

void Counterparts::LinkStretches(Stretch first, Stretch second) {
  const uint32_t looks = first.end - first.begin + second.end - second.begin;
  if (looks > budget_) return;
  budget_ -= looks;
  const std::vector<Anchor> anchors = FindAnchors(first, second);
  for (const Anchor& anchor : anchors) TryLink(anchor.first, anchor.second);
  const auto end = static_cast<uint32_t>(next_.size());
  const auto inside = [&](uint32_t a, uint32_t b) {
    return first.contains(a) || second.contains(b);
  };
  for (const Anchor& anchor : anchors) {
    for (uint32_t a = anchor.first + 1, b = anchor.second + 1; b < end && inside(a, b); ++a, ++b) {
      if (!TryLink(a, b)) break;
    }
    for (uint32_t a = anchor.first, b = anchor.second; a > 0 && inside(a - 1, b - 1); --a, --b) {
      if (!TryLink(a - 1, b - 1)) break;
    }
  }
}

std::vector<std::vector<NodeId>> Counterparts::Chains() const {
  std::vector<NodeId> starts;
  for (NodeId node : linked_) {
    if (next_[node].valid() && !previous_[node].valid()) starts.push_back(node);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::vector<std::vector<NodeId>> chains;
  chains.reserve(starts.size());
  for (NodeId start : starts) {
    std::vector<NodeId> chain;
    for (NodeId node = start; node.valid(); node = next_[node]) chain.push_back(node);
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace onnx_hier
