// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/class_numbers.h"

#include <algorithm>

namespace onnx_hier {
namespace {

// Shares that make a rule; below them a file does not agree with itself.
constexpr double kLeastShare = 0.55;
constexpr double kIdentityRule = 0.8;
// What so many nodes agree on is a rule of the file.
constexpr double kFirm = 0.75;
constexpr double kFirmNodes = 8;
// Paths with more numbers than this are made to hurt.
constexpr size_t kMostNumbers = 8;

size_t CountNumbers(const ModulePaths& skeletons, PathId path) {
  size_t count = 0;
  for (; path != skeletons.root(); path = skeletons.parent(path)) {
    count += skeletons.name(path) == "#" ? 1 : 0;
  }
  return count;
}

}  // namespace

PathId Skeletons::Of(PathId path) {
  if (path == paths_.root()) return skeletons_.root();
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  std::vector<PathId> chain;
  for (; path != paths_.root() && !known_.contains(path); path = paths_.parent(path)) {
    chain.push_back(path);
  }
  PathId skeleton = path == paths_.root() ? skeletons_.root() : known_[path];
  for (size_t i = chain.size(); i-- > 0;) {
    skeleton = skeletons_.Child(skeleton, paths_.is_number(chain[i]) ? "#" : paths_.name(chain[i]));
    known_[chain[i]] = skeleton;
  }
  return skeleton;
}

PathId Skeletons::OfAnyClass(PathId skeleton) {
  const PathId name = skeletons_.parent(skeleton);
  if (name == skeletons_.root()) return skeleton;
  return skeletons_.Child(skeletons_.Child(skeletons_.parent(name), "*"), "#");
}

Numbers Skeletons::NumbersIn(PathId path) {
  Numbers numbers;
  for (; path != paths_.root() && numbers.size() < kMostNumbers; path = paths_.parent(path)) {
    if (paths_.is_number(path)) {
      numbers.push_back({Of(path), paths_.number(path), paths_.depth(path)});
    }
  }
  std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

bool ClassNumbers::NumberMap::Find(uint64_t number, uint64_t* result) const {
  const auto at =
      std::lower_bound(meaning.begin(), meaning.end(), std::make_pair(number, uint64_t{0}));
  if (at == meaning.end() || at->first != number) return false;
  *result = at->second;
  return true;
}

bool ClassNumbers::NumberMap::IsBetterThan(const NumberMap& other) const {
  const auto rank = [](const NumberMap& map) {
    return map.agreement >= kFirm && map.weight >= kFirmNodes ? 2 : map.alike ? 1 : 0;
  };
  return rank(*this) != rank(other) ? rank(*this) > rank(other) : weight > other.weight;
}

bool ClassNumbers::Alike(PathId scope_place, PathId tag_place) const {
  return CountNumbers(skeletons_.paths(), scope_place) ==
         CountNumbers(skeletons_.paths(), tag_place);
}

void ClassNumbers::Keep(PathId tag_place, NumberMap map) {
  by_places_.emplace(std::make_pair(tag_place, map.scope_place), maps_.size());
  maps_.push_back(std::move(map));
}

absl::InlinedVector<ClassNumbers::Known, 4> ClassNumbers::KnownOf(const Numbers& scope,
                                                                  PathId tag_place) const {
  absl::InlinedVector<Known, 4> known;
  for (const NumberAt& at : scope) {
    const auto found = by_places_.find({tag_place, at.skeleton});
    if (found != by_places_.end()) known.push_back({found->second, &at});
  }
  std::sort(known.begin(), known.end(),
            [](const Known& a, const Known& b) { return a.map < b.map; });
  return known;
}

bool ClassNumbers::NumberFor(const Numbers& scope, PathId tag_place, uint64_t* number,
                             double* agreement) const {
  const NumberMap* best = nullptr;
  for (PathId place : {tag_place, skeletons_.OfAnyClass(tag_place)}) {
    for (const Known& known : KnownOf(scope, place)) {
      const NumberMap& map = maps_[known.map];
      const NumberAt& at = *known.at;
      uint64_t meaning = 0;
      if (!map.Find(at.number, &meaning)) continue;
      if (best != nullptr && !map.IsBetterThan(*best)) continue;
      // What holds for members of any class is believed where one of this class agrees.
      if (place != tag_place && !met_.contains({tag_place, at.skeleton, at.number, meaning})) {
        continue;
      }
      best = &map;
      *number = meaning;
      *agreement = map.agreement;
    }
  }
  return best != nullptr && best->weight > 0;
}

ClassNumbers::Tables ClassNumbers::Tabulate(const std::vector<ScopeAndTag>& cases) {
  Tables tables;
  for (const ScopeAndTag& c : cases) {
    const Numbers in_tag = skeletons_.NumbersIn(c.tag);
    for (const NumberAt& t : in_tag) known_numbers_.insert({t.skeleton, t.number});
    for (const NumberAt& s : skeletons_.NumbersIn(c.scope)) {
      for (const NumberAt& t : in_tag) {
        tables[{t.skeleton, s.skeleton}][{s.number, t.number}] += c.nodes;
        met_.insert({t.skeleton, s.skeleton, s.number, t.number});
        if (!Alike(s.skeleton, t.skeleton)) continue;
        tables[{skeletons_.OfAnyClass(t.skeleton), s.skeleton}][{s.number, t.number}] += c.nodes;
      }
    }
  }
  return tables;
}

void ClassNumbers::Learn(const std::vector<ScopeAndTag>& cases) {
  absl::flat_hash_map<PathId, NumberMap> guesses;  // by the place in scopes
  absl::flat_hash_map<PathId, PathId> guessed;     // the place in tags of each
  absl::flat_hash_set<PathId> explained;           // places in scopes
  for (const auto& [places, counts] : Tabulate(cases)) {
    const auto [tag_place, scope_place] = places;
    NumberMap map = MostCommonMeanings(scope_place, counts);
    const bool alike = map.alike = Alike(scope_place, tag_place);
    if (IsRule(map)) {
      if (alike) explained.insert(scope_place);
      Keep(tag_place, std::move(map));
      continue;
    }
    NumberMap guess = MakeIdentity(std::move(map), counts);
    if (!alike || guess.weight <= guesses[scope_place].weight) continue;
    guesses[scope_place] = std::move(guess);
    guessed[scope_place] = tag_place;
  }
  std::map<PathId, PathId> in_order(guessed.begin(), guessed.end());
  for (const auto& [scope_place, tag_place] : in_order) {
    if (!explained.contains(scope_place)) Keep(tag_place, std::move(guesses[scope_place]));
  }
}

ClassNumbers::NumberMap ClassNumbers::MostCommonMeanings(PathId scope_place, const Counts& counts) {
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
bool ClassNumbers::IsRule(const NumberMap& map) {
  std::vector<uint64_t> images;
  images.reserve(map.meaning.size());
  for (const auto& [number, meaning] : map.meaning) images.push_back(meaning);
  std::sort(images.begin(), images.end());
  return map.agreement >= kLeastShare && images.size() >= 2 &&
         std::adjacent_find(images.begin(), images.end()) == images.end();
}

// Each number to itself, for places where most tags are wrong; of weight 0 if too few nodes
// follow that.
ClassNumbers::NumberMap ClassNumbers::MakeIdentity(NumberMap map, const Counts& counts) {
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

}  // namespace onnx_hier
