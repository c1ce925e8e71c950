// SPDX-License-Identifier: Apache-2.0

// Tags that are about to be written, compared with one another once more.
#ifndef ONNX_HIER_LIB_AUDIT_REVIEW_H_
#define ONNX_HIER_LIB_AUDIT_REVIEW_H_

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/owners/least.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Looks again until a check would find nothing.
// Counts the nodes that comparisons with other nodes find in a wrong module, and of these the ones
// that they still find there in the end: hardly ever any. No node gets a module that holds it less
// surely than `least` says.
ContaminationCount ReviewAssignments(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                     const Least& least, Assignments& assignments);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_REVIEW_H_
