// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/class_tags.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/audit/class_numbers.h"
#include "lib/audit/class_words.h"
#include "lib/audit/known_classes.h"
#include "lib/audit/module_votes.h"
#include "lib/base/rules.h"
#include "lib/names/derived_name.h"

namespace onnx_hier {
namespace {

constexpr size_t kLeastNodes = 3;
constexpr double kMostWrong = 0.15;
// Where words speak against a tag: all of 407 such tags in 37 models were wrong, whose classes are
// named by one convention; others have others.
constexpr double kWordsConfidence = 0.9;

// By the scopes in names.
class ClassTagChecker {
 public:
  ClassTagChecker(const TagAudit& audit, const IdVector<NodeId, PathId>& scopes, ModulePaths& paths,
                  NameFindings& result)
      : audit_(audit),
        scopes_(scopes),
        paths_(paths),
        result_(result),
        skeletons_(paths),
        exact_(paths, paths),
        alike_(skeletons_.paths(), skeletons_.paths()) {}

  void Check() {
    std::map<std::pair<PathId, PathId>, size_t> cases;
    size_t nodes = 0;
    for (NodeId node : audit_.graph.node_ids()) {
      if (!audit_.tags[node].valid() || !scopes_[node].valid()) continue;
      ++cases[{scopes_[node], audit_.tags[node]}];
      ++nodes;
    }
    if (nodes <= kLeastNodes) return;
    std::vector<ScopeAndTag> list;
    list.reserve(cases.size());
    for (const auto& [key, count] : cases) list.push_back({key.first, key.second, count});
    const ClassNumbers rules(list, skeletons_);
    const ClassWords words(list, skeletons_);
    for (const ScopeAndTag& c : list) {
      exact_.Add(WithoutCalls(c.scope), c.tag, c.nodes);
      alike_.Add(skeletons_.Of(WithoutCalls(c.scope)), skeletons_.Of(c.tag), c.nodes);
    }
    exact_.Count();
    alike_.Count();
    for (NodeId node : audit_.graph.node_ids()) {
      if (!audit_.tags[node].valid() || !scopes_[node].valid()) continue;
      if (result_.settled.Has(node)) continue;
      result_.settled.Add(node);
      if (CheckNumbers(rules, words, node)) continue;
      if (!CheckModule(rules, words, node) && IsOn(Rule::kClassWords)) CheckWords(words, node);
    }
    ReportSuspects(nodes);
  }

 private:
  struct Suspect {
    NodeId node;
    PathId expected;
    double share = 0;
  };

  bool CheckNumbers(const ClassNumbers& rules, const ClassWords& words, NodeId node) {
    const PathId tag = audit_.tags[node];
    const Numbers scope = skeletons_.NumbersIn(scopes_[node]);
    std::vector<std::pair<uint32_t, uint64_t>> changes;  // depth, number
    double agreement = 1;
    for (const NumberAt& at : skeletons_.NumbersIn(tag)) {
      uint64_t number = 0;
      double share = 0;
      if (!rules.NumberFor(scope, at.skeleton, &number, &share) || number == at.number) continue;
      // A number that no tag has there: the class before it is wrong, not the number.
      if (!rules.IsKnownNumber(at.skeleton, number)) continue;
      if (changes.empty()) agreement = share;
      changes.emplace_back(at.depth, number);
    }
    if (changes.empty()) return false;
    PathId expected = paths_.AncestorAtDepth(tag, changes[0].first - 1);
    size_t change = 0;
    for (PathId atom : AtomsBelow(tag, changes[0].first - 1)) {
      const bool changed = change < changes.size() && paths_.depth(atom) == changes[change].first;
      expected = paths_.Child(expected, changed ? absl::StrCat(changes[change].second)
                                                : std::string(paths_.name(atom)));
      if (changed) ++change;
    }
    const ClassWords::Answer said = words.Judge(WithoutCalls(scopes_[node]), expected, paths_);
    if (said.tag.valid()) expected = said.tag;
    Report(node, FindingKind::kCrossLayer, expected, agreement);
    // Most tags may name the wrong module of the right layer: only words tell.
    result_.findings.back().layer_only =
        !paths_.is_number(expected) && !said.tag.valid() && !said.fits;
    return true;
  }

  std::vector<PathId> AtomsBelow(PathId path, uint32_t depth) const {
    std::vector<PathId> atoms;
    for (; paths_.depth(path) > depth; path = paths_.parent(path)) atoms.push_back(path);
    std::reverse(atoms.begin(), atoms.end());
    return atoms;
  }

  // "encoder.query_3" -> "encoder.query", if there is such a scope: its fourth call.
  PathId WithoutCalls(PathId scope) const {
    if (scope == paths_.root()) return scope;
    const absl::string_view base = WithoutCounter(paths_.name(scope));
    if (base == paths_.name(scope)) return scope;
    const PathId first = paths_.FindChild(paths_.parent(scope), base);
    return first.valid() ? first : scope;
  }

