// SPDX-License-Identifier: Apache-2.0

// Whether two models were named in the wrong order: the one that was made from the other as its
// original.
#ifndef ONNX_HIER_LIB_RELATE_REVERSAL_H_
#define ONNX_HIER_LIB_RELATE_REVERSAL_H_

#include <string>

#include "onnx_hier/graph.h"

namespace onnx_hier {

// What says that `original` was made from `model`; "" where nothing does, or something else speaks
// for the order as it is. What is looked at: operators of other domains, which runtimes bring;
// operators of quantisation; values that one model works out and the other one holds as parameters.
// How many nodes there are says nothing: quantisers add some, and functions that were put in.
std::string SignOfReversal(const Graph& original, const Graph& model);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_REVERSAL_H_
