// SPDX-License-Identifier: Apache-2.0

// How one module path stands to another.
#ifndef ONNX_HIER_LIB_NAMES_PATH_RELATION_H_
#define ONNX_HIER_LIB_NAMES_PATH_RELATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// How a candidate stands to another module ("candidate is ... of the other").
enum class Relation : uint8_t {
  kEqual,
  kParent,
  kGrandparent,
  kAncestor,  // further up
  kChild,
  kDeeper,       // further down
  kOtherNumber,  // they part at two numbers of one list: another layer
  kSibling,
  kUncle,  // sibling of an ancestor
  kOther,
};
constexpr size_t kRelationCount = static_cast<size_t>(Relation::kOther) + 1;

Relation RelationOf(PathId candidate, PathId other, const ModulePaths& paths);

// Remembers relations: the same few modules are compared again and again.
class PathRelations {
 public:
  explicit PathRelations(const ModulePaths& paths) : paths_(paths), entries_(kEntries) {}

  Relation Of(PathId candidate, PathId other) {
    if (candidate == other) return Relation::kEqual;
    const uint32_t hash = candidate.index() * 0x9E3779B1u + other.index() * 0x85EBCA77u;
    Entry& entry = entries_[hash >> (32 - kEntryBits)];
    if (entry.candidate != candidate || entry.other != other) {
      entry = {candidate, other, RelationOf(candidate, other, paths_)};
    }
    return entry.relation;
  }

 private:
  static constexpr uint32_t kEntryBits = 11;
  static constexpr size_t kEntries = 1 << kEntryBits;
  struct Entry {
    PathId candidate, other;
    Relation relation = Relation::kEqual;
  };

  const ModulePaths& paths_;
  std::vector<Entry> entries_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_PATH_RELATION_H_
