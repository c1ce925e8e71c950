// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/twins.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

constexpr size_t kRemembered = 1 << 14;  // a power of two

// Offsets in file order at which neighbours are compared.
constexpr int64_t kFarthestOffset = 4;
constexpr float kProducerWeight = 2.0f / 3;
// A node has seldom more operands; the rest of a large Concat adds nothing.
constexpr size_t kMostProducers = 8;

}  // namespace

PathTransfer::PathTransfer(const ModulePaths& paths, const ModuleChildren& children,
                           ModulePaths* added_to, size_t most_added)
    : paths_(paths),
      children_(children),
      added_to_(added_to),
      most_paths_(2 * paths.size() + most_added),
      remembered_(kRemembered) {}

PathId PathTransfer::Carry(PathId from, PathId twin_from, PathId twin_to) {
  if (twin_from == twin_to) return from;
  if (twin_from == from) return twin_to;
  const uint64_t hash = MixHash(MixHash(from.index(), twin_from.index()), twin_to.index());
  Way& way = remembered_[hash & (kRemembered - 1)];
  if (way.from != from || way.twin_from != twin_from || way.twin_to != twin_to) {
    const PathId to = CarryAnew(from, twin_from, twin_to);
    // A later node may find it there.
    if (deferred_ && !to.valid()) return to;
    way = {from, twin_from, twin_to, to};
  }
  return way.to;
}

// None: it is not there and may not be added.
PathId PathTransfer::Child(PathId parent, absl::string_view name) {
  if (added_to_ != nullptr) return added_to_->Child(parent, name);
  if (paths_.depth(parent) >= ModulePaths::kDeepest) return parent;
  const PathId child = paths_.FindChild(parent, name);
  deferred_ |= !child.valid();
  return child;
}

// Goes from `from` the way that leads from `twin_from` to `twin_to`. Where that way steps from one
// number to another, the difference counts: the next layer, whatever its number.
PathId PathTransfer::CarryAnew(PathId from, PathId twin_from, PathId twin_to) {
  if (paths_.size() >= most_paths_) return PathId();
  const PathId top = paths_.CommonAncestor(twin_from, twin_to);
  const uint32_t up = paths_.depth(twin_from) - paths_.depth(top);
  if (up > paths_.depth(from)) return PathId();
  const uint32_t base_depth = paths_.depth(from) - up;
  PathId to = paths_.AncestorAtDepth(from, base_depth);
  absl::InlinedVector<PathId, 16> down;
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
    if (children_.is_list(to) && !paths_.is_number(down.back())) return PathId();
    to = Child(to, paths_.name(down.back()));
  }
  return to;
}

Twins::Twins(const Context& context, const TwinGroups& groups, const Siblings& siblings,
             ModulePaths* added_to)
    : context_(context),
      flow_(context.flow),
      known_(context.known),
      fingerprints_(context.analysis.fingerprints()),
      groups_(groups),
      siblings_(siblings),
      transfer_(context.paths, context.children, added_to, flow_.size()) {}

std::vector<TwinVote> Twins::VotesOn(Rank rank) {
  transfer_.Start();
  ListReferences(rank);
  std::vector<TwinVote> votes;
  if (references_.empty()) return votes;
  for (size_t i = 0; i < kLikenessCount && votes.size() < kMostVotes; ++i) {
    TwinVote vote;
    vote.likeness = static_cast<Likeness>(i);
    const absl::Span<const Rank> twins = Nearest(groups_.Like(rank, vote.likeness), rank);
    for (Rank twin : twins) {
      vote.twins += twin != rank && siblings_.MayBeTwins(twin, rank) && Ask(twin, vote);
    }
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
void Twins::ListReferences(Rank rank) {
  references_.clear();
  for (int64_t offset = 1; offset <= kFarthestOffset; ++offset) {
    AddOffset(rank, -offset);
    AddOffset(rank, offset);
  }
  size_t count = 0;
  for (const Flow::Edge& edge : flow_.producers(rank)) {
    if (++count > kMostProducers) break;
    AddReference(/*is_producer=*/true, 0, edge.slot, edge.rank, kProducerWeight);
  }
  const Rank previous = context_.surroundings.previous(rank);
  const Rank next = context_.surroundings.next(rank);
  if (previous.valid() && rank - previous > kFarthestOffset) {
    AddOffset(rank, -static_cast<int64_t>(rank - previous));
  }
  if (next.valid() && next - rank > kFarthestOffset) AddOffset(rank, next - rank);
}

void Twins::AddOffset(Rank rank, int64_t offset) {
  const int64_t at = rank.index() + offset;
  if (at < 0 || at >= static_cast<int64_t>(flow_.size())) return;
  const Rank neighbour(static_cast<size_t>(at));
  const float weight = 1.0f / (1.0f + static_cast<float>(offset < 0 ? -offset : offset));
  AddReference(/*is_producer=*/false, offset, 0, neighbour, weight);
}

void Twins::AddReference(bool is_producer, int64_t offset, uint32_t slot, Rank neighbour,
                         float weight) {
  const PathId module = known_[neighbour];
  if (!module.valid()) return;
  references_.push_back(
      {is_producer, offset, slot, weight, module, fingerprints_.at(Likeness::kLoose0, neighbour)});
}

absl::Span<const Rank> Twins::Nearest(absl::Span<const Rank> twins, Rank rank) const {
  if (twins.size() <= kMostTwins) return twins;
  size_t begin =
      static_cast<size_t>(std::lower_bound(twins.begin(), twins.end(), rank) - twins.begin());
  size_t end = begin;
  while (end - begin < kMostTwins) {
    const bool before =
        end == twins.size() || (begin > 0 && rank - twins[begin - 1] <= twins[end] - rank);
    if (before) {
      --begin;
    } else {
      ++end;
    }
  }
  return twins.subspan(begin, end - begin);
}

Rank Twins::Follow(Rank from, const Reference& reference) const {
  if (!reference.is_producer) {
    const int64_t at = from.index() + reference.offset;
    const bool outside = at < 0 || at >= static_cast<int64_t>(flow_.size());
    return outside ? Rank() : Rank(static_cast<size_t>(at));
  }
  for (const Flow::Edge& edge : flow_.producers(from)) {
    if (edge.slot == reference.slot) return edge.rank;
    if (edge.slot > reference.slot) break;
  }
  return Rank();
}

bool Twins::Ask(Rank twin, TwinVote& vote) {
  bool said = false;
  const PathId twins_module = known_[twin];
  for (const Reference& reference : references_) {
    const Rank other = Follow(twin, reference);
    if (!other.valid()) continue;
    const PathId others_module = known_[other];
    if (!others_module.valid()) continue;
    if (fingerprints_.at(Likeness::kLoose0, other) != reference.look) continue;
    const PathId path = transfer_.Carry(reference.module, others_module, twins_module);
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
