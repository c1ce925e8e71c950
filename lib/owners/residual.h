// SPDX-License-Identifier: Apache-2.0

// Which module a join belongs to by the branch that a skip connection jumps over:
// what contains all known nodes of the branch, or when the branch is one finished call of a module,
// the module around that.
#ifndef ONNX_HIER_LIB_OWNERS_RESIDUAL_H_
#define ONNX_HIER_LIB_OWNERS_RESIDUAL_H_

#include <cstdint>
#include <vector>

#include "lib/owners/context.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ResidualOwners {
 public:
  // `context` must outlive this.
  explicit ResidualOwners(const Context& context);

  // None: nothing is known of the branch, or it is too large to look at.
  PathId OwnerOf(Rank join);

 private:
  PathId BranchModule(Rank join);

  const Context& context_;
  IdVector<Rank, Rank> visited_by_;  // the join whose branch last met the node
  // Of all branches together.
  uint64_t visits_left_;  // nodes
  uint64_t looks_left_;   // edges
};

// The deeper of the branch's owner and of what contains the nodes before and behind, when one
// contains the other; else what contains both. Either may be none.
PathId ResidualRule(PathId branch_owner, PathId order, const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_RESIDUAL_H_
