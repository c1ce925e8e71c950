// Names that optimisers made of a node's name, by the names that there were.
//
//   "node_MatMul_255/MatMulAddFusion"   node_MatMul_255, if there was such a node
//   "/relu/Relu_output_0_nchwc"         the node that made /relu/Relu_output_0
//   "Conv_12_quant", "Conv_12_token_3"  Conv_12
//   "Conv_12"                           nothing: what Conv was is another node
#ifndef ONNX_HIER_LIB_MATCH_NODE_NAMES_H_
#define ONNX_HIER_LIB_MATCH_NODE_NAMES_H_

#include "lib/match/name_index.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// The node of `from` that `node` of `to` is named after; none: there is none, or no only one.
NodeId FindNamesake(const Graph& from, const NameIndex& names, const Graph& to, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_MATCH_NODE_NAMES_H_
