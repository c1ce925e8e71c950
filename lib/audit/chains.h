// SPDX-License-Identifier: Apache-2.0

// Layers of a list are built alike: each node has a counterpart in the next layer, that one in the
// layer after it, and so on. Such a chain visits the layers in order, so most of its tags tell
// where all of it belongs.
//
//   layer 0: a b c d    layer 1: a b c d    layer 2: a b c d      chain of c: c -> c -> c
//   tags     0 0 0 1             1 1 1 1             2 2 2 2      chain of d: 1, 1, 2: the first
//                                                                 one should be 0
#ifndef ONNX_HIER_LIB_AUDIT_CHAINS_H_
#define ONNX_HIER_LIB_AUDIT_CHAINS_H_

#include <cstdint>
#include <vector>

#include "lib/audit/segments.h"
#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// Of nodes that are not settled. `hashes` as StructureHashes gives them.
void AskChains(const TagAudit& audit, const ModulePaths& paths, const IdSet<NodeId>& settled,
               const std::vector<IdVector<NodeId, uint64_t>>& hashes,
               const std::vector<Segmentation>& cuts, std::vector<Suggestion>& suggestions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_CHAINS_H_
