// SPDX-License-Identifier: Apache-2.0
#include "lib/names/path_relation.h"

namespace onnx_hier {

Relation RelationOf(PathId candidate, PathId other, const ModulePaths& paths) {
  if (candidate == other) return Relation::kEqual;
  const uint32_t depth = paths.depth(candidate);
  const uint32_t other_depth = paths.depth(other);
  const PathId common = paths.CommonAncestor(candidate, other);
  if (common == candidate) {
    const uint32_t above = other_depth - depth;
    return above == 1   ? Relation::kParent
           : above == 2 ? Relation::kGrandparent
                        : Relation::kAncestor;
  }
  if (common == other) return depth - other_depth == 1 ? Relation::kChild : Relation::kDeeper;
  const uint32_t parting = paths.depth(common) + 1;
  if (paths.is_number(paths.AncestorAtDepth(candidate, parting)) &&
      paths.is_number(paths.AncestorAtDepth(other, parting))) {
    return Relation::kOtherNumber;
  }
  if (depth != parting) return Relation::kOther;
  return other_depth == parting ? Relation::kSibling : Relation::kUncle;
}

}  // namespace onnx_hier
