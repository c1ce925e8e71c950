// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/corrections.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {
namespace {

// A suggestion with the module in which it would put the node, just below where that module and the
// tag part.
struct LocatedSuggestion {
  Suggestion suggestion;
  PathId layer;
  uint32_t depth = 0;  // of the layer

  auto key() const { return std::make_tuple(suggestion.node, suggestion.kind, layer); }
};

LocatedSuggestion Locate(const TagAudit& audit, const ModulePaths& paths,
                         const Suggestion& suggestion) {
  LocatedSuggestion one = {suggestion, suggestion.expected, 0};
  const TagDifference difference =
      audit.layers.Compare(suggestion.expected, audit.tags[suggestion.node]);
  if (difference.compatible()) return one;
  one.depth = difference.depth + 1;
  one.layer = paths.AncestorAtDepth(suggestion.expected, one.depth);
  return one;
}

// Where in the layer. A tag that was only moved from another layer is right from there on, as far
// as this layer has such modules; where it says no more than the layer, the witnesses are asked.
PathId ChoosePath(const TagAudit& audit, const ModulePaths& paths,
                  absl::Span<const LocatedSuggestion> located) {
  const uint32_t depth = located[0].depth;
  const PathId tag = audit.tags[located[0].suggestion.node];
  if (depth == 0) return tag;
  if (located[0].suggestion.kind == FindingKind::kCrossLayer && paths.depth(tag) > depth) {
    const PathId moved = audit.layers.Transplant(located[0].layer, tag, depth);
    if (paths.depth(moved) == paths.depth(tag)) return moved;
  }
  PathId best;
  float most = 0;
  for (const LocatedSuggestion& candidate : located) {
    float sum = 0;
    for (const LocatedSuggestion& one : located) {
      if (one.suggestion.expected == candidate.suggestion.expected)
        sum += one.suggestion.confidence;
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
  std::vector<LocatedSuggestion> located;
  located.reserve(suggestions.size());
  for (const Suggestion& suggestion : suggestions)
    located.push_back(Locate(audit, paths, suggestion));
  std::stable_sort(
      located.begin(), located.end(),
      [](const LocatedSuggestion& a, const LocatedSuggestion& b) { return a.key() < b.key(); });
  std::vector<Correction> corrections;
  for (size_t begin = 0; begin < located.size();) {
    Correction correction;
    correction.node = located[begin].suggestion.node;
    correction.kind = located[begin].suggestion.kind;
    correction.depth = located[begin].depth;
    size_t end = begin;
    for (; end < located.size() && located[end].key() == located[begin].key(); ++end) {
      const Suggestion& suggestion = located[end].suggestion;
      correction.witnesses.Add(suggestion.witness);
      correction.sum += suggestion.confidence;
      correction.best = std::max(correction.best, suggestion.confidence);
    }
    correction.expected =
        ChoosePath(audit, paths, absl::MakeConstSpan(located).subspan(begin, end - begin));
    begin = end;
    corrections.push_back(correction);
  }
  return corrections;
}

}  // namespace onnx_hier
