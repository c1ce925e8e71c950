// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/context.h"

#include <algorithm>

namespace onnx_hier {

Surroundings::Surroundings(const Flow& flow, const KnownModules& known, const ModulePaths& paths)
    : flow_(flow), known_(known) {
  FindInOrder();
  FindUpstream();
  FindDownstream();
  FindIntervals(paths);
}

void Surroundings::FindInOrder() {
  previous_.assign(flow_.size(), Rank());
  next_.assign(flow_.size(), Rank());
  open_.assign(flow_.size(), 0);
  uint32_t open = 0;
  Rank last;
  for (Rank i : flow_.ranks()) {
    previous_[i] = last;
    if (known_[i].valid()) last = i;
    if (known_.is_open(i)) open_[i] = open++;
  }
  last = Rank();
  for (size_t k = flow_.size(); k-- > 0;) {
    const Rank i(k);
    next_[i] = last;
    if (known_[i].valid()) last = i;
  }
  up_.resize(open);
  down_.resize(open);
}

void Surroundings::NearList::Add(Rank rank, uint32_t distance) {
  uint32_t at = 0;
  while (at < size_ && nodes_[at].rank != rank) ++at;
  if (at < size_) {
    if (nodes_[at].distance <= distance) return;
  } else if (size_ < kMostNear) {
    at = size_++;
  } else {
    at = size_ - 1;
    if (nodes_[at].distance <= distance) return;
  }
  for (; at > 0 && nodes_[at - 1].distance > distance; --at) nodes_[at] = nodes_[at - 1];
  nodes_[at] = {rank, distance};
}

void Surroundings::FindUpstream() {
  for (Rank i : flow_.ranks()) {
    if (!known_.is_open(i)) continue;
    NearList& list = up_[open_[i]];
    for (const Flow::Edge& edge : flow_.producers(i)) {
      if (flow_.is_constant(edge.rank)) continue;
      if (known_[edge.rank].valid()) {
        list.Add(edge.rank, 1);
      } else {
        for (const Near& near : upstream(edge.rank)) list.Add(near.rank, near.distance + 1);
      }
    }
  }
}

void Surroundings::FindDownstream() {
  for (size_t k = flow_.size(); k-- > 0;) {
    const Rank i(k);
    if (!known_.is_open(i)) continue;
    NearList& list = down_[open_[i]];
    for (const Flow::Edge& edge : flow_.consumers(i)) {
      if (known_[edge.rank].valid()) {
        list.Add(edge.rank, 1);
      } else {
        for (const Near& near : downstream(edge.rank)) list.Add(near.rank, near.distance + 1);
      }
    }
  }
}

void Surroundings::FindIntervals(const ModulePaths& paths) {
  intervals_.resize(paths.size());
  seen_.assign(paths.size(), 0);
  for (Rank i : flow_.ranks()) {
    if (!known_[i].valid()) continue;
    seen_[known_[i]] = 1;
    Interval& interval = intervals_[known_[i]];
    if (!interval.first.valid()) interval.first = i;
    interval.last = i;
  }
  // Children are made after their parents: backwards, they are complete first.
  for (size_t i = paths.size(); i-- > 1;) {
    const Interval inner = intervals_[PathId(i)];
    if (!inner.first.valid()) continue;
    Interval& outer = intervals_[paths.parent(PathId(i))];
    outer.first = std::min(outer.first, inner.first);
    outer.last = std::max(outer.last, inner.last);
  }
}

}  // namespace onnx_hier
