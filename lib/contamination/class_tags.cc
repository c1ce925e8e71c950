// Class tags are learned from the file itself. "Skeletons" are paths with numbers left out:
//
//   scope encoder.layer.1.output   tag BertModel.BertEncoder.BertLayer.1.BertOutput
//         encoder.layer.#.output       BertModel.BertEncoder.BertLayer.#.BertOutput
//
// (1) For each pair of a number's place in a scope and one in a tag, most nodes tell which number
// stands for which. (2) For each scope skeleton, most nodes tell the tag skeleton.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "lib/contamination/judgement.h"
#include "lib/contamination/module_votes.h"
#include "lib/scope/derived_name.h"

namespace onnx_hier {
namespace {

// Shares that make a rule; below them a file does not agree with itself.
constexpr double kRule = 0.55;
constexpr double kIdentityRule = 0.8;
constexpr size_t kLeastNodes = 3;
constexpr double kMostWrong = 0.15;
// Paths with more numbers than this are made to hurt: the innermost ones count.
constexpr size_t kMostNumbers = 8;

struct NumberAt {
  PathId skeleton;  // up to and with the number
  uint64_t number = 0;
  uint32_t depth = 0;  // of the number's atom; the first atom is at 1
};
using Numbers = absl::InlinedVector<NumberAt, 4>;

// What the numbers at one place of scopes mean at one place of tags.
struct NumberMap {
  PathId scope_place;
  std::vector<std::pair<uint64_t, uint64_t>> meaning;  // sorted by the scope's number
  double agreement = 0;
  double weight = 0;  // agreeing nodes

  bool Find(uint64_t number, uint64_t* result) const {
    const auto at =
        std::lower_bound(meaning.begin(), meaning.end(), std::make_pair(number, uint64_t{0}));
    if (at == meaning.end() || at->first != number) return false;
    *result = at->second;
    return true;
  }
};

// Nodes with the same scope and the same tag are alike here.
struct Case {
  PathId scope;
  PathId tag;
  size_t nodes = 0;
};

class Skeletons {
 public:
  explicit Skeletons(const ModulePaths& paths) : paths_(paths) {}

  PathId Of(PathId path) {
    if (path == paths_.root()) return skeletons_.root();
    const auto known = known_.find(path);
    if (known != known_.end()) return known->second;
    std::vector<PathId> chain;
    for (; path != paths_.root() && !known_.contains(path); path = paths_.parent(path)) {
      chain.push_back(path);
    }
    PathId skeleton = path == paths_.root() ? skeletons_.root() : known_[path];
    for (size_t i = chain.size(); i-- > 0;) {
      skeleton =
          skeletons_.Child(skeleton, paths_.is_number(chain[i]) ? "#" : paths_.name(chain[i]));
      known_[chain[i]] = skeleton;
    }
    return skeleton;
  }

  Numbers NumbersIn(PathId path) {
    Numbers numbers;
    for (; path != paths_.root() && numbers.size() < kMostNumbers; path = paths_.parent(path)) {
      if (paths_.is_number(path)) {
        numbers.push_back({Of(path), paths_.number(path), paths_.depth(path)});
      }
    }
    std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }

  const ModulePaths& paths() const { return skeletons_; }

 private:
  const ModulePaths& paths_;
  ModulePaths skeletons_;
  absl::flat_hash_map<PathId, PathId> known_;
};

size_t CountNumbers(const ModulePaths& skeletons, PathId path) {
  size_t count = 0;
  for (; path != skeletons.root(); path = skeletons.parent(path)) {
    count += skeletons.name(path) == "#" ? 1 : 0;
  }
  return count;
}

class ClassTagRules {
 public:
  ClassTagRules(const std::vector<Case>& cases, Skeletons& skeletons) : skeletons_(skeletons) {
    LearnNumbers(cases);
  }

  // The number that belongs at a place of a tag, for a scope with these numbers.
  bool NumberFor(const Numbers& scope, PathId tag_place, uint64_t* number,
                 double* agreement) const {
    const auto maps = numbers_.find(tag_place);
    if (maps == numbers_.end()) return false;
    double best = 0;
    for (const NumberMap& map : maps->second) {
      for (const NumberAt& at : scope) {
        uint64_t meaning = 0;
        if (at.skeleton != map.scope_place || !map.Find(at.number, &meaning)) continue;
        if (map.weight <= best) continue;
        best = map.weight;
        *number = meaning;
        *agreement = map.agreement;
      }
    }
    return best > 0;
  }

  bool IsKnownNumber(PathId tag_place, uint64_t number) const {
    return known_numbers_.contains({tag_place, number});
  }

 private:
  using Counts = std::map<std::pair<uint64_t, uint64_t>, size_t>;  // (in scope, in tag) -> nodes

