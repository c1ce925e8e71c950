// Nodes of two modules under one printed name.
//
//   /Relu_1/Relu       the second call of Relu, which holds one Relu
//   /Relu_1/Div, Erf   nothing that Relu does, and apart from it: a module that is called Relu_1
#ifndef ONNX_HIER_LIB_SCOPE_MIXED_SCOPES_H_
#define ONNX_HIER_LIB_SCOPE_MIXED_SCOPES_H_

#include <vector>

#include "lib/scope/printed_scopes.h"
#include "lib/scope/repeated_calls.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The nodes whose scope is read as a call (see `meanings`) although they mean the name itself:
// they exchange data with operators in it that the called scope has none of, and with none that
// it has. Linear in nodes and edges.
std::vector<NodeId> FindNodesOfNames(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                                     const IdVector<ScopeId, ScopeMeaning>& meanings);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SCOPE_MIXED_SCOPES_H_