  // By alike scopes, in other layers as well; else by the scope itself or by those around it, which
  // are fewer voices: they are weighed at the end.
  bool CheckModule(const ClassNumbers& rules, const ClassWords& words, NodeId node) {
    const PathId scope = WithoutCalls(scopes_[node]);
    const PathId alike_scope = skeletons_.Of(scope);
    const PathId tag = skeletons_.Of(audit_.tags[node]);
    const ModuleVotes::Answer answer = alike_.OfScope(alike_scope);
    if (answer.tag.valid()) {
      if (!Differ(answer.tag, tag)) return false;
      const PathId expected = WithNumbers(rules, answer.tag, node);
      // Most tags may be wrong.
      if (words.Judge(scope, expected, paths_).tag.valid()) return false;
      Report(node, FindingKind::kCrossModule, expected, answer.share);
      return true;
    }
    ModuleVotes::Answer fewer = exact_.OfScope(scope);
    if (!fewer.tag.valid()) fewer = exact_.OfGroup(scope, audit_.tags[node]);
    fewer = fewer.tag.valid() ? ModuleVotes::Answer{skeletons_.Of(fewer.tag), fewer.share}
                              : alike_.OfGroup(alike_scope, tag);
    if (!fewer.tag.valid() || !Differ(fewer.tag, tag)) return false;
    const PathId expected = WithNumbers(rules, fewer.tag, node);
    if (words.Judge(scope, expected, paths_).tag.valid()) return false;
    suspects_.push_back({node, expected, fewer.share});
    return true;
  }

  void CheckWords(const ClassWords& words, NodeId node) {
    const PathId expected = words.Judge(WithoutCalls(scopes_[node]), audit_.tags[node], paths_).tag;
    if (expected.valid()) Report(node, FindingKind::kCrossModule, expected, kWordsConfidence);
  }

  // Whether neither of two skeletons goes on from the other.
  bool Differ(PathId a, PathId b) const {
    const ModulePaths& skeletons = skeletons_.paths();
    return !skeletons.Contains(a, b) && !skeletons.Contains(b, a);
  }

  // Where many tags are wrong, a few voices that agree mean little.
  void ReportSuspects(size_t nodes) {
    const size_t wrong = suspects_.size() + result_.findings.size();
    if (static_cast<double>(wrong) > kMostWrong * static_cast<double>(nodes)) return;
    for (const Suspect& suspect : suspects_) {
      Report(suspect.node, FindingKind::kCrossModule, suspect.expected, suspect.share);
    }
  }

  // The tag with that skeleton for the node's scope.
  PathId WithNumbers(const ClassNumbers& rules, PathId usual, NodeId node) {
    const PathId tag = audit_.tags[node];
    const ModulePaths& skeletons = skeletons_.paths();
    const Numbers in_scope = skeletons_.NumbersIn(scopes_[node]);
    const Numbers in_tag = skeletons_.NumbersIn(tag);
    std::vector<PathId> atoms;
    for (PathId at = usual; at != skeletons.root(); at = skeletons.parent(at)) atoms.push_back(at);
    PathId expected = paths_.root();
    for (size_t i = atoms.size(); i-- > 0;) {
      if (skeletons.name(atoms[i]) != "#") {
        expected = paths_.Child(expected, std::string(skeletons.name(atoms[i])));
        continue;
      }
      uint64_t number = 0;
      double agreement = 0;
      if (!rules.NumberFor(in_scope, atoms[i], &number, &agreement)) {
        for (const NumberAt& at : in_tag) {
          if (at.skeleton == atoms[i]) number = at.number;
        }
      }
      expected = paths_.Child(expected, absl::StrCat(number));
    }
    return expected;
  }

  void Report(NodeId node, FindingKind kind, PathId expected, double confidence) {
    Finding finding;
    finding.node = node;
    finding.kind = kind;
    finding.actual = audit_.tags[node];
    finding.expected = expected;
    finding.depth = audit_.layers.Compare(expected, finding.actual).depth;
    finding.witnesses.Add(TagWitness::kClassMap);
    finding.confidence = static_cast<float>(confidence);
    result_.findings.push_back(finding);
  }

  const TagAudit& audit_;
  const IdVector<NodeId, PathId>& scopes_;
  ModulePaths& paths_;
  NameFindings& result_;
  Skeletons skeletons_;
  std::vector<Suspect> suspects_;
  ModuleVotes exact_;
  ModuleVotes alike_;  // by skeletons
};

}  // namespace

void CheckClassTags(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                    ModulePaths& paths, NameFindings& result) {
  if (IsOn(Rule::kKnownClasses)) CheckKnownClasses(audit, name_evidence, paths, result);
  IdVector<NodeId, PathId> names(audit.graph.node_count());
  for (NodeId node : audit.graph.node_ids()) names[node] = name_evidence[node].best();
  ClassTagChecker(audit, names, paths, result).Check();
}

}  // namespace onnx_hier
