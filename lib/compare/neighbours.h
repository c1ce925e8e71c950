// A node of which all neighbours are in one other layer of its list. Neighbours without a tag are
// looked through; neighbours outside the list count for nothing, but a node that is fed from
// there alone stands at the list's border, where nothing can be said.
#ifndef ONNX_HIER_LIB_COMPARE_NEIGHBOURS_H_
#define ONNX_HIER_LIB_COMPARE_NEIGHBOURS_H_

#include <vector>

#include "lib/compare/tag_audit.h"

namespace onnx_hier {

// A witness that compares, of nodes that are not settled.
void AskNeighbours(const TagAudit& audit, const ModulePaths& paths, const IdSet<NodeId>& settled,
                   std::vector<Suggestion>& suggestions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_COMPARE_NEIGHBOURS_H_
