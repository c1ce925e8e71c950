#include "lib/compare/corrections.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {
namespace {

// A suggestion with the module in which it would put the node, just below where that module and the
// tag part.
struct Vote {
  Suggestion suggestion;
  PathId layer;
  uint32_t depth = 0;  // of the layer

  auto key() const { return std::make_tuple(suggestion.node, suggestion.kind, layer); }
};

Vote ReadVote(const TagAudit& audit, const ModulePaths& paths, const Suggestion& suggestion) {
  Vote vote = {suggestion, suggestion.expected, 0};
  const TagDifference difference =
      audit.layers.Compare(suggestion.expected, audit.tags[suggestion.node]);
  if (difference.compatible()) return vote;
  vote.depth = difference.depth + 1;
  vote.layer = paths.AncestorAtDepth(suggestion.expected, vote.depth);
  return vote;
}

// Where in the layer. A tag that was only moved from another layer is right from there on, as far
// as this layer has such modules; where it says no more than the layer, the witnesses are asked.
PathId ChoosePath(const TagAudit& audit, const ModulePaths& paths, absl::Span<const Vote> votes) {
  const uint32_t depth = votes[0].depth;
  const PathId tag = audit.tags[votes[0].suggestion.node];
  if (depth == 0) return tag;
  if (votes[0].suggestion.kind == FindingKind::kCrossLayer && paths.depth(tag) > depth) {
    const PathId moved = audit.layers.Transplant(votes[0].layer, tag, depth);
    if (paths.depth(moved) == paths.depth(tag)) return moved;
  }
  PathId best;
  float most = 0;
  for (const Vote& candidate : votes) {
    float sum = 0;
    for (const Vote& vote : votes) {
      if (vote.suggestion.expected == candidate.suggestion.expected)
        sum += vote.suggestion.confidence;
    }
    if (sum <= most) continue;
    most = sum;
    best = candidate.suggestion.expected;
  }
  return best;
}

constexpr float kMostConfidence = 0.95f;

}  // namespace

float Correction::confidence() const { return std::min(kMostConfidence, sum / 2 + 0.2f); }

std::vector<Correction> SumSuggestions(const TagAudit& audit, const ModulePaths& paths,
                                       const std::vector<Suggestion>& suggestions) {
  std::vector<Vote> votes;
  votes.reserve(suggestions.size());
  for (const Suggestion& suggestion : suggestions)
    votes.push_back(ReadVote(audit, paths, suggestion));
  std::stable_sort(votes.begin(), votes.end(),
                   [](const Vote& a, const Vote& b) { return a.key() < b.key(); });
  std::vector<Correction> corrections;
  for (size_t begin = 0; begin < votes.size();) {
    Correction correction;
    correction.node = votes[begin].suggestion.node;
    correction.kind = votes[begin].suggestion.kind;
    correction.depth = votes[begin].depth;
    size_t end = begin;
    for (; end < votes.size() && votes[end].key() == votes[begin].key(); ++end) {
      const Suggestion& suggestion = votes[end].suggestion;
      correction.witnesses.Add(suggestion.witness);
      correction.sum += suggestion.confidence;
      correction.best = std::max(correction.best, suggestion.confidence);
    }
    correction.expected =
        ChoosePath(audit, paths, absl::MakeConstSpan(votes).subspan(begin, end - begin));
    begin = end;
    corrections.push_back(correction);
  }
  return corrections;
}

}  // namespace onnx_hier
