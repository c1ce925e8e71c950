// SPDX-License-Identifier: Apache-2.0

// Which module of one model is which of the other: by path, below the names that only one of them
// has for the whole, members of lists by what they are (list_alignment.h); else by what its nodes
// are in the other model.
#ifndef ONNX_HIER_LIB_RELATE_ALIGNMENT_H_
#define ONNX_HIER_LIB_RELATE_ALIGNMENT_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/relate/graph_match.h"
#include "lib/relate/module_flow.h"
#include "lib/relate/module_groups.h"
#include "lib/relate/path_pairs.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct Alignment {
  PathId root_a;
  PathId root_b;
  IdVector<GroupId, GroupId> a_of;  // by B's groups; none: only in B
  IdVector<GroupId, GroupId> b_of;  // by A's
  IdSet<GroupId> moved;             // of B's: those that were found by their nodes
  MemberChanges members;
};

// With `contents`, members of lists that are built alike are told apart by what they hold. `match`
// is asked only where both have modules that the other one does not have.
absl::StatusOr<Alignment> AlignModules(const ModuleFlow& a, TensorHashes& hashes_a,
                                       const ModuleFlow& b, TensorHashes& hashes_b, bool contents,
                                       absl::FunctionRef<absl::StatusOr<GraphMatch>()> match);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_ALIGNMENT_H_
