// SPDX-License-Identifier: Apache-2.0

// Tensors of a checkpoint that exporters put together into one: q, k and v of an attention, both
// directions of a layer of an LSTM, the experts of a list.
#ifndef ONNX_HIER_LIB_RELATE_JOINED_TENSORS_H_
#define ONNX_HIER_LIB_RELATE_JOINED_TENSORS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/relate/content_print.h"
#include "onnx_hier/checkpoint.h"

namespace onnx_hier {

// What they would hold together, by that: of `tensors`, whose prints stand in `prints` by their
// places in the checkpoint. Several of one module, of a layer of it, of modules beside each other
// under one name, or whose names differ in numbers alone.
absl::flat_hash_map<ContentPrint, std::vector<uint32_t>> JoinedTensors(
    const Checkpoint& checkpoint, absl::Span<const uint32_t> tensors,
    const std::vector<ContentPrints>& prints, RoundedTo rounding);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_JOINED_TENSORS_H_
