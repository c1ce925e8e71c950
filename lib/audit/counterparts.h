// SPDX-License-Identifier: Apache-2.0

// Which node of the next layer does what a node does in its own.
#ifndef ONNX_HIER_LIB_AUDIT_COUNTERPARTS_H_
#define ONNX_HIER_LIB_AUDIT_COUNTERPARTS_H_

#include <cstdint>
#include <vector>

#include "lib/audit/segments.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Counterparts along one list, as links between nodes of adjacent layers.
class Counterparts {
 public:
  explicit Counterparts(const std::vector<IdVector<NodeId, uint64_t>>& hashes);

  // Links the layers of a list; links of the last list are dropped. Each two adjacent stretches
  // are matched at what is unique in both, and from there on in both directions as long as nodes
  // look alike: over the borders of the stretches too, as these may be cut wrongly. Stretches of
  // different lists may overlap: together they cost no more than a bounded number of nodes for each
  // node of the file; what is beyond is not linked.
  void Link(const Segmentation& cut);

  // Chains of counterparts, in the order of their first nodes.
  std::vector<std::vector<NodeId>> Chains() const;

 private:
  struct Stretch {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool contains(uint32_t i) const { return begin <= i && i < end; }
  };
  struct Anchor {
    uint32_t first;
    uint32_t second;
  };

  void Clear();
  std::vector<Anchor> FindAnchors(Stretch first, Stretch second) const;
  void LinkStretches(Stretch first, Stretch second);
  bool TryLink(uint32_t first, uint32_t second);

  const std::vector<IdVector<NodeId, uint64_t>>& hashes_;
  IdVector<NodeId, NodeId> next_;
  IdVector<NodeId, NodeId> previous_;
  std::vector<NodeId> linked_;  // nodes with a link
  uint64_t budget_;             // nodes that may yet be looked at, in all lists together
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_COUNTERPARTS_H_
