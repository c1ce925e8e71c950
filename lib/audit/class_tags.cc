// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/class_tags.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/audit/class_numbers.h"
#include "lib/audit/known_classes.h"
#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/tag_audit.h"
#include "lib/base/rules.h"
#include "lib/names/derived_name.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// --- Which tag goes with which scope, by what most nodes of a file say. Scopes and tags are paths
// of any kind: as they are, or with numbers left out.
//
// Class paths have two properties that are used here: nodes of one scope have one tag, and what is
// inside a module has the module's tag or one that goes on from there.

class ModuleVotes {
 public:
  struct Answer {
    PathId tag;  // none: no clear answer
    double share = 0;
  };

  ModuleVotes(const ModulePaths& scopes, const ModulePaths& tags) : scopes_(scopes), tags_(tags) {}

  void Add(PathId scope, PathId tag, size_t nodes) { counts_[{scope, tag}] += nodes; }
  // After the last Add.
  void Count();

  // The tag of most nodes with this scope.
  Answer OfScope(PathId scope) const;
  // The tag that most scopes around this one share (the modules beside it or inside it, and the
  // one that holds them), if `tag` contradicts it and is at home somewhere else.
  Answer OfGroup(PathId scope, PathId tag) const;

 private:
  struct Majority {
    PathId tag;
    size_t votes = 0;
    size_t total = 0;
    bool tie = false;
    void Add(PathId candidate, size_t count);
  };

  bool Compatible(PathId a, PathId b) const { return tags_.Contains(a, b) || tags_.Contains(b, a); }
  Answer OfGroupIn(PathId module, PathId tag) const;

  const ModulePaths& scopes_;
  const ModulePaths& tags_;
  std::map<std::pair<PathId, PathId>, size_t> counts_;  // (scope, tag)
  absl::flat_hash_map<PathId, Majority> by_scope_;
  absl::flat_hash_map<PathId, Majority> by_group_;          // scopes vote, one vote each
  absl::flat_hash_map<PathId, std::vector<PathId>> homes_;  // scopes of which it is the tag
};

constexpr double kRule = 0.6;
constexpr size_t kLeastVoters = 3;
constexpr double kGroupRule = 0.65;
constexpr size_t kLeastScopes = 3;
// Scopes that are looked at for one outside a group.
constexpr size_t kMostHomes = 16;

