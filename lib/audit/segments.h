// SPDX-License-Identifier: Apache-2.0

// Exporters write nodes in the order in which they ran: the layers of a list follow each other,
// each in one stretch; where the list runs several times, in one stretch each time.
#ifndef ONNX_HIER_LIB_AUDIT_SEGMENTS_H_
#define ONNX_HIER_LIB_AUDIT_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "lib/audit/tag_audit.h"
#include "lib/graph/flow.h"

namespace onnx_hier {

// The nodes of one list that run together, in file order, cut into one stretch a layer.
struct Segmentation {
  ListId list;
  std::vector<NodeId> nodes;     // those whose tag is in the list
  std::vector<uint32_t> tagged;  // for each, the layer of its tag: index into `order`
  std::vector<uint32_t> cut;     // the layer of the stretch it is in
  std::vector<char> may_stay;    // whether another cut, as good as this one, would leave it
  std::vector<PathId> order;     // layers in the order in which they run
  float agreement = 0;           // share of nodes whose tag is that of their stretch
};

// One for each time that a list runs, by list. How often that is show its weights, each of which is
// read every time. The cut keeps the longest possible run of tags in the layers' order (n log n;
// patience sorting).
std::vector<Segmentation> CutLists(const TagAudit& audit, const Flow& flow,
                                   const ModulePaths& paths);

// A witness that compares: nodes in the midst of another layer's stretch.
void AskSegments(const TagAudit& audit, const ModulePaths& paths,
                 const std::vector<Segmentation>& cuts, std::vector<Suggestion>& suggestions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_SEGMENTS_H_
