// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/earlier_tags.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/audit/second_look.h"
#include "lib/audit/unsure.h"
#include "lib/names/scoped_name.h"
#include "lib/tags/earlier_tag.h"

namespace onnx_hier {
namespace {

// Of a tag that does not say how sure it is.
constexpr double kUnstated = 0.5;
// Where names tell, so many earlier tags are compared, and so many of them must be right.
constexpr size_t kMostCompared = 1000;
constexpr size_t kLeastCompared = 8;
constexpr double kLeastRight = 0.9;
// Confidences are written with four digits: they are compared as written, and rounding alone makes
// no difference.
constexpr double kUnit = 1e-4;
// Two or three leave no doubt in real models; each is as dear as a check.
constexpr int kMostComparisons = 16;

int64_t InUnits(double confidence) { return std::llround(confidence / kUnit); }

class EarlierTagRecall {
 public:
  EarlierTagRecall(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                   const Least& least, NodeOwners& owners)
      : flow_(flow),
        graph_(flow.graph()),
        evidence_(evidence),
        paths_(paths),
        least_(least),
        owners_(owners) {}

  bool Recall() {
    nothing_else_ = std::all_of(owners_.begin(), owners_.end(),
                                [](const Assignment& a) { return a.method == Method::kNone; });
    if (!AnyToRecall()) return false;
    // Where nothing else names modules, nothing belies them but comparisons.
    const double trust = nothing_else_ ? 1 : ShareOfRight();
    if (trust < kLeastRight) return false;
    for (NodeId node : graph_.node_ids()) {
      if (SaysItself(owners_[node])) continue;
      const std::optional<EarlierTag> tag = Read(node);
      if (!tag.has_value() || !IsHeard(node, *tag)) continue;
      const int64_t claimed = InUnits(std::min(trust, tag->confidence.value_or(kUnstated)));
      if (claimed <= InUnits(owners_[node].confidence) + 1) continue;
      const PathId module = to_the_letter_ ? PathOfTag(tag->primary, paths_)
                                           : AppendComponents(tag->primary, paths_.root(), paths_);
      if (claimed < InUnits(least_.At(module))) continue;
      before_.emplace(node, owners_[node]);
      owners_.Decide(node, {.primary = module,
                            .confidence = static_cast<float>(static_cast<double>(claimed) * kUnit),
                            .method = tag->transferred == Method::kNone ? Method::kEarlierTag
                                                                        : tag->transferred});
    }
    WithdrawDoubtful();
    return !before_.empty();
  }

 private:
  std::optional<EarlierTag> Read(NodeId node) const {
    std::optional<EarlierTag> tag = ReadEarlierTag(graph_.doc_string(node));
    if (tag.has_value() || !nothing_else_) return tag;
    const absl::string_view other = TagInMetadata(graph_.metadata(node));
    if (!other.empty()) tag.emplace().primary = std::string(other);
    return tag;
  }

  // The original that a tag was carried over from tells more than what stands around the node.
  bool IsHeard(NodeId node, const EarlierTag& tag) const {
    return IsUnsure(owners_[node]) || tag.transferred != Method::kNone;
  }

  bool AnyToRecall() const {
    for (NodeId node : graph_.node_ids()) {
      if (SaysItself(owners_[node])) continue;
      if (graph_.doc_string(node).empty() && !nothing_else_) continue;
      const std::optional<EarlierTag> tag = Read(node);
      if (tag.has_value() && IsHeard(node, *tag)) return true;
    }
    return false;
  }

  // Of a fused node, the tag may name the module that tells of itself second.
  bool Names(const EarlierTag& tag, PathId module, bool to_the_letter) const {
    const auto is_meant = [&](const std::string& text) {
      return (to_the_letter ? PathOfTag(text, paths_)
                            : AppendComponents(text, paths_.root(), paths_)) == module;
    };
    return is_meant(tag.primary) ||
           (tag.transferred != Method::kNone &&
            std::any_of(tag.auxiliary.begin(), tag.auxiliary.end(), is_meant));
  }

  // Until nothing is doubtful: then the next run, which finds these tags, has no doubts either.
  // Tags of which others are doubtful each time are not believed at all, for the same reason.
  void WithdrawDoubtful() {
    for (int i = 0; i < kMostComparisons && !before_.empty(); ++i) {
      IdSet<NodeId> settled(graph_.node_count());
      settled.AddAll();
      for (const auto& [node, owner] : before_) settled.Remove(node);
      const std::vector<Correction> doubts =
          CompareAssignments(flow_, evidence_, paths_, owners_, settled);
      if (doubts.empty()) return;
      for (const Correction& doubt : doubts) {
        owners_.Decide(doubt.node, before_[doubt.node]);
        before_.erase(doubt.node);
      }
    }
    for (const auto& [node, owner] : before_) owners_.Decide(node, owner);
    before_.clear();
  }

  // Sets `to_the_letter_` as well.
  double ShareOfRight() {
    size_t compared = 0;
    size_t right_as_printed = 0;
    size_t right_to_the_letter = 0;
    for (NodeId node : graph_.node_ids()) {
      if (compared >= kMostCompared) break;
      if (!SaysItself(owners_[node])) continue;
      const std::optional<EarlierTag> tag = Read(node);
      if (!tag.has_value()) continue;
      ++compared;
      const PathId right = owners_[node].primary;
      right_as_printed += Names(*tag, right, /*to_the_letter=*/false) ? 1 : 0;
      right_to_the_letter += Names(*tag, right, /*to_the_letter=*/true) ? 1 : 0;
    }
    if (compared < kLeastCompared) return 0;
    to_the_letter_ = right_to_the_letter >= right_as_printed;
    return static_cast<double>(std::max(right_as_printed, right_to_the_letter)) /
           static_cast<double>(compared);
  }

  const Flow& flow_;
  const Graph& graph_;
  const Evidence& evidence_;
  ModulePaths& paths_;
  const Least& least_;
  NodeOwners& owners_;
  bool nothing_else_ = false;            // names modules than these tags
  bool to_the_letter_ = true;            // tags are our own, not names as exporters print them
  std::map<NodeId, Assignment> before_;  // of nodes that have their earlier tag now
};

}  // namespace

bool RecallEarlierTags(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                       const Least& least, NodeOwners& owners) {
  return EarlierTagRecall(flow, evidence, paths, least, owners).Recall();
}

}  // namespace onnx_hier
