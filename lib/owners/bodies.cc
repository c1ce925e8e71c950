// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/bodies.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/base/hash.h"
#include "lib/graph/node_look.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kFarthest = 14;   // edges from the anchor
constexpr size_t kLargestBody = 48;  // nodes around one anchor, one way
constexpr size_t kMostReaders = 64;  // of one node that are followed
constexpr uint32_t kFewAnchors = 3;

// A node met on the way from an anchor; equal keys: by the same path of slots and operators.
struct Met {
  Rank rank;
  uint64_t key = 0;
};

class Walker {
 public:
  Walker(const Flow& flow, const Dominators& dominators, const KnownModules& known, bool ahead)
      : flow_(flow), dominators_(dominators), known_(known), ahead_(ahead), met_by_(flow.size()) {}

  // The unknown nodes around the anchor, breadth first.
  void Walk(Rank anchor, uint64_t look, std::vector<Met>& met) {
    const size_t begin = met.size();
    size_t level_begin = begin;
    Look(anchor, look, anchor, begin, met);
    for (uint32_t distance = 1; distance < kFarthest; ++distance) {
      const size_t level_end = met.size();
      for (size_t i = level_begin; i < level_end; ++i) {
        const Met from = met[i];
        Look(from.rank, from.key, anchor, begin, met);
      }
      level_begin = level_end;
    }
  }

 private:
  void Look(Rank from, uint64_t key, Rank anchor, size_t begin, std::vector<Met>& met) {
    absl::Span<const Flow::Edge> edges = ahead_ ? flow_.consumers(from) : flow_.producers(from);
    edges = edges.subspan(0, std::min(edges.size(), kMostReaders));
    for (const Flow::Edge& edge : edges) {
      const Rank to = edge.rank;
      if (met.size() - begin >= kLargestBody) return;
      if (flow_.is_constant(to) || known_[to].valid() || met_by_[to] == anchor) continue;
      met_by_[to] = anchor;
      const uint64_t step = MixHash(flow_.graph().node(flow_.node(to)).op.index(), edge.slot);
      met.push_back({to, MixHash(MixHash(key, step), dominators_.operands(to))});
    }
  }

  const Flow& flow_;
  const Dominators& dominators_;
  const KnownModules& known_;
  const bool ahead_;
  IdVector<Rank, Rank> met_by_;
};

}  // namespace

Bodies::Bodies(const Flow& flow, const Dominators& dominators, const KnownModules& known) {
  absl::flat_hash_map<uint64_t, uint32_t> anchors;  // by look
  IdVector<Rank, uint64_t> looks(flow.size());
  for (Rank i : flow.ranks()) {
    if (!known[i].valid()) continue;
    looks[i] = LookOf(flow.graph(), flow.node(i));
    ++anchors[looks[i]];
  }
  for (const bool ahead : {false, true}) {
    IdVector<Rank, Best>& best = ahead ? ahead_ : back_;
    best.resize(flow.size());
    Walker walker(flow, dominators, known, ahead);
    std::vector<Met> met;
    std::vector<uint32_t> anchors_of;  // of each met node: how many look like its anchor
    for (Rank i : flow.ranks()) {
      if (!known[i].valid()) continue;
      walker.Walk(i, looks[i], met);
      anchors_of.resize(met.size(), anchors[looks[i]]);
    }
    absl::flat_hash_map<uint64_t, uint32_t> counts;
    for (const Met& node : met) ++counts[node.key];
    for (size_t i = 0; i < met.size(); ++i) {
      const Best found = {
          static_cast<float>(counts[met[i].key]) / static_cast<float>(anchors_of[i]),
          anchors_of[i]};
      Best& so_far = best[met[i].rank];
      if (found.share > so_far.share ||
          (found.share == so_far.share && found.anchors > so_far.anchors)) {
        so_far = found;
      }
    }
  }
}

Bodies::Match Bodies::ClassOf(const Best& best) {
  if (best.anchors == 0) return Match::kNone;
  if (best.anchors < kFewAnchors) return Match::kFewAnchors;
  if (best.share > 0.99f) return Match::kAll;
  if (best.share > 0.7f) return Match::kMost;
  return best.share > 0.3f ? Match::kSome : Match::kRare;
}

}  // namespace onnx_hier
