// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/named_features.h"

#include <algorithm>

#include "lib/owners/residual.h"

namespace onnx_hier {
namespace {

// 0: next to it, 1: two places away, 2: three to five, 3: further.
uint32_t DistanceClass(uint32_t distance) {
  if (distance <= 2) return distance - 1;
  return distance <= 5 ? 2 : 3;
}

// What the nodes on one side, up or down the flow, say.
void AddSide(const std::vector<Neighbourhood::Near>& side, FeatureKind near_kind,
             FeatureKind all_kind, FeatureKind far_kind, uint32_t constant,
             PathRelations& relations, Candidate& candidate) {
  uint32_t near = 0;
  bool all_here = true;
  for (const Neighbourhood::Near& other : side) {
    if (other.distance > 1) continue;
    ++near;
    all_here &= other.path == candidate.path;
  }
  const auto far = static_cast<uint32_t>(side.size()) - near;
  for (const Neighbourhood::Near& other : side) {
    const bool is_near = other.distance == 1;
    const auto relation = static_cast<uint32_t>(relations.Of(candidate.path, other.path));
    AddFeature(candidate.features,
               FeatureNumber(is_near ? near_kind : far_kind, constant, relation),
               1.0f / static_cast<float>(is_near ? near : far));
  }
  if (near > 0 && all_here) AddFeature(candidate.features, FeatureNumber(all_kind, constant));
}

void AddOrder(const Neighbourhood& around, uint32_t constant, PathRelations& relations,
              Candidate& candidate) {
  const auto relation = [&](PathId other) {
    return static_cast<uint32_t>(relations.Of(candidate.path, other));
  };
  std::vector<Feature>& features = candidate.features;
  if (around.before.valid()) {
    AddFeature(features,
               FeatureNumber(FeatureKind::kBefore, constant, DistanceClass(around.before_distance),
                             relation(around.before)));
  }
  if (around.after.valid()) {
    AddFeature(features,
               FeatureNumber(FeatureKind::kAfter, constant, DistanceClass(around.after_distance),
                             relation(around.after)));
  }
  if (!around.before.valid() || !around.after.valid()) return;
  const FeatureKind kind =
      around.before == around.after ? FeatureKind::kBothSides : FeatureKind::kOrderAncestor;
  AddFeature(features, FeatureNumber(kind, relation(around.order_ancestor)));
}

// Appends what the neighbourhood says about the candidate.
void AddNeighbourFeatures(const Neighbourhood& around, Rank rank, const Context& context,
                          PathRelations& relations, Candidate& candidate) {
  const Surroundings& surroundings = context.surroundings;
  const PathId root = context.paths.root();
  const uint32_t constant = around.constant ? 1 : 0;
  std::vector<Feature>& features = candidate.features;
  AddOrder(around, constant, relations, candidate);
  const Surroundings::Interval interval = surroundings.interval(candidate.path);
  if (interval.first.valid() && candidate.path != root) {
    const bool inside = interval.first < rank && rank < interval.last;
    AddFeature(features, FeatureNumber(FeatureKind::kInside, inside ? 1 : 0));
  }
  AddSide(around.up, FeatureKind::kUpNear, FeatureKind::kUpNearAll, FeatureKind::kUpFar, constant,
          relations, candidate);
  AddSide(around.down, FeatureKind::kDownNear, FeatureKind::kDownNearAll, FeatureKind::kDownFar,
          constant, relations, candidate);
  if (around.up_ancestor == candidate.path) {
    AddFeature(features, FeatureNumber(FeatureKind::kUpAncestor, constant));
  }
  if (around.down_ancestor == candidate.path) {
    AddFeature(features, FeatureNumber(FeatureKind::kDownAncestor, constant));
  }
  const auto relation = [&](PathId other) {
    return static_cast<uint32_t>(relations.Of(candidate.path, other));
  };
  if (around.flow_ancestor.valid()) {
    AddFeature(features,
               FeatureNumber(FeatureKind::kFlowAncestor, constant, relation(around.flow_ancestor)));
  }
  if (around.anchor.valid()) {
    const uint32_t holder = context.children.count(around.anchor) > 0 ? 1 : 0;
    AddFeature(features, FeatureNumber(FeatureKind::kAnchor, holder, relation(around.anchor)));
  }
  AddFeature(features,
             FeatureNumber(FeatureKind::kHasNodes, surroundings.has_nodes(candidate.path)));
  if (candidate.path == root) AddFeature(features, FeatureNumber(FeatureKind::kRoot));
}

// A vote counts as one voice when nothing but rounding is left for others.
constexpr float kAllAgree = 0.999f;

}  // namespace

Neighbourhood DescribeNeighbourhood(Rank rank, const Context& context) {
  const KnownModules& known = context.known;
  const Surroundings& surroundings = context.surroundings;
  const ModulePaths& paths = context.paths;
  Neighbourhood around;
  around.constant = context.flow.is_constant(rank);
  around.order_ancestor = paths.root();
  if (const Rank before = surroundings.previous(rank); before.valid()) {
    around.before = known[before];
    around.before_distance = rank - before;
  }
  if (const Rank after = surroundings.next(rank); after.valid()) {
    around.after = known[after];
    around.after_distance = after - rank;
  }
  if (around.before.valid() && around.after.valid()) {
    around.order_ancestor = paths.CommonAncestor(around.before, around.after);
  }
  for (const Surroundings::Near& near : surroundings.upstream(rank)) {
    around.up.push_back({known[near.rank], near.distance});
    around.up_ancestor = paths.Join(around.up_ancestor, known[near.rank]);
  }
  for (const Surroundings::Near& near : surroundings.downstream(rank)) {
    around.down.push_back({known[near.rank], near.distance});
    around.down_ancestor = paths.Join(around.down_ancestor, known[near.rank]);
  }
  around.flow_ancestor = paths.Join(around.up_ancestor, around.down_ancestor);
  around.anchor = AnchorOf(context.evidence, context.flow.node(rank), paths);
  return around;
}

void CandidateList::Clear() {
  list_.clear();
  ++round_;
  Add(paths_.root());
}

void CandidateList::Add(PathId path) {
  if (listed_at_.size() < paths_.size()) listed_at_.resize(paths_.size(), 0);
  while (path.valid() && listed_at_[path.index()] != round_ && list_.size() < kMostCandidates) {
    listed_at_[path.index()] = round_;
    list_.push_back(path);
    path = paths_.parent(path);
  }
}

absl::Span<const Candidate> NamedFeatures::Of(Rank rank) {
  const Neighbourhood around = DescribeNeighbourhood(rank, context_);
  votes_ = twins_.VotesOn(rank);
  list_.Clear();
  list_.Add(around.before);
  list_.Add(around.after);
  for (const Neighbourhood::Near& near : around.up) list_.Add(near.path);
  for (const Neighbourhood::Near& near : around.down) list_.Add(near.path);
  for (const TwinVote& vote : votes_) {
    for (const TwinVote::Candidate& candidate : vote.candidates) list_.Add(candidate.path);
  }
  list_.Add(around.anchor);
  PathId residual = index_.ResidualOwner(rank);
  if (residual.valid()) residual = ResidualRule(residual, around.order_ancestor, context_.paths);
  list_.Add(residual);
  const Inventory::Item item = index_.inventory().ItemAt(rank);
  const size_t count = list_.paths().size();
  if (candidates_.size() < count) candidates_.resize(count);
  size_t filled = 0;
  for (const PathId path : list_.paths()) {
    if (!context_.evidence.IsCandidate(path) || index_.inventory().IsMadeUp(path)) continue;
    Candidate& candidate = candidates_[filled++];
    candidate.path = path;
    candidate.twin = Rank();
    candidate.features.clear();
    AddNeighbourFeatures(around, rank, context_, relations_, candidate);
    AddTwinFeatures(candidate);
    AddHabitFeatures(rank, around.anchor, candidate);
    AddRoomFeatures(item, around.constant, candidate);
    if (!residual.valid()) continue;
    const auto relation = static_cast<uint32_t>(relations_.Of(candidate.path, residual));
    AddFeature(candidate.features, FeatureNumber(FeatureKind::kResidual, relation));
  }
  return absl::MakeConstSpan(candidates_).subspan(0, filled);
}

void NamedFeatures::AddTwinFeatures(Candidate& candidate) const {
  for (uint32_t rank = 0; rank < votes_.size(); ++rank) {
    const TwinVote& vote = votes_[rank];
    const auto said = std::find_if(vote.candidates.begin(), vote.candidates.end(),
                                   [&](const auto& c) { return c.path == candidate.path; });
    if (said == vote.candidates.end()) continue;
    if (!candidate.twin.valid()) candidate.twin = said->twin;
    const auto likeness = static_cast<uint32_t>(vote.likeness);
    AddFeature(candidate.features, FeatureNumber(FeatureKind::kTwin, rank, likeness), said->share);
    if (said->share > kAllAgree) {
      const uint32_t twins = std::min(vote.twins, 3u) - 1;
      AddFeature(candidate.features,
                 FeatureNumber(FeatureKind::kTwinsAgree, rank, likeness, twins));
    }
  }
}

void NamedFeatures::AddHabitFeatures(Rank rank, PathId anchor, Candidate& candidate) const {
  if (!anchor.valid()) return;
  const auto stand =
      static_cast<uint32_t>(AnchorHabits::StandOf(candidate.path, anchor, context_.paths));
  const auto share = static_cast<uint32_t>(index_.habits().Of(rank)[stand]);
  AddFeature(candidate.features, FeatureNumber(FeatureKind::kAnchorHabit, stand, share));
}

void NamedFeatures::AddRoomFeatures(const Inventory::Item& item, bool constant,
                                    Candidate& candidate) const {
  for (uint32_t by = 0; by < Inventory::kKindByCount; ++by) {
    const Inventory::Room room =
        index_.inventory().RoomFor(item, candidate.path, static_cast<Inventory::KindBy>(by));
    AddFeature(candidate.features, FeatureNumber(FeatureKind::kRoom, constant ? 1 : 0, by,
                                                 static_cast<uint32_t>(room)));
  }
}

}  // namespace onnx_hier
