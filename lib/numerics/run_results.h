// SPDX-License-Identifier: Apache-2.0

// What Polygraphy saves of runs (--save-outputs, --save-inputs): JSON whose texts are numpy's
// arrays, in base64. Source: Polygraphy 0.49, comparator/struct.py and json/serde.py.
#ifndef ONNX_HIER_LIB_NUMERICS_RUN_RESULTS_H_
#define ONNX_HIER_LIB_NUMERICS_RUN_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace onnx_hier {

struct EncodedArray {
  std::string name;
  std::string runner;  // "": none is named
  size_t run = 0;
  uint64_t begin = 0;  // of its text in the file, without quotes
  uint64_t end = 0;
};

// In their order. kInvalidArgument names the byte: it is no JSON, or nested too deeply.
absl::StatusOr<std::vector<EncodedArray>> FindEncodedArrays(int fd, uint64_t size);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NUMERICS_RUN_RESULTS_H_
