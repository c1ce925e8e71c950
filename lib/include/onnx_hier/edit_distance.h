// How far what somebody typed is from what there is.
#ifndef ONNX_HIER_EDIT_DISTANCE_H_
#define ONNX_HIER_EDIT_DISTANCE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// How many bytes must be typed differently to get from one text to the other. Time is the product
// of their lengths.
size_t EditDistance(absl::string_view a, absl::string_view b);

}  // namespace onnx_hier

#endif  // ONNX_HIER_EDIT_DISTANCE_H_
