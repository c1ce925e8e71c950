// SPDX-License-Identifier: Apache-2.0

// Bytes that are read one piece after the other, however many there are.
#ifndef ONNX_HIER_LIB_NUMERICS_BYTE_INPUT_H_
#define ONNX_HIER_LIB_NUMERICS_BYTE_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnx_hier {

class ByteInput {
 public:
  virtual ~ByteInput() = default;
  // Some bytes, at most `size`; 0: it has ended. What is damaged is an error by the end at latest.
  virtual absl::StatusOr<size_t> Read(char* out, size_t size) = 0;
};

// As many as asked for. kOutOfRange: it ends before that.
absl::Status ReadAll(ByteInput& input, char* out, size_t size);

// Of a file, which stays open.
std::unique_ptr<ByteInput> BytesOfFile(int fd, uint64_t offset, uint64_t size);
// Of a whole file. Errors of opening it.
absl::StatusOr<std::unique_ptr<ByteInput>> BytesOfFile(const std::string& path);
// What deflate was made of.
std::unique_ptr<ByteInput> Inflated(std::unique_ptr<ByteInput> input);
// What base64 stands for.
std::unique_ptr<ByteInput> FromBase64(std::unique_ptr<ByteInput> input);
// The same bytes. An error unless there are so many of them, of this CRC-32.
std::unique_ptr<ByteInput> Checked(std::unique_ptr<ByteInput> input, uint64_t size, uint32_t crc);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NUMERICS_BYTE_INPUT_H_
