// SPDX-License-Identifier: Apache-2.0

// How far what somebody typed is from what there is.
#ifndef ONNX_HIER_PROGRAM_EDIT_DISTANCE_H_
#define ONNX_HIER_PROGRAM_EDIT_DISTANCE_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

// How many bytes must be typed differently to get from one text to the other. Time is the product
// of their lengths.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The name that a mistyped one probably was meant to be, or "".
absl::string_view Closest(absl::string_view typed, absl::Span<const absl::string_view> names);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_EDIT_DISTANCE_H_
