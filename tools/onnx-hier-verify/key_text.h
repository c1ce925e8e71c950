// SPDX-License-Identifier: Apache-2.0

// Texts that stand for things made of parts, for a table that numbers them.
//
//   KeyText('N').Add(operator_number).Add(reads).Take()
#ifndef ONNX_HIER_TOOLS_VERIFY_KEY_TEXT_H_
#define ONNX_HIER_TOOLS_VERIFY_KEY_TEXT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnx_hier::verify {

using Number = uint32_t;

// A text made of numbers and texts, no two of which can be made of different parts.
class KeyText {
 public:
  explicit KeyText(char kind) : text_(1, kind) {}

  KeyText& Add(Number number) {
    for (int shift = 0; shift < 32; shift += 8) {
      text_.push_back(static_cast<char>((number >> shift) & 0xffU));
    }
    return *this;
  }
  KeyText& Add(const std::vector<Number>& numbers) {
    Add(static_cast<Number>(numbers.size()));
    for (const Number number : numbers) Add(number);
    return *this;
  }
  KeyText& Add(absl::string_view text) {
    Add(static_cast<Number>(text.size()));
    absl::StrAppend(&text_, text);
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_KEY_TEXT_H_
