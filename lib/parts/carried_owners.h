// SPDX-License-Identifier: Apache-2.0

// The owners of a flat model's nodes as those of the folded one's.
//
//   flat:    /encoder/layer.0/query/MatMul    folded:  layer.0 (a call)     -> /encoder/layer.0
//            /encoder/layer.1/query/MatMul             layer.1 (a call)     -> /encoder/layer.1
//                                                      query/MatMul         ->
//                                                      /encoder/layer.0/query, (in their function)
//                                                      /encoder/layer.1/query
#ifndef ONNX_HIER_LIB_PARTS_CARRIED_OWNERS_H_
#define ONNX_HIER_LIB_PARTS_CARRIED_OWNERS_H_

#include "lib/graph/unfolded_calls.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// By node of the flat model: the one of the folded model that it is or is made of.
IdVector<NodeId, NodeId> FindTwins(const Graph& flat, const Graph& folded,
                                   const FlatOrigins& origins);

// `annotation` is that of `flat`. A node in a body has the owner that it has in the first call of
// the function, those of the other calls are auxiliary. A call has the module that it is named
// after, else the innermost one around all that it stands for. Modules, their calls and parameters
// are the flat model's; nodes are counted as they are in the folded one.
Annotation CarryOwners(const Graph& flat, Annotation annotation, const Graph& folded,
                       const FlatOrigins& origins);

// The way back: `annotation` is that of `folded`, and so are the paths of what comes out. A node of
// a body is where the body's node is in the module of the call, or else in that module.
Assignments SpreadOwners(const Graph& flat, const Annotation& annotation, const Graph& folded,
                         const FlatOrigins& origins);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_CARRIED_OWNERS_H_