  void LearnNumbers(const std::vector<Case>& cases) {
    std::map<std::pair<PathId, PathId>, Counts> tables;  // (tag place, scope place)
    for (const Case& c : cases) {
      const Numbers in_tag = skeletons_.NumbersIn(c.tag);
      for (const NumberAt& t : in_tag) known_numbers_.insert({t.skeleton, t.number});
      for (const NumberAt& s : skeletons_.NumbersIn(c.scope)) {
        for (const NumberAt& t : in_tag) {
          tables[{t.skeleton, s.skeleton}][{s.number, t.number}] += c.nodes;
        }
      }
    }
    absl::flat_hash_map<PathId, NumberMap> guesses;  // by the place in scopes
    absl::flat_hash_map<PathId, PathId> guessed;     // the place in tags of each
    absl::flat_hash_set<PathId> explained;           // places in scopes
    for (const auto& [places, counts] : tables) {
      const auto [tag_place, scope_place] = places;
      NumberMap map = MostCommonMeanings(scope_place, counts);
      const bool alike = CountNumbers(skeletons_.paths(), scope_place) ==
                         CountNumbers(skeletons_.paths(), tag_place);
      if (IsRule(map)) {
        if (alike) explained.insert(scope_place);
        numbers_[tag_place].push_back(std::move(map));
        continue;
      }
      NumberMap guess = MakeIdentity(std::move(map), counts);
      if (!alike || guess.weight <= guesses[scope_place].weight) continue;
      guesses[scope_place] = std::move(guess);
      guessed[scope_place] = tag_place;
    }
    std::map<PathId, PathId> in_order(guessed.begin(), guessed.end());
    for (const auto& [scope_place, tag_place] : in_order) {
      if (!explained.contains(scope_place)) numbers_[tag_place].push_back(guesses[scope_place]);
    }
  }

  static NumberMap MostCommonMeanings(PathId scope_place, const Counts& counts) {
    NumberMap map;
    map.scope_place = scope_place;
    size_t total = 0;
    size_t agreeing = 0;
    for (auto it = counts.begin(); it != counts.end();) {
      const uint64_t number = it->first.first;
      uint64_t best = 0;
      size_t votes = 0;
      for (; it != counts.end() && it->first.first == number; ++it) {
        total += it->second;
        const bool itself = it->first.second == number;
        if (it->second < votes || (it->second == votes && !itself)) continue;
        votes = it->second;
        best = it->first.second;
      }
      agreeing += votes;
      map.meaning.emplace_back(number, best);
    }
    map.agreement = static_cast<double>(agreeing) / static_cast<double>(total);
    map.weight = static_cast<double>(agreeing);
    return map;
  }

  // Most nodes follow it, and it sends no two numbers to one.
  static bool IsRule(const NumberMap& map) {
    std::vector<uint64_t> images;
    for (const auto& [number, meaning] : map.meaning) images.push_back(meaning);
    std::sort(images.begin(), images.end());
    return map.agreement >= kRule && images.size() >= 2 &&
           std::adjacent_find(images.begin(), images.end()) == images.end();
  }

  // Each number to itself, for places where most tags are wrong; of weight 0 if too few nodes
  // follow that.
  static NumberMap MakeIdentity(NumberMap map, const Counts& counts) {
    size_t total = 0;
    size_t same = 0;
    for (const auto& [numbers, nodes] : counts) {
      total += nodes;
      same += numbers.first == numbers.second ? nodes : 0;
    }
    map.agreement = static_cast<double>(same) / static_cast<double>(total);
    const bool followed =
        map.meaning.size() >= 2 &&
        map.agreement * static_cast<double>(map.meaning.size() + 1) >= kIdentityRule;
    map.weight = followed ? static_cast<double>(total) : 0;
    for (auto& [number, meaning] : map.meaning) meaning = number;
    return map;
  }

  Skeletons& skeletons_;
  absl::flat_hash_map<PathId, std::vector<NumberMap>> numbers_;  // by the place in tags
  absl::flat_hash_set<std::pair<PathId, uint64_t>> known_numbers_;
};

// One witness: scopes in names, or the owners of parameters.
class ClassTagJudge {
 public:
  ClassTagJudge(const Trial& trial, const IdVector<NodeId, PathId>& scopes, bool owners,
                ModulePaths& paths, Verdicts& verdicts)
      : trial_(trial),
        scopes_(scopes),
        owners_(owners),
        paths_(paths),
        verdicts_(verdicts),
        skeletons_(paths),
        exact_(paths, paths),
        alike_(skeletons_.paths(), skeletons_.paths()) {}

