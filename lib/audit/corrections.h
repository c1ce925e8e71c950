// SPDX-License-Identifier: Apache-2.0

// What the witnesses that compare want together.
#ifndef ONNX_HIER_LIB_AUDIT_CORRECTIONS_H_
#define ONNX_HIER_LIB_AUDIT_CORRECTIONS_H_

#include <cstdint>
#include <vector>

#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// All suggestions that want a node in the same layer, or module.
struct Correction {
  NodeId node;
  FindingKind kind = FindingKind::kCrossLayer;
  PathId expected;     // the node's own tag: they want it left as it is
  uint32_t depth = 0;  // of the layer
  TagWitnesses witnesses;
  float sum = 0;  // of confidences
  float best = 0;
  int gain = 0;  // neighbours that would agree, less those that do now

  bool valid() const { return node.valid(); }
  // That the node's tag is wrong.
  float confidence() const;
};

// By node, in graph order.
std::vector<Correction> SumSuggestions(const TagAudit& audit, const ModulePaths& paths,
                                       const std::vector<Suggestion>& suggestions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_CORRECTIONS_H_
