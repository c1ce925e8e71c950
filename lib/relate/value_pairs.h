// SPDX-License-Identifier: Apache-2.0

// Values of a graph and those that say the same in a graph that was made from it.
//
//   from  /fc/Add_output_0      to  /fc/Add_output_0            kept by name
//   from  /fc/Add_output_0      to  what the Gemm makes that stands for /fc/Add, behind what
//                                   makes numbers of its quantised ones
#ifndef ONNX_HIER_LIB_RELATE_VALUE_PAIRS_H_
#define ONNX_HIER_LIB_RELATE_VALUE_PAIRS_H_

#include "lib/relate/graph_match.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/value_pairs.h"

namespace onnx_hier {

// Both of the main graphs.
ValuePairs PairValues(const Graph& from, const Graph& to, const GraphMatch& match);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_VALUE_PAIRS_H_
