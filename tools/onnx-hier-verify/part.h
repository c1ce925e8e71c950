// SPDX-License-Identifier: Apache-2.0

// Is one model a part of another? What `extract` and `split` write: some of the nodes, with what
// they need, and what they take from the rest as graph inputs.
//
//   PartDifference(in, out).Text()
//     -> ""                                                       a part
//     -> "node 3 '/enc/Add': reads '/enc/x', which nothing in OUT makes"
//
// Nodes of the main graph must be the same but for their doc_strings, in the same order; weights,
// functions and what else comes along the same; types must agree wherever both state them. OUT may
// also be a part of a function's body, as one call runs it, or of a graph inside a node.
#ifndef ONNX_HIER_TOOLS_VERIFY_PART_H_
#define ONNX_HIER_TOOLS_VERIFY_PART_H_

#include <onnx/onnx_pb.h>

#include "tools/onnx-hier-verify/difference.h"

namespace onnx_hier::verify {

Difference PartDifference(const onnx::ModelProto& in, const onnx::ModelProto& out);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_PART_H_
