#include "lib/contamination/ballots.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {
namespace {

// A proposal with the module in which it would put the node, just below where that module and the
// tag part.
struct Vote {
  Proposal proposal;
  PathId layer;
  uint32_t depth = 0;  // of the layer

  auto key() const { return std::make_tuple(proposal.node, proposal.kind, layer); }
};

Vote ReadVote(const Trial& trial, const ModulePaths& paths, const Proposal& proposal) {
  Vote vote = {proposal, proposal.expected, 0};
  const TagDifference difference =
      trial.siblings.Compare(proposal.expected, trial.tags[proposal.node]);
  if (difference.compatible()) return vote;
  vote.depth = difference.depth + 1;
  vote.layer = paths.AncestorAtDepth(proposal.expected, vote.depth);
  return vote;
}

// Where in the layer. A tag that was only moved from another layer is right from there on, as far
// as this layer has such modules; where it says no more than the layer, the witnesses are asked.
PathId ChoosePath(const Trial& trial, const ModulePaths& paths, absl::Span<const Vote> votes) {
  const uint32_t depth = votes[0].depth;
  const PathId tag = trial.tags[votes[0].proposal.node];
  if (depth == 0) return tag;
  if (votes[0].proposal.kind == FindingKind::kCrossLayer && paths.depth(tag) > depth) {
    const PathId moved = trial.siblings.Transplant(votes[0].layer, tag, depth);
    if (paths.depth(moved) == paths.depth(tag)) return moved;
  }
  PathId best;
  float most = 0;
  for (const Vote& candidate : votes) {
    float sum = 0;
    for (const Vote& vote : votes) {
      if (vote.proposal.expected == candidate.proposal.expected) sum += vote.proposal.confidence;
    }
    if (sum <= most) continue;
    most = sum;
    best = candidate.proposal.expected;
  }
  return best;
}

constexpr float kMostConfidence = 0.95f;

}  // namespace

float Ballot::confidence() const { return std::min(kMostConfidence, sum / 2 + 0.2f); }

std::vector<Ballot> CountBallots(const Trial& trial, const ModulePaths& paths,
                                 const std::vector<Proposal>& proposals) {
  std::vector<Vote> votes;
  votes.reserve(proposals.size());
  for (const Proposal& proposal : proposals) votes.push_back(ReadVote(trial, paths, proposal));
  std::stable_sort(votes.begin(), votes.end(),
                   [](const Vote& a, const Vote& b) { return a.key() < b.key(); });
  std::vector<Ballot> ballots;
  for (size_t begin = 0; begin < votes.size();) {
    Ballot ballot;
    ballot.node = votes[begin].proposal.node;
    ballot.kind = votes[begin].proposal.kind;
    ballot.depth = votes[begin].depth;
    size_t end = begin;
    for (; end < votes.size() && votes[end].key() == votes[begin].key(); ++end) {
      const Proposal& proposal = votes[end].proposal;
      ballot.witnesses.Add(proposal.witness);
      ballot.sum += proposal.confidence;
      ballot.best = std::max(ballot.best, proposal.confidence);
    }
    ballot.expected =
        ChoosePath(trial, paths, absl::MakeConstSpan(votes).subspan(begin, end - begin));
    begin = end;
    ballots.push_back(ballot);
  }
  return ballots;
}

}  // namespace onnx_hier