  void Judge() {
    std::map<std::pair<PathId, PathId>, size_t> cases;
    size_t nodes = 0;
    for (NodeId node : trial_.graph.node_ids()) {
      if (!trial_.tags[node].valid() || !scopes_[node].valid()) continue;
      ++cases[{scopes_[node], trial_.tags[node]}];
      ++nodes;
    }
    if (nodes <= kLeastNodes) return;
    std::vector<Case> list;
    for (const auto& [key, count] : cases) list.push_back({key.first, key.second, count});
    const ClassTagRules rules(list, skeletons_);
    for (const Case& c : list) {
      exact_.Add(WithoutCalls(c.scope), c.tag, c.nodes);
      alike_.Add(skeletons_.Of(WithoutCalls(c.scope)), skeletons_.Of(c.tag), c.nodes);
    }
    exact_.Count();
    alike_.Count();
    for (NodeId node : trial_.graph.node_ids()) {
      if (!trial_.tags[node].valid() || !scopes_[node].valid()) continue;
      if (verdicts_.settled[node] != 0) continue;
      verdicts_.settled[node] = 1;
      if (!JudgeNumbers(rules, node) && !owners_) JudgeModule(rules, node);
    }
    ReportSuspects(nodes);
  }

 private:
  struct Suspect {
    NodeId node;
    PathId expected;
    double share = 0;
  };

  bool JudgeNumbers(const ClassTagRules& rules, NodeId node) {
    const PathId tag = trial_.tags[node];
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
    Report(node, FindingKind::kCrossLayer, expected, agreement);
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
  void JudgeModule(const ClassTagRules& rules, NodeId node) {
    const PathId scope = WithoutCalls(scopes_[node]);
    const PathId alike_scope = skeletons_.Of(scope);
    const PathId tag = skeletons_.Of(trial_.tags[node]);
    const ModuleVotes::Answer answer = alike_.OfScope(alike_scope);
    if (answer.tag.valid()) {
      if (Differ(answer.tag, tag)) {
        Report(node, FindingKind::kCrossModule, WithNumbers(rules, answer.tag, node), answer.share);
      }
      return;
    }
    ModuleVotes::Answer fewer = exact_.OfScope(scope);
    if (!fewer.tag.valid()) fewer = exact_.OfGroup(scope, trial_.tags[node]);
    fewer = fewer.tag.valid() ? ModuleVotes::Answer{skeletons_.Of(fewer.tag), fewer.share}
                              : alike_.OfGroup(alike_scope, tag);
    if (!fewer.tag.valid() || !Differ(fewer.tag, tag)) return;
    suspects_.push_back({node, WithNumbers(rules, fewer.tag, node), fewer.share});
  }

  // Whether neither of two skeletons goes on from the other.
  bool Differ(PathId a, PathId b) const {
    const ModulePaths& skeletons = skeletons_.paths();
    return !skeletons.Contains(a, b) && !skeletons.Contains(b, a);
  }

  // Where many tags are wrong, a few voices that agree mean little.
  void ReportSuspects(size_t nodes) {
    const size_t wrong = suspects_.size() + verdicts_.findings.size();
    if (static_cast<double>(wrong) > kMostWrong * static_cast<double>(nodes)) return;
    for (const Suspect& suspect : suspects_) {
      Report(suspect.node, FindingKind::kCrossModule, suspect.expected, suspect.share);
    }
  }

  // The tag with that skeleton for the node's scope.
  PathId WithNumbers(const ClassTagRules& rules, PathId usual, NodeId node) {
    const PathId tag = trial_.tags[node];
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
    finding.actual = trial_.tags[node];
    finding.expected = expected;
    finding.depth = trial_.siblings.Compare(expected, finding.actual).depth;
    finding.witnesses.Add(TagWitness::kClassMap);
    if (owners_) finding.witnesses.Add(TagWitness::kParameters);
    finding.confidence = static_cast<float>(confidence);
    verdicts_.findings.push_back(finding);
  }

  const Trial& trial_;
  const IdVector<NodeId, PathId>& scopes_;
  const bool owners_;
  ModulePaths& paths_;
  Verdicts& verdicts_;
  Skeletons skeletons_;
  std::vector<Suspect> suspects_;
  ModuleVotes exact_;
  ModuleVotes alike_;  // by skeletons
};

}  // namespace

void JudgeClassTags(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                    ModulePaths& paths, Verdicts& verdicts) {
  JudgeByKnownClasses(trial, statements, paths, verdicts);
  IdVector<NodeId, PathId> names(trial.graph.node_count());
  IdVector<NodeId, PathId> owners(trial.graph.node_count());
  for (NodeId node : trial.graph.node_ids()) {
    names[node] = statements[node].best();
    owners[node] = statements[node].owner;
  }
  ClassTagJudge(trial, names, false, paths, verdicts).Judge();
  ClassTagJudge(trial, owners, true, paths, verdicts).Judge();
}

}  // namespace onnx_hier
