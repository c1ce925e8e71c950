// SPDX-License-Identifier: Apache-2.0

// Where code belongs that computes from a model's inputs alone, without weights: masks, positions,
// sizes.
//
// Nothing that was computed before tells of it, only what reads it.
#ifndef ONNX_HIER_LIB_OWNERS_INPUT_CODE_H_
#define ONNX_HIER_LIB_OWNERS_INPUT_CODE_H_

#include <vector>

#include "lib/graph/flow.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/surroundings.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct InputCodePlace {
  Rank rank;
  PathId module;
  Rank reader;  // a node that reads what it makes, or what is made of that
};

// The nodes before the first known one. A module runs in one go: one that holds the node and its
// first known reader holds all known nodes up to that one, and those up to the first known reader
// of whatever is computed meanwhile.
std::vector<InputCodePlace> PlaceBeforeParameters(const Flow& flow, const KnownModules& known,
                                                  const Surroundings& surroundings,
                                                  const ModulePaths& paths);

// The nodes that compute from inputs alone and are read by several nodes, in the innermost module
// that holds all of these. `places` are those of all nodes that compute.
std::vector<InputCodePlace> PlaceWithAllReaders(const Flow& flow, const KnownModules& known,
                                                const ModulePaths& paths,
                                                const IdVector<Rank, PathId>& places);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_INPUT_CODE_H_
