// SPDX-License-Identifier: Apache-2.0

// Where the bytes of a model come from, if it is no file of the system: an object store, an
// archive, a browser. Only those that are asked for are read: weights are not, as a rule.
#ifndef ONNX_HIER_BYTE_SOURCE_H_
#define ONNX_HIER_BYTE_SOURCE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace onnx_hier {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // In bytes; always the same.
  virtual uint64_t size() const = 0;
  // Reads the bytes [offset, offset + size), all of which exist, to `out`. From one thread at a
  // time, which need not be the caller's.
  virtual absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_BYTE_SOURCE_H_
