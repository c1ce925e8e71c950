// SPDX-License-Identifier: Apache-2.0

// What names of members of lists have in common.
#ifndef ONNX_HIER_LIB_BASE_WITHOUT_NUMBERS_H_
#define ONNX_HIER_LIB_BASE_WITHOUT_NUMBERS_H_

#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// "layers.#.fc" of "layers.12.fc".
inline std::string WithoutNumbers(absl::string_view name) {
  std::string text(name.size(), '\0');
  char* end = text.data();
  bool in_number = false;
  for (const char c : name) {
    const bool is_digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
    if (!is_digit || !in_number) *end++ = is_digit ? '#' : c;
    in_number = is_digit;
  }
  text.resize(static_cast<size_t>(end - text.data()));
  return text;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_WITHOUT_NUMBERS_H_
