// SPDX-License-Identifier: Apache-2.0

// The modules of a module map, as paths, and which of them can own nodes.
//
//   {"": "Net", "layers": "torch.nn.modules.container.ModuleList", "layers.0": "Block"}
//
// is complete: the root is there, and what is around each module. So the network has no other
// modules, and of these ``layers`` is never called. {"layers.0": "Block"} tells of some modules.
#ifndef ONNX_HIER_LIB_NAMES_MAPPED_MODULES_H_
#define ONNX_HIER_LIB_NAMES_MAPPED_MODULES_H_

#include <vector>

#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct MappedModules {
  std::vector<PathId> modules;  // as in the map
  // The root and those that can own nodes; of no size unless the map is complete.
  IdSet<PathId> owners;
  // Of these, those that compute by themselves: a Sequential owns what is said to be its own, such
  // as the calls in its function, and nothing else.
  IdSet<PathId> computing;
};

// Adds the modules to `paths`.
MappedModules PathsOf(const ModuleMap& map, ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_MAPPED_MODULES_H_
