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
// What is written once a node is put together by pointer, as in a TextRoom.
#ifndef ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
#define ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/base/text_room.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

class OutgoingText {
 public:
  // `sink` must outlive this.
  explicit OutgoingText(ByteSink& sink) : sink_(sink) {}

  // Where to append to. It is emptied by the other calls and stays in its place.
  std::string* text() { return &text_; }

  // To be called often: hands over what has gathered, once it is worth a call of the sink.
  void Pass() {
    if (text_.size() >= kPiece) HandOver();
  }

  // A text that is long already.
  void Put(absl::string_view bytes) {
    HandOver();
    Append(bytes);
  }

  // See TextRoom.
  char* Room(size_t size) {
    if (room_.left() < size || !text_.empty()) MakeRoom(size);
    return room_.Room(size);
  }
  void Take(const char* end) { room_.Take(end); }

  // Hands over the rest; the first error of the sink.
  absl::Status Finish() {
    HandOver();
    return status_;
  }

 private:
  static constexpr size_t kPiece = 1 << 20;

  // What stands in the room comes before the text.
  void HandOver() {
    if (text_.size() <= room_.left()) MoveText();
    Append(room_.text());
    Append(text_);
    room_.Clear();
    text_.clear();
  }

  void Append(absl::string_view bytes) {
    if (status_.ok() && !bytes.empty()) status_ = sink_.Append(bytes);
  }

  void MakeRoom(size_t size) {
    if (room_.left() < text_.size() + size && !room_.text().empty()) HandOver();
    MoveText();
  }

  void MoveText() {
    char* const at = room_.Room(text_.size());
    room_.Take(at + text_.copy(at, text_.size()));
    text_.clear();
  }

  ByteSink& sink_;
  std::string text_;
  TextRoom room_{kPiece};
  absl::Status status_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
