// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/nameless_features.h"

#include <algorithm>
#include <iterator>

#include "lib/owners/feature_labels.h"

namespace onnx_hier {
namespace {

// Digits of FeatureKind::kOnWay, in the order of their labels.
enum State : uint32_t {
  kTop,
  kTopIsBoth,
  kTopIsBefore,
  kTopIsAfter,
  kIsBefore,
  kIsAfter,
  kAboveBefore,
  kFarAboveBefore,
  kAboveAfter,
  kFarAboveAfter,
  kAboveBoth,
  kOffWay,
};
static_assert(CountLabels(kWayLabels) == kOffWay + 1);

consteval uint32_t TraitOf(const char* label) { return ValueOf(label, kTraitLabels); }

// First digit of each group of FeatureKind::kOnWayTrait.
enum Trait : uint32_t {
  kLiveOut = TraitOf("live-out-0"),
  kLiveIn = TraitOf("live-in-0"),  // the last: nothing computes before it
  kCut = TraitOf("cut-000"),       // narrow before, here, behind
  kJoin = TraitOf("join-0"),
  kReach = TraitOf("ends-here"),      // or read behind the next anchor
  kReadsFar = TraitOf("reads-near"),  // or from before the last anchor
  kOperands = TraitOf("operands-0"),
  kWeight = TraitOf("weightless"),
  kBack = TraitOf("back-none"),
  kAhead = TraitOf("ahead-none"),
  kBeforeAt = TraitOf("before-1"),  // the last: none
  kAfterAt = TraitOf("after-1"),
  kDepths = TraitOf("depths-00"),
  kSameList = TraitOf("same-list-no"),
  kGap = TraitOf("gap-4"),      // how many nodes compute between the anchors
  kHolds = TraitOf("holds-0"),  // these last ones are of the candidate
  kList = TraitOf("list"),
  kMember = TraitOf("member"),
};

constexpr uint32_t kMostCounted = 3;
constexpr uint32_t kCounts = kMostCounted + 1;
constexpr uint32_t kNoDistance = 4;
constexpr uint32_t kShapesPerCut = Bodies::kMatches;
constexpr uint32_t kGapSizes[] = {4, 16, 64, 256};  // up to which

// Each group has as many labels as there are values for it.
static_assert(kLiveIn - kLiveOut == kCounts && kCut - kLiveIn == kCounts + 1);
static_assert(kWeight - kOperands == kCounts && kList - kHolds == kCounts);
static_assert(kAhead - kBack == Bodies::kMatches && kBeforeAt - kAhead == Bodies::kMatches);
static_assert(kAfterAt - kBeforeAt == kNoDistance + 1 && kDepths - kAfterAt == kNoDistance + 1);
static_assert(kSameList - kDepths == kCounts * kCounts);
static_assert(kHolds - kGap == std::size(kGapSizes) + 1);
static_assert(CountLabels(kDistanceLabels) == kNoDistance);
static_assert(CountLabels(kShapeLabels) == size_t{kJoin - kCut} * kShapesPerCut);

constexpr uint32_t kLongGap = 64;

}  // namespace

NamelessIndex::NamelessIndex(const Context& context, const IdSet<PathId>& its_whole,
                             absl::Span<const Rank> ranks)
    : whole(its_whole),
      live(context.flow),
      bodies(context.flow, context.dominators, context.known) {
  std::vector<Rank> joins;
  for (Rank rank : ranks) {
    if (context.dominators.is_join(rank)) joins.push_back(rank);
  }
  residual_owners = ResidualOwners(context, joins);
}

NamelessFeatures::NamelessFeatures(const Context& context, const NamelessIndex& index)
    : context_(context),
      index_(index),
      flow_(context.flow),
      surroundings_(context.surroundings),
      dominators_(context.dominators),
      paths_(context.paths),
      relations_(context.paths) {}

absl::Span<const Candidate> NamelessFeatures::Of(Rank rank, bool is_alone) {
  const Neighbourhood around = DescribeNeighbourhood(rank, context_);
  const Way way = {around.before.valid() ? around.before : paths_.root(),
                   around.after.valid() ? around.after : paths_.root(), around.order_ancestor};
  MeasureGap(rank);
  ListWay(way, is_alone);
  misses_members_ = MissesMembers(way);
  FindTraits(rank, way, around);
  const PathId residual = index_.residual_owners.OwnerOf(rank);
  Pairs up, down, through;
  for (size_t i = 0; i < around.up.size(); ++i) {
    for (size_t j = 0; j < i; ++j) AddPair(around.up[i].path, around.up[j].path, up);
    for (const auto& other : around.down) AddPair(around.up[i].path, other.path, through);
  }
  for (size_t i = 0; i < around.down.size(); ++i) {
    for (size_t j = 0; j < i; ++j) AddPair(around.down[i].path, around.down[j].path, down);
  }
  if (candidates_.size() < way_.size()) candidates_.resize(way_.size());
  for (size_t i = 0; i < way_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    candidate.path = way_[i];
    candidate.features.clear();
    AddNeighbourFeatures(around, rank, context_, relations_, candidate);
    AddWayFeatures(rank, way, residual, candidate);
    AddPairFeatures(FeatureKind::kUpPair, up, candidate);
    AddPairFeatures(FeatureKind::kDownPair, down, candidate);
    AddPairFeatures(FeatureKind::kThroughPair, through, candidate);
    AddWithinFeatures(around, candidate);
  }
  return absl::MakeConstSpan(candidates_).subspan(0, way_.size());
}

bool NamelessFeatures::InLongGap() const { return gap_.computing > kLongGap; }

void NamelessFeatures::MeasureGap(Rank rank) {
  const Rank before = surroundings_.previous(rank);
  const Rank after = surroundings_.next(rank);
  if (gap_.measured && gap_.before == before && gap_.after == after) return;
  gap_ = {before, after, true};
  bool any = false;
  const Rank end = after.valid() ? after : Rank(flow_.size());
  for (Rank i = before.valid() ? before : Rank(0); i < end; ++i) {
    if (flow_.is_constant(i)) continue;
    ++gap_.computing;
    const uint32_t width = index_.live.after(i);
    if (!any || width < gap_.narrowest) {
      gap_.narrowest = width;
      gap_.first_narrow = i;
    }
    if (width == gap_.narrowest) gap_.last_narrow = i;
    any = true;
  }
}

// Lists of layers are left out: they are never called.
void NamelessFeatures::ListWay(const Way& way, bool is_alone) {
  way_.clear();
  left_out_ = false;
  const auto is_whole = [&](PathId path) { return is_alone && index_.whole.Contains(path); };
  const auto add = [&](PathId path) {
    if (is_whole(path)) {
      left_out_ = true;
      return;
    }
    const bool end = path == way.a || path == way.b;
    if (way_.size() < CandidateList::kMostCandidates && context_.evidence.IsCandidate(path) &&
        (end || path == paths_.root() || !context_.children.is_list(path))) {
      way_.push_back(path);
    }
  };
  for (PathId path = way.a; path != way.top; path = paths_.parent(path)) add(path);
  PathId top = way.top;
  while (top != paths_.root() && (context_.children.is_whole_list(top) || is_whole(top) ||
                                  !context_.evidence.IsCandidate(top))) {
    top = paths_.parent(top);
  }
  if (std::find(way_.begin(), way_.end(), top) == way_.end()) way_.push_back(top);
  if (top != way.top && (way.top == way.a || way.top == way.b)) add(way.top);
  for (PathId path = way.b; path != way.top; path = paths_.parent(path)) add(path);
}

bool NamelessFeatures::MissesMembers(const Way& way) const {
  const uint32_t depth = paths_.depth(way.top) + 1;
  const PathId before = paths_.AncestorAtDepth(way.a, depth);
  const PathId after = paths_.AncestorAtDepth(way.b, depth);
  return before != way.top && after != way.top && paths_.is_number(before) &&
         paths_.is_number(after) && paths_.number(after) > paths_.number(before) + 1;
}

uint32_t NamelessFeatures::StateOf(PathId candidate, const Way& way) const {
  if (candidate == way.top) {
    if (way.a == way.b) return kTopIsBoth;
    return way.top == way.a ? kTopIsBefore : way.top == way.b ? kTopIsAfter : kTop;
  }
  if (candidate == way.a) return kIsBefore;
  if (candidate == way.b) return kIsAfter;
  if (paths_.depth(candidate) < paths_.depth(way.top)) return kAboveBoth;
  const uint32_t depth = paths_.depth(candidate);
  if (paths_.Contains(candidate, way.a)) {
    return depth + 1 == paths_.depth(way.a) ? kAboveBefore : kFarAboveBefore;
  }
  if (paths_.Contains(candidate, way.b)) {
    return depth + 1 == paths_.depth(way.b) ? kAboveAfter : kFarAboveAfter;
  }
  return kOffWay;
}

// The last node before `rank` in the gap, its first end included, that is no constant.
Rank NamelessFeatures::PreviousComputing(Rank rank) const {
  const Rank begin = gap_.before.valid() ? gap_.before : Rank(0);
  while (rank > begin) {
    --rank;
    if (!flow_.is_constant(rank)) return rank;
  }
  return Rank();
}

bool NamelessFeatures::ReadsOwnerlessWeight(Rank rank) const {
  const Graph& graph = flow_.graph();
  if (!context_.evidence.owners_of(flow_.node(rank)).empty()) return false;
  for (ValueId value : graph.inputs(flow_.node(rank))) {
    if (!value.valid() || graph.value(value).kind != ValueKind::kInitializer) continue;
    if (graph.dims(graph.value(value).tensor).size() >= 2) return true;
  }
  return false;
}

void NamelessFeatures::FindTraits(Rank rank, const Way& way, const Neighbourhood& around) {
  const auto above_narrowest = [this](Rank at) {
    return std::min(kMostCounted, index_.live.after(at) - gap_.narrowest);
  };
  traits_.clear();
  traits_.push_back(kLiveOut + above_narrowest(rank));
  const Rank previous = PreviousComputing(rank);
  traits_.push_back(kLiveIn + (previous.valid() ? above_narrowest(previous) : 4));
  const uint32_t cut = (gap_.first_narrow < rank ? 4 : 0) +
                       (index_.live.after(rank) == gap_.narrowest ? 2 : 0) +
                       (gap_.last_narrow > rank ? 1 : 0);
  traits_.push_back(kCut + cut);
  join_ = !dominators_.is_join(rank) ? 0 : dominators_.is_skip_join(rank) ? 2 : 1;
  traits_.push_back(kJoin + join_);
  const Rank last_reader = index_.live.last_reader(rank);
  const bool beyond = gap_.after.valid() && last_reader.valid() && last_reader > gap_.after;
  traits_.push_back(kReach + (beyond ? 1 : 0));
  bool far = false;
  for (const Flow::Edge& edge : flow_.producers(rank)) {
    far |= gap_.before.valid() && edge.rank < gap_.before && !flow_.is_constant(edge.rank);
  }
  traits_.push_back(kReadsFar + (far ? 1 : 0));
  traits_.push_back(kOperands + std::min(kMostCounted, dominators_.operands(rank)));
  traits_.push_back(kWeight + (ReadsOwnerlessWeight(rank) ? 1 : 0));
  const auto back = static_cast<uint32_t>(index_.bodies.back(rank));
  traits_.push_back(kBack + back);
  traits_.push_back(kAhead + static_cast<uint32_t>(index_.bodies.ahead(rank)));
  traits_.push_back(kBeforeAt +
                    (around.before.valid() ? DistanceClass(around.before_distance) : kNoDistance));
  traits_.push_back(kAfterAt +
                    (around.after.valid() ? DistanceClass(around.after_distance) : kNoDistance));
  const uint32_t top = paths_.depth(way.top);
  traits_.push_back(kDepths +
                    std::min(kMostCounted, paths_.depth(way.a) - top) * (kMostCounted + 1) +
                    std::min(kMostCounted, paths_.depth(way.b) - top));
  const bool same_list = RelationOf(way.a, way.b, paths_) == Relation::kOtherNumber;
  traits_.push_back(kSameList + (same_list ? 1 : 0));
  const auto size = std::lower_bound(std::begin(kGapSizes), std::end(kGapSizes), gap_.computing);
  traits_.push_back(kGap + static_cast<uint32_t>(size - std::begin(kGapSizes)));
  shape_ = cut * kShapesPerCut + back;
}

void NamelessFeatures::AddWayFeatures(Rank rank, const Way& way, PathId residual,
                                      Candidate& candidate) {
  const uint32_t state = StateOf(candidate.path, way);
  std::vector<Feature>& features = candidate.features;
  AddFeature(features, FeatureNumber(FeatureKind::kOnWay, state));
  const auto add = [&](uint32_t trait) {
    AddFeature(features, FeatureNumber(FeatureKind::kOnWayTrait, state, trait));
  };
  for (uint32_t trait : traits_) add(trait);
  add(kHolds + std::min(kMostCounted, context_.children.count(candidate.path)));
  if (context_.children.is_list(candidate.path)) add(kList);
  if (paths_.is_number(candidate.path)) add(kMember);
  AddFeature(features, FeatureNumber(FeatureKind::kOnWayShape, state, join_, shape_));
  if (!residual.valid()) return;
  const uint32_t skip = dominators_.is_skip_join(rank) ? 1 : 0;
  const auto relation = static_cast<uint32_t>(relations_.Of(candidate.path, residual));
  AddFeature(features, FeatureNumber(FeatureKind::kResidual, skip, 0, relation));
  AddFeature(features, FeatureNumber(FeatureKind::kResidual, skip, 1 + state, relation));
}

void NamelessFeatures::AddPair(PathId a, PathId b, Pairs& pairs) const {
  if (a == b) return;
  pairs.ancestors.push_back(paths_.CommonAncestor(a, b));
  pairs.deepest = std::max<int64_t>(pairs.deepest, paths_.depth(pairs.ancestors.back()));
}

void NamelessFeatures::AddPairFeatures(FeatureKind kind, const Pairs& pairs,
                                       Candidate& candidate) const {
  if (pairs.ancestors.empty()) return;
  enum : uint32_t { kIs, kIsDeepest, kIsBelow };
  static_assert(CountLabels(kPairLabels) == kIsBelow + 1);
  const int64_t depth = paths_.depth(candidate.path);
  const bool is = std::find(pairs.ancestors.begin(), pairs.ancestors.end(), candidate.path) !=
                  pairs.ancestors.end();
  if (is) AddFeature(candidate.features, FeatureNumber(kind, 0, kIs));
  if (is && depth == pairs.deepest) {
    AddFeature(candidate.features, FeatureNumber(kind, 0, kIsDeepest));
  }
  if (!is && depth > pairs.deepest) {
    AddFeature(candidate.features, FeatureNumber(kind, 0, kIsBelow));
  }
}

void NamelessFeatures::AddWithinFeatures(const Neighbourhood& around, Candidate& candidate) const {
  enum : uint32_t { kNoneInside, kSomeInside, kAllInside };
  static_assert(CountLabels(kWithinLabels) == kAllInside + 1);
  const auto within = [&](const std::vector<Neighbourhood::Near>& side) -> uint32_t {
    const auto inside =
        std::count_if(side.begin(), side.end(), [&](const Neighbourhood::Near& near) {
          return paths_.Contains(candidate.path, near.path);
        });
    if (inside == 0) return kNoneInside;
    return static_cast<size_t>(inside) == side.size() ? kAllInside : kSomeInside;
  };
  std::vector<Feature>& features = candidate.features;
  const bool up = !around.up.empty();
  const bool down = !around.down.empty();
  if (up) AddFeature(features, FeatureNumber(FeatureKind::kUpWithin, 0, within(around.up)));
  if (down) AddFeature(features, FeatureNumber(FeatureKind::kDownWithin, 0, within(around.down)));
  if (up && down) {
    AddFeature(features, FeatureNumber(FeatureKind::kThroughWithin, 0, within(around.up),
                                       within(around.down)));
  }
}

}  // namespace onnx_hier
