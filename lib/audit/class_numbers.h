// SPDX-License-Identifier: Apache-2.0

// The numbers in class tags, learned from the file itself. "Skeletons" are paths with numbers left
// out:
//
//   scope encoder.layer.1.output   tag BertModel.BertEncoder.BertLayer.1.BertOutput
//         encoder.layer.#.output       BertModel.BertEncoder.BertLayer.#.BertOutput
//
// For each pair of a number's place in a scope and one in a tag, most nodes tell which number
// stands for which.
#ifndef ONNX_HIER_LIB_AUDIT_CLASS_NUMBERS_H_
#define ONNX_HIER_LIB_AUDIT_CLASS_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct NumberAt {
  PathId skeleton;  // up to and with the number
  uint64_t number = 0;
  uint32_t depth = 0;  // of the number's atom; the first atom is at 1
};
using Numbers = absl::InlinedVector<NumberAt, 4>;

// How many nodes have this scope and this tag.
struct ScopeAndTag {
  PathId scope;
  PathId tag;
  size_t nodes = 0;
};

class Skeletons {
 public:
  explicit Skeletons(const ModulePaths& paths) : paths_(paths) {}

  PathId Of(PathId path);
  // The same place in a list with members of any class: "Block.#.*.#" of "Block.#.FeedForward.#".
  PathId OfAnyClass(PathId skeleton);
  // Outermost first; of a path that has very many, the innermost ones.
  Numbers NumbersIn(PathId path);

  const ModulePaths& paths() const { return skeletons_; }

 private:
  const ModulePaths& paths_;
  ModulePaths skeletons_;
  absl::flat_hash_map<PathId, PathId> known_;
};

class ClassNumbers {
 public:
  ClassNumbers(const std::vector<ScopeAndTag>& cases, Skeletons& skeletons)
      : skeletons_(skeletons) {
    Learn(cases);
  }

  // The number that belongs at a place of a tag, for a scope with these numbers. False if that is
  // not known.
  bool NumberFor(const Numbers& scope, PathId tag_place, uint64_t* number, double* agreement) const;
  // Whether any tag has that number there.
  bool IsKnownNumber(PathId tag_place, uint64_t number) const {
    return known_numbers_.contains({tag_place, number});
  }

 private:
  // What the numbers at one place of scopes mean at one place of tags.
  struct NumberMap {
    PathId scope_place;
    std::vector<std::pair<uint64_t, uint64_t>> meaning;  // sorted by the scope's number
    double agreement = 0;
    double weight = 0;   // agreeing nodes
    bool alike = false;  // the places are Alike()

    bool Find(uint64_t number, uint64_t* result) const;
    // A firm one before an alike one before others, then by weight.
    bool IsBetterThan(const NumberMap& other) const;
  };
  using Counts = std::map<std::pair<uint64_t, uint64_t>, size_t>;  // (in scope, in tag) -> nodes
  using Tables = std::map<std::pair<PathId, PathId>, Counts>;      // (tag place, scope place)

  // Whether as many numbers lead up to one as to the other.
  bool Alike(PathId scope_place, PathId tag_place) const;
  Tables Tabulate(const std::vector<ScopeAndTag>& cases);
  void Learn(const std::vector<ScopeAndTag>& cases);
  static NumberMap MostCommonMeanings(PathId scope_place, const Counts& counts);
  static bool IsRule(const NumberMap& map);
  static NumberMap MakeIdentity(NumberMap map, const Counts& counts);
  void Keep(PathId tag_place, NumberMap map);
  // What is known of a scope's numbers at that place of tags, in the order in which it was kept.
  struct Known {
    size_t map = 0;  // in maps_
    const NumberAt* at = nullptr;
  };
  absl::InlinedVector<Known, 4> KnownOf(const Numbers& scope, PathId tag_place) const;

  Skeletons& skeletons_;
  std::vector<NumberMap> maps_;
  absl::flat_hash_map<std::pair<PathId, PathId>, size_t> by_places_;  // (in tags, in scopes)
  absl::flat_hash_set<std::pair<PathId, uint64_t>> known_numbers_;
  // (place in tags, place in scopes, number there, number in the tag): seen together in some node.
  absl::flat_hash_set<std::tuple<PathId, PathId, uint64_t, uint64_t>> met_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_CLASS_NUMBERS_H_
