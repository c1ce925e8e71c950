// SPDX-License-Identifier: Apache-2.0

// Text on its way to a sink, handed over in pieces: memory does not grow with what is written.
//
//   OutgoingText out(sink);
//   for (...) {
//     absl::StrAppend(out.text(), ...);
//     out.Pass();
//   }
//   return out.Finish();
//
// What is written once a node is put together by pointer, for which room is asked once:
//
//   char* at = out.Room(a.size() + b.size());
//   at += a.copy(at, a.size());
//   at += b.copy(at, b.size());
//   out.Take(at);
#ifndef ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
#define ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

class OutgoingText {
 public:
  // `sink` must outlive this. `expected`: how much will be written by pointer, if that is known.
  explicit OutgoingText(ByteSink& sink, size_t expected = 0)
      : sink_(sink), least_room_(std::min(expected, kPiece)) {}

  // Where to append to. It is emptied by the other calls and stays in its place.
  std::string* text() { return &text_; }

  // To be called often: hands over what has gathered, once it is worth a call of the sink.
  void Pass() {
    if (text_.size() >= kPiece) HandOver();
  }

  // Room for at most `size` bytes behind the text, and up to where it was filled.
  char* Room(size_t size) {
    if (room_size_ - filled_ < size || !text_.empty()) MakeRoom(size);
    return room_.get() + filled_;
  }
  void Take(const char* end) { filled_ = static_cast<size_t>(end - room_.get()); }

  // Hands over the rest; the first error of the sink.
  absl::Status Finish() {
    HandOver();
    return status_;
  }

 private:
  static constexpr size_t kPiece = 1 << 20;

  // What stands in the room comes before the text.
  void HandOver() {
    if (text_.size() <= room_size_ - filled_) MoveText();
    Append(absl::string_view(room_.get(), filled_));
    Append(text_);
    filled_ = 0;
    text_.clear();
  }

  void Append(absl::string_view bytes) {
    if (status_.ok() && !bytes.empty()) status_ = sink_.Append(bytes);
  }

  void MakeRoom(size_t size) {
    if (room_size_ - filled_ < text_.size() + size) {
      if (filled_ > 0) HandOver();
      const size_t needed = text_.size() + size;
      if (room_size_ < needed) {
        room_size_ = std::max(needed, least_room_);
        room_.reset(new char[room_size_]);  // not filled with zeros
      }
    }
    MoveText();
  }

  void MoveText() {
    filled_ += text_.copy(room_.get() + filled_, text_.size());
    text_.clear();
  }

  ByteSink& sink_;
  const size_t least_room_;
  std::string text_;
  std::unique_ptr<char[]> room_;
  size_t room_size_ = 0;
  size_t filled_ = 0;
  absl::Status status_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