double Share(size_t part, size_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

void ModuleVotes::Majority::Add(PathId candidate, size_t count) {
  total += count;
  tie = count == votes || (tie && count < votes);
  if (count <= votes) return;
  votes = count;
  tag = candidate;
}

void ModuleVotes::Count() {
  std::vector<PathId> scopes;
  for (const auto& [key, nodes] : counts_) {
    if (scopes.empty() || scopes.back() != key.first) scopes.push_back(key.first);
    by_scope_[key.first].Add(key.second, nodes);
  }
  std::map<std::pair<PathId, PathId>, size_t> votes;  // (module around, tag)
  for (PathId scope : scopes) {
    const Majority& majority = by_scope_[scope];
    if (majority.tie) continue;
    ++votes[{scope, majority.tag}];
    if (scope != scopes_.root()) ++votes[{scopes_.parent(scope), majority.tag}];
    std::vector<PathId>& homes = homes_[majority.tag];
    if (homes.size() < kMostHomes) homes.push_back(scope);
  }
  for (const auto& [key, count] : votes) by_group_[key.first].Add(key.second, count);
}

ModuleVotes::Answer ModuleVotes::OfScope(PathId scope) const {
  const auto found = by_scope_.find(scope);
  if (found == by_scope_.end()) return {};
  const Majority& majority = found->second;
  const double share = Share(majority.votes, majority.total);
  if (majority.total < kLeastVoters || share < kRule) return {};
  return {majority.tag, share};
}

ModuleVotes::Answer ModuleVotes::OfGroupIn(PathId module, PathId tag) const {
  const auto found = by_group_.find(module);
  if (found == by_group_.end()) return {};
  const Majority& majority = found->second;
  const double share = Share(majority.votes, majority.total);
  if (majority.total < kLeastScopes || share < kGroupRule || Compatible(majority.tag, tag))
    return {};
  const auto homes = homes_.find(tag);
  const bool at_home_elsewhere =
      homes != homes_.end() &&
      std::any_of(homes->second.begin(), homes->second.end(),
                  [&](PathId home) { return !scopes_.Contains(module, home); });
  return at_home_elsewhere ? Answer{majority.tag, share} : Answer{};
}

ModuleVotes::Answer ModuleVotes::OfGroup(PathId scope, PathId tag) const {
  const Answer inside = OfGroupIn(scope, tag);
  if (inside.tag.valid() || scope == scopes_.root()) return inside;
  return OfGroupIn(scopes_.parent(scope), tag);
}

// --- Classes that are named like the modules of which they are: BertIntermediate of
// `intermediate`. Below a layer, the words of a node's scope are compared with all classes that
// tags of the file have there:
//
//   scope  encoder.layer.0.intermediate.dense
//   tag    BertModel.BertEncoder.BertLayer.0.BertAttention       it should be BertIntermediate
//   others ...BertLayer.#.BertIntermediate, ...BertLayer.#.BertOutput
//
// A word counts only where a single class holds it.

class ClassWords {
 public:
  // `skeletons` must outlive this.
  ClassWords(const std::vector<ScopeAndTag>& cases, Skeletons& skeletons);

  struct Answer {
    PathId tag;         // what the words ask for instead, with the numbers of the tag; or none
    bool fits = false;  // they say that the module below the layer is of such a class
  };
  // What the scope's words say of the tag. Paths are added to `paths`.
  Answer Judge(PathId scope, PathId tag, ModulePaths& paths) const;

 private:
  // The class in `place` that is named so; none: there is none, or several.
  PathId OnlyClass(PathId place, absl::string_view word) const;

  // Goes on from `tag`, which stands at `place`, as far as words name single classes.
  PathId Extend(PathId tag, PathId place, absl::Span<const PathId> words, ModulePaths& paths) const;

  Skeletons& skeletons_;
  struct Class {
    PathId skeleton;
    std::string lower_case;
  };
  absl::flat_hash_map<PathId, std::vector<Class>> classes_;  // inside each place of tags
};

// Shorter words are parts of many others.
constexpr size_t kShortestWord = 4;
// Models have a dozen classes at a place, and three or four levels below a layer.
constexpr size_t kMostClasses = 64;
constexpr size_t kMostLevels = 8;

std::string LowerCase(absl::string_view text) {
  return absl::AsciiStrToLower(absl::StrReplaceAll(text, {{"_", ""}}));
}

// Whether the class is named like the module: BertSelfAttention like `self_attention`.
bool IsNamedLike(absl::string_view lower_case_class, absl::string_view lower_case_word) {
  return lower_case_word.size() >= kShortestWord &&
         absl::StrContains(lower_case_class, lower_case_word);
}

// The names below that depth, outermost first.
std::vector<PathId> Below(const ModulePaths& paths, PathId path, uint32_t depth) {
  std::vector<PathId> below;
  for (; paths.depth(path) > depth; path = paths.parent(path)) below.push_back(path);
  std::reverse(below.begin(), below.end());
  return below;
}

ClassWords::ClassWords(const std::vector<ScopeAndTag>& cases, Skeletons& skeletons)
    : skeletons_(skeletons) {
  absl::flat_hash_set<PathId> seen;
  for (const ScopeAndTag& c : cases) {
    const ModulePaths& tree = skeletons.paths();
    for (PathId at = skeletons.Of(c.tag); at != tree.root() && seen.insert(at).second;
         at = tree.parent(at)) {
      classes_[tree.parent(at)].push_back({at, LowerCase(tree.name(at))});
    }
  }
}

PathId ClassWords::OnlyClass(PathId place, absl::string_view word) const {
  PathId only;
  const auto found = classes_.find(place);
  if (found == classes_.end() || found->second.size() > kMostClasses) return only;
  const std::string lower_case = LowerCase(word);
  for (const Class& inside : found->second) {
    if (!IsNamedLike(inside.lower_case, lower_case)) continue;
    if (only.valid()) return PathId();
    only = inside.skeleton;
  }
  return only;
}

ClassWords::Answer ClassWords::Judge(PathId scope, PathId tag, ModulePaths& paths) const {
  Answer answer;
  const Numbers in_scope = skeletons_.NumbersIn(scope);
  const Numbers in_tag = skeletons_.NumbersIn(tag);
  if (in_tag.empty() || in_scope.size() != in_tag.size()) return answer;
  const std::vector<PathId> words = Below(paths, scope, in_scope.back().depth);
  const std::vector<PathId> classes = Below(paths, tag, in_tag.back().depth);
  const size_t both = std::min({words.size(), classes.size(), kMostLevels});
  PathId place = in_tag.back().skeleton;
  for (size_t i = 0; i < both; ++i) {
    const absl::string_view word = paths.name(words[i]);
    const absl::string_view own = paths.name(classes[i]);
    const PathId only = OnlyClass(place, word);
    if (only.valid() && skeletons_.paths().name(only) != own) {
      answer.tag = paths.AncestorAtDepth(tag, paths.depth(classes[i]) - 1);
      answer.tag =
          Extend(answer.tag, place, absl::MakeConstSpan(words).subspan(i, kMostLevels), paths);
      return answer;
    }
    if (!IsNamedLike(LowerCase(own), LowerCase(word))) break;
    answer.fits = true;
    place = skeletons_.paths().FindChild(place, own);
  }
  return answer;
}

PathId ClassWords::Extend(PathId tag, PathId place, absl::Span<const PathId> words,
                          ModulePaths& paths) const {
  for (PathId word : words) {
    place = OnlyClass(place, paths.name(word));
    if (!place.valid()) break;
    tag = paths.Child(tag, std::string(skeletons_.paths().name(place)));
  }
  return tag;
}

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
