// SPDX-License-Identifier: Apache-2.0

// A text that is put together by pointer, in room that is asked for piece by piece:
//
//   TextRoom text(/*expected=*/1 << 16);
//   char* at = text.Room(a.size() + b.size());
//   at += a.copy(at, a.size());
//   at += b.copy(at, b.size());
//   text.Take(at);
#ifndef ONNX_HIER_LIB_BASE_TEXT_ROOM_H_
#define ONNX_HIER_LIB_BASE_TEXT_ROOM_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace onnx_hier {

class TextRoom {
 public:
  // `expected`: about how long it will be.
  explicit TextRoom(size_t expected) : least_(expected) {}

  // Room for at most `size` bytes behind the text, and up to where it was filled.
  char* Room(size_t size) {
    if (left() < size) Grow(size);
    return room_.get() + filled_;
  }
  void Take(const char* end) { filled_ = static_cast<size_t>(end - room_.get()); }

  absl::string_view text() const { return {room_.get(), filled_}; }
  // How much more there is room for.
  size_t left() const { return size_ - filled_; }
  void Clear() { filled_ = 0; }

 private:
  void Grow(size_t size) {
    size_ = std::max({least_, 2 * size_, filled_ + size});
    std::unique_ptr<char[]> larger(new char[size_]);  // not filled with zeros
    text().copy(larger.get(), filled_);
    room_ = std::move(larger);
  }

  size_t least_;
  std::unique_ptr<char[]> room_;
  size_t size_ = 0;
  size_t filled_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_TEXT_ROOM_H_
