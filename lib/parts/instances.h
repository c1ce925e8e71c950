// SPDX-License-Identifier: Apache-2.0

// In which run of a module, and of the modules around it, a node is.
#ifndef ONNX_HIER_LIB_PARTS_INSTANCES_H_
#define ONNX_HIER_LIB_PARTS_INSTANCES_H_

#include <cstdint>

#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The run of `module`, which holds the node, from that of its own module: where this one runs twice
// in each run of `module`, its runs 0 and 1 are in the first one. What runs less often than
// `module` was done in its first run, and is only read in the others.
inline uint32_t CallOf(const Hierarchy& hierarchy, NodeId node, ModuleId module) {
  const uint64_t calls = hierarchy.modules().module(module).calls;
  const uint64_t own_calls = hierarchy.modules().module(hierarchy.ModuleOf(node)).calls;
  const uint64_t call = hierarchy.annotation().assignments[node].call;
  if (calls <= 1 || own_calls < calls) return 0;
  return static_cast<uint32_t>(call * calls / own_calls);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_INSTANCES_H_
