// SPDX-License-Identifier: Apache-2.0

// Which path of one model is which of another, below two roots: by name, and members of lists by
// what they are.
//
//   PathPairs pairs(a, hashes_a, b, hashes_b, /*contents=*/true);
//   pairs.Align(root_a, root_b);
//   pairs.a_of(path_of_b)
#ifndef ONNX_HIER_LIB_RELATE_PATH_PAIRS_H_
#define ONNX_HIER_LIB_RELATE_PATH_PAIRS_H_

#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/relate/list_alignment.h"
#include "lib/relate/module_flow.h"
#include "lib/relate/module_groups.h"
#include "lib/relate/module_hashes.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Of lists that both models have.
struct MemberChanges {
  struct Pair {
    PathId a;
    PathId b;
    bool moved = false;  // past others; else it only has another number
  };

  std::vector<Pair> renumbered;  // in B's order of lists, then A's of members
  IdSet<PathId> removed;         // of A's
  IdSet<PathId> inserted;        // of B's
  // By inserted members: one of A that holds the same.
  absl::flat_hash_map<PathId, PathId> copy_of;
};

class PathPairs {
 public:
  // All, and the groups of the flows, must outlive this. Without `contents`, weights are only read
  // where lists differ otherwise.
  PathPairs(const ModuleFlow& a, TensorHashes& hashes_a, const ModuleFlow& b,
            TensorHashes& hashes_b, bool contents);

  // Of what has no counterpart yet. Errors of reading weights.
  absl::Status Align(PathId root_a, PathId root_b);

  PathId a_of(PathId path) const { return a_of_[path]; }  // none: it is not there
  MemberChanges TakeChanges() && { return std::move(changes_); }

 private:
  // Names that differ in their last number alone, in one module.
  using ListKey = std::tuple<PathId, absl::string_view, absl::string_view>;
  using Lists = absl::flat_hash_map<ListKey, std::vector<ListMember>>;

  static Lists ListsOf(const ModuleGroups& groups, const ModuleHashes& hashes);
  absl::Status AlignList(const std::vector<ListMember>& a, const std::vector<ListMember>& b);
  absl::Status ReadContents(std::vector<ListMember>& a, std::vector<ListMember>& b);
  void NoteInserted(const std::vector<ListMember>& a, const std::vector<ListMember>& b);
  void Join(PathId a, PathId b);

  const ModuleGroups& a_;
  TensorHashes& tensors_a_;
  const ModuleGroups& b_;
  TensorHashes& tensors_b_;
  const bool contents_;
  ModuleHashes hashes_a_;
  ModuleHashes hashes_b_;
  Lists lists_a_;
  Lists lists_b_;
  IdVector<PathId, PathId> a_of_;
  IdSet<PathId> taken_;    // of A's
  IdSet<PathId> decided_;  // of B's
  MemberChanges changes_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_PATH_PAIRS_H_
