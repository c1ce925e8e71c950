// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/named_features.h"

#include <algorithm>

#include "lib/owners/residual.h"

namespace onnx_hier {
namespace {

// A vote counts as one voice when nothing but rounding is left for others.
constexpr float kAllAgree = 0.999f;

}  // namespace

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
