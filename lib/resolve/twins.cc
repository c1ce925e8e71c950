#include "lib/resolve/twins.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

// Offsets in file order at which neighbours are compared.
constexpr int64_t kFarthestOffset = 4;
constexpr float kProducerWeight = 2.0f / 3;
// A node has seldom more operands; the rest of a large Concat adds nothing.
constexpr size_t kMostProducers = 8;
constexpr size_t kTransferCache = 1 << 12;  // a power of two

}  // namespace

Twins::Twins(const Context& context, const TwinGroups& groups, ModulePaths* added_to)
    : context_(context),
      flow_(context.flow),
      known_(context.known),
      fingerprints_(context.wiring.fingerprints()),
      groups_(groups),
      paths_(context.paths),
      added_to_(added_to),
      most_paths_(2 * paths_.size() + flow_.size()),
      transfers_(kTransferCache) {}

std::vector<TwinVote> Twins::VotesOn(Place place) {
  left_unsaid_ = false;
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
    const PathId path = Carry(known_[reference.place], known_[other], known_[twin]);
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

PathId Twins::Carry(PathId from, PathId twin_from, PathId twin_to) {
  if (twin_from == twin_to) return from;
  if (twin_from == from) return twin_to;
  const uint64_t hash = MixHash(MixHash(from.index(), twin_from.index()), twin_to.index());
  Transfer& cached = transfers_[hash & (kTransferCache - 1)];
  if (cached.from != from || cached.twin_from != twin_from || cached.twin_to != twin_to) {
    const PathId to = CarryAnew(from, twin_from, twin_to);
    // A later node may find it there.
    if (left_unsaid_ && !to.valid()) return to;
    cached = {from, twin_from, twin_to, to};
  }
  return cached.to;
}

// None: it is not there and may not be added.
PathId Twins::Child(PathId parent, absl::string_view name) {
  if (added_to_ != nullptr) return added_to_->Child(parent, name);
  if (paths_.depth(parent) >= ModulePaths::kDeepest) return parent;
  const PathId child = paths_.FindChild(parent, name);
  left_unsaid_ |= !child.valid();
  return child;
}

// Goes from `from` the way that leads from `twin_from` to `twin_to`. Where that way steps from one
// number to another, the difference counts: the next layer, whatever its number.
PathId Twins::CarryAnew(PathId from, PathId twin_from, PathId twin_to) {
  if (paths_.size() >= most_paths_) return PathId();
  const PathId top = paths_.CommonAncestor(twin_from, twin_to);
  const uint32_t up = paths_.depth(twin_from) - paths_.depth(top);
  if (up > paths_.depth(from)) return PathId();
  const uint32_t base_depth = paths_.depth(from) - up;
  PathId to = paths_.AncestorAtDepth(from, base_depth);
  std::vector<PathId> down;
  for (PathId at = twin_to; at != top; at = paths_.parent(at)) down.push_back(at);
  if (up > 0 && !down.empty()) {
    const PathId left = paths_.AncestorAtDepth(twin_from, paths_.depth(top) + 1);
    const PathId entered = down.back();
    if (paths_.is_number(left) && paths_.is_number(entered)) {
      const PathId own = paths_.AncestorAtDepth(from, base_depth + 1);
      if (!paths_.is_number(own)) return PathId();
      // Unsigned arithmetic wraps: a number before 0 comes out far beyond any real one.
      const uint64_t number = paths_.number(own) + paths_.number(entered) - paths_.number(left);
      constexpr uint64_t kLargest = 1u << 30;
      if (number > kLargest) return PathId();
      to = Child(to, absl::StrCat(number));
      down.pop_back();
    }
  }
  for (; !down.empty() && to.valid(); down.pop_back()) {
    // The members of a list of layers are numbers: where the way leads elsewhere, it is no way
    // here.
    if (context_.children.is_list(to) && !paths_.is_number(down.back())) return PathId();
    to = Child(to, paths_.name(down.back()));
  }
  return to;
}

}  // namespace onnx_hier
