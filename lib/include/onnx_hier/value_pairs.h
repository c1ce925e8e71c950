// SPDX-License-Identifier: Apache-2.0

// Values of a model, and what says the same in one that was made from it.
//
//   const absl::StatusOr<ValuePairs> pairs = PairValues(exported, optimised);
//   pairs->of[value];         // by values of the one that was exported
#ifndef ONNX_HIER_VALUE_PAIRS_H_
#define ONNX_HIER_VALUE_PAIRS_H_

#include "onnx_hier/ids.h"

namespace onnx_hier {

struct ValuePairs {
  IdVector<ValueId, ValueId> of;  // by values of the original; none: nothing says the same
  // Of the other model: values whose numbers stand in an order of onnxruntime's own (NCHWc).
  IdSet<ValueId> packed;
};

// A pair; or twice the same value.
struct ValuePair {
  ValueId original;
  ValueId value;
  bool is_packed = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_VALUE_PAIRS_H_
