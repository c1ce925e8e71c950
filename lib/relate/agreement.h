// SPDX-License-Identifier: Apache-2.0

// Whether one model was made from another at all: names alone say little, exporters give the same
// ones to all models ("add_1", "/encoder/layer.0/Add").
#ifndef ONNX_HIER_LIB_RELATE_AGREEMENT_H_
#define ONNX_HIER_LIB_RELATE_AGREEMENT_H_

#include <cstdint>

#include "lib/relate/pairing.h"
#include "lib/relate/parameter_match.h"
#include "lib/relate/regions.h"

namespace onnx_hier {

struct Agreement {
  uint64_t compared = 0;
  uint64_t agreed = 0;
};

// Nodes and weights of the new graph, but for those of functions: a node agrees if it reads
// something of what its counterpart reads, a weight if it is as large as its namesake. Where fewer
// of the nodes with weights have some of the same size as their counterparts, these are what
// counts. Nodes that were put in are not compared.
Agreement CompareMatches(const Pairing& pairing, const Regions& regions,
                         const ParameterMatches& parameters);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_AGREEMENT_H_
