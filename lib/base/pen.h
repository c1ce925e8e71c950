// SPDX-License-Identifier: Apache-2.0

// Puts short pieces one behind the other, by pointer, into room that was asked for before.
//
//   Pen pen(out.Room(kKeys + name.size() + Pen::kLongestNumber));
//   pen.Put(R"({"name":")").Put(name).Put(R"(","nodes":)").Number(nodes).Put("}");
//   out.Take(pen.end());
//
// A piece costs a few instructions; a string's append, or a call to copy a few bytes, costs several
// times that, which counts where there are ten pieces a node.
#ifndef ONNX_HIER_LIB_BASE_PEN_H_
#define ONNX_HIER_LIB_BASE_PEN_H_

#include <charconv>
#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"

namespace onnx_hier {

class Pen {
 public:
  // Bytes of the largest number, or the smallest.
  static constexpr size_t kLongestNumber = 20;

  explicit Pen(char* at) : at_(at) {}

  template <size_t kSize>
  Pen& Put(const char (&literal)[kSize]) {
    std::memcpy(at_, literal, kSize - 1);
    at_ += kSize - 1;
    return *this;
  }
  Pen& Put(absl::string_view piece) {
    // Copies of fixed size, of which the last two may overlap.
    const char* from = piece.data();
    const size_t size = piece.size();
    char* const end = at_ + size;
    if (size >= kLongPiece) {
      std::memcpy(at_, from, size);
    } else if (size > 32) {
      std::memcpy(at_, from, 32);
      std::memcpy(end - 32, from + size - 32, 32);
    } else if (size >= 16) {
      std::memcpy(at_, from, 16);
      std::memcpy(end - 16, from + size - 16, 16);
    } else if (size >= 8) {
      std::memcpy(at_, from, 8);
      std::memcpy(end - 8, from + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(at_, from, 4);
      std::memcpy(end - 4, from + size - 4, 4);
    } else if (size > 0) {
      at_[0] = from[0];
      at_[size / 2] = from[size / 2];
      at_[size - 1] = from[size - 1];
    }
    at_ = end;
    return *this;
  }
  Pen& Put(char c) {
    *at_++ = c;
    return *this;
  }
  template <class Integer>
  Pen& Number(Integer number) {
    at_ = std::to_chars(at_, at_ + kLongestNumber, number).ptr;
    return *this;
  }

  // One past what was put.
  char* end() const { return at_; }

 private:
  static constexpr size_t kLongPiece = 64;

  char* at_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_PEN_H_
