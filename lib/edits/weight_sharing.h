// SPDX-License-Identifier: Apache-2.0

// Weights that an edited copy of a model shares with the model instead of holding them twice.
#ifndef ONNX_HIER_LIB_EDITS_WEIGHT_SHARING_H_
#define ONNX_HIER_LIB_EDITS_WEIGHT_SHARING_H_

#include <cstdint>
#include <vector>

#include "lib/edits/splices.h"
#include "lib/files/block_sharing.h"

namespace onnx_hier {

// Lets the empty regular file `out` share the long spans of `in`, of `size` bytes, that `splices`
// move by whole blocks. What it returns is in file order; the rest of `out` is yet to be written.
std::vector<SharedSpan> ShareSpans(int in, uint64_t size, const Splices& splices, int out);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_WEIGHT_SHARING_H_
