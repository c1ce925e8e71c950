// SPDX-License-Identifier: Apache-2.0

// Where the nodes of several models are that were joined into one file.
#ifndef ONNX_HIER_LIB_API_JOINED_OWNERS_H_
#define ONNX_HIER_LIB_API_JOINED_OWNERS_H_

#include "lib/graph/flow.h"
#include "lib/owners/decisions.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Of each of `evidence.models` as of a file of its own. `flow` is of the whole file.
Assignments DecideOwnersOfModels(const Flow& flow, const Evidence& evidence,
                                 const InferOptions& options, ModulePaths& paths,
                                 ContaminationCount& contamination);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_JOINED_OWNERS_H_
