// SPDX-License-Identifier: Apache-2.0

// Pairs beside pairs: nodes whose names were lost, by where they stand.
//
//   from    Conv -> BatchNormalization -> Relu -> MaxPool
//   to      Conv ----------------------> Relu -> MaxPool     MaxPool is matched: so is Relu, and
//   Conv
#ifndef ONNX_HIER_LIB_RELATE_GROWTH_H_
#define ONNX_HIER_LIB_RELATE_GROWTH_H_

#include "lib/relate/pairing.h"

namespace onnx_hier {

// Starts at the outputs of both graphs and at the pairs that there are. Nodes that were put in or
// taken away are stepped over; one operator may stand for several. Linear in nodes and edges.
void GrowPairs(Pairing& pairing);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_GROWTH_H_
