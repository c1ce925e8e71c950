// SPDX-License-Identifier: Apache-2.0

// Which parameter of one model is which of another: by name, else by what they hold, be it
// transposed.
//
//   encoder.fc.weight      the same name, as many elements
//   fc.weight_quantized    a name that was made from it, as many elements
//   onnx::MatMul_1300      whatever its name, where only one of the other model holds the same
#ifndef ONNX_HIER_LIB_RELATE_PARAMETER_MATCH_H_
#define ONNX_HIER_LIB_RELATE_PARAMETER_MATCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/graph/tensor_values.h"
#include "lib/relate/name_index.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct ParameterMatches {
  IdVector<ValueId, ValueId> of;  // by values of `to`, in `from`; none: it is no parameter there
  uint64_t agree = 0;             // weights whose names both models have, and of the same size
  uint64_t disagree = 0;          // ... of another size
};

// Contents are read of tensors whose names say nothing, once each. Only errors of reading them.
absl::StatusOr<ParameterMatches> MatchParameters(const Graph& from, const NameIndex& names,
                                                 TensorValues& from_values, const Graph& to,
                                                 TensorValues& to_values);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_PARAMETER_MATCH_H_
