// SPDX-License-Identifier: Apache-2.0

// Numbers as files hold them: little-endian, as all machines here have them.
#ifndef ONNX_HIER_TESTS_SUPPORT_RAW_BYTES_H_
#define ONNX_HIER_TESTS_SUPPORT_RAW_BYTES_H_

#include <cstring>
#include <string>
#include <vector>

namespace onnx_hier::testing {

template <class Number>
std::string Bytes(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <class Number>
std::string Word(Number number) {
  return Bytes<Number>({number});
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_RAW_BYTES_H_
