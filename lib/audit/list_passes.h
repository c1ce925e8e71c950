// SPDX-License-Identifier: Apache-2.0

// How often a list of layers runs, and what runs together.
#ifndef ONNX_HIER_LIB_AUDIT_LIST_PASSES_H_
#define ONNX_HIER_LIB_AUDIT_LIST_PASSES_H_

#include <cstdint>
#include <vector>

#include "lib/audit/tag_audit.h"
#include "lib/graph/flow.h"

namespace onnx_hier {

// Nodes in file order, and for each the number of the layer in its tag.
struct ListNodes {
  std::vector<NodeId> nodes;
  std::vector<uint32_t> layers;
};

// The nodes of a list, one part for each time that it runs: of the nodes that read a parameter the
// first is in the first pass, and so on. What stands between two passes is in the one or the other
// as most tags say. One part where parameters show none, or where passes are mixed in the file.
std::vector<ListNodes> SplitPasses(const TagAudit& audit, const Flow& flow, ListNodes list);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_LIST_PASSES_H_
