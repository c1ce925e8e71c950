#include "lib/features/twins.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// Offsets in file order at which neighbours are compared.
constexpr int64_t kFarthestOffset = 4;
constexpr float kProducerWeight = 2.0f / 3;
// A node has seldom more operands; the rest of a large Concat adds nothing.
constexpr size_t kMostProducers = 8;

}  // namespace

Twins::Twins(const Context& context, const TwinGroups& groups, ModulePaths* added_to)
    : context_(context),
      flow_(context.flow),
      known_(context.known),
      fingerprints_(context.analysis.fingerprints()),
      groups_(groups),
      transfer_(context.paths, context.children, added_to, flow_.size()) {}

std::vector<TwinVote> Twins::VotesOn(Place place) {
  transfer_.Start();
  ListReferences(place);
  std::vector<TwinVote> votes;
  if (references_.empty()) return votes;
  for (size_t i = 0; i < kLikenessCount && votes.size() < kMostVotes; ++i) {
    TwinVote vote;
    vote.likeness = static_cast<Likeness>(i);
    const absl::Span<const Place> twins = Nearest(groups_.Like(place, vote.likeness), place);
    for (Place twin : twins) vote.twins += twin != place && Ask(twin, vote);
    if (vote.twins == 0) continue;
    float sum = 0;
    for (const TwinVote::Candidate& candidate : vote.candidates) sum += candidate.share;
    for (TwinVote::Candidate& candidate : vote.candidates) candidate.share /= sum;
    const bool enough = vote.candidates.size() == 1 && vote.twins >= kEnoughTwins;
    votes.push_back(std::move(vote));
    if (enough) break;
  }
  return votes;
}

// Only neighbours that are known themselves can tell where the node is.
void Twins::ListReferences(Place place) {
  references_.clear();
  for (int64_t offset = 1; offset <= kFarthestOffset; ++offset) {
    AddOffset(place, -offset);
    AddOffset(place, offset);
  }
  size_t count = 0;
  for (const Flow::Edge& edge : flow_.producers(place)) {
    if (++count > kMostProducers) break;
    if (!known_[edge.place].valid()) continue;
    references_.push_back({true, 0, edge.slot, edge.place, kProducerWeight});
  }
  const Place previous = context_.surroundings.previous(place);
  const Place next = context_.surroundings.next(place);
  if (previous != kNowhere && place - previous > kFarthestOffset) {
    AddOffset(place, -static_cast<int64_t>(place - previous));
  }
  if (next != kNowhere && next - place > kFarthestOffset) AddOffset(place, next - place);
}

void Twins::AddOffset(Place place, int64_t offset) {
  const int64_t at = place + offset;
  if (at < 0 || at >= flow_.size() || !known_[static_cast<Place>(at)].valid()) return;
  const float weight = 1.0f / (1.0f + static_cast<float>(offset < 0 ? -offset : offset));
  references_.push_back({false, offset, 0, static_cast<Place>(at), weight});
}

absl::Span<const Place> Twins::Nearest(absl::Span<const Place> twins, Place place) const {
  if (twins.size() <= kMostTwins) return twins;
  size_t begin =
      static_cast<size_t>(std::lower_bound(twins.begin(), twins.end(), place) - twins.begin());
  size_t end = begin;
  while (end - begin < kMostTwins) {
    const bool before =
        end == twins.size() || (begin > 0 && place - twins[begin - 1] <= twins[end] - place);
    if (before) {
      --begin;
    } else {
      ++end;
    }
  }
  return twins.subspan(begin, end - begin);
}

Place Twins::Follow(Place from, const Reference& reference) const {
  if (!reference.is_producer) {
    const int64_t at = from + reference.offset;
    return at < 0 || at >= flow_.size() ? kNowhere : static_cast<Place>(at);
  }
  for (const Flow::Edge& edge : flow_.producers(from)) {
    if (edge.slot == reference.slot) return edge.place;
    if (edge.slot > reference.slot) break;
  }
  return kNowhere;
}

bool Twins::Ask(Place twin, TwinVote& vote) {
  bool said = false;
  for (const Reference& reference : references_) {
    const Place other = Follow(twin, reference);
    if (other == kNowhere || !known_[other].valid()) continue;
    if (fingerprints_.at(Likeness::kLoose0, other) !=
        fingerprints_.at(Likeness::kLoose0, reference.place)) {
      continue;
    }
    const PathId path = transfer_.Carry(known_[reference.place], known_[other], known_[twin]);
    if (!path.valid()) continue;
    said = true;
    auto candidate = std::find_if(vote.candidates.begin(), vote.candidates.end(),
                                  [path](const auto& c) { return c.path == path; });
    if (candidate == vote.candidates.end()) {
      candidate = vote.candidates.insert(candidate, {path, 0, twin});
    }
    candidate->share += reference.weight;
  }
  return said;
}

}  // namespace onnx_hier
