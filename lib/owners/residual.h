// SPDX-License-Identifier: Apache-2.0

// Which module a join belongs to by the branch that a skip connection jumps over:
// what contains all known nodes of the branch, or when the branch is one finished call of a module,
// the module around that.
#ifndef ONNX_HIER_LIB_OWNERS_RESIDUAL_H_
#define ONNX_HIER_LIB_OWNERS_RESIDUAL_H_

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/owners/context.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ResidualOwners {
 public:
  ResidualOwners() = default;  // of no joins
  ResidualOwners(const Context& context, absl::Span<const Rank> joins);

  // None: it is not among the joins, nothing is known of the branch, or it is too large to look at.
  PathId OwnerOf(Rank join) const {
    const auto found = owners_.find(join);
    return found == owners_.end() ? PathId() : found->second;
  }

 private:
  absl::flat_hash_map<Rank, PathId> owners_;
};

// The deeper of the branch's owner and of what contains the nodes before and behind, when one
// contains the other; else what contains both. Either may be none.
PathId ResidualRule(PathId branch_owner, PathId order, const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_RESIDUAL_H_
