// SPDX-License-Identifier: Apache-2.0

// Numbers in names: members of lists, counters.
#ifndef ONNX_HIER_LIB_NAMES_NUMBER_H_
#define ONNX_HIER_LIB_NAMES_NUMBER_H_

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

inline bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_NUMBER_H_
