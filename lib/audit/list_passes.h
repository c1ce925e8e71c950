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

// Finds out by parameters: of the nodes that read one, the first is in the first pass, and so on.
// What stands between two passes is in the one or the other as most tags say.
class ListPasses {
 public:
  // For the tags as they are now.
  ListPasses(const TagAudit& audit, const Flow& flow);

  // The nodes of a list, one part for each time that it runs. Where its parameters do not tell, or
  // not in the order of the file, the list around it does: that is to be split before. One part
  // where nothing tells.
  std::vector<ListNodes> Split(ListNodes list);

 private:
  // A node is the `number`-th of those that read its parameter; `of` 0: nobody knows.
  struct Turn {
    uint32_t number = 0;
    uint32_t of = 0;
  };

  static Turn TurnOf(const TagAudit& audit, const Flow& flow, NodeId node);
  uint32_t CountPasses(const ListNodes& list) const;
  void Number(const ListNodes& list, uint32_t passes);

  IdVector<NodeId, Turn> turns_;
  IdVector<NodeId, uint32_t> number_;  // of the pass, in the innermost list that told it
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_LIST_PASSES_H_
