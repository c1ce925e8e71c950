// Text on its way to a sink, handed over in pieces: memory does not grow with what is written.
//
//   OutgoingText out(sink);
//   for (...) {
//     absl::StrAppend(out.text(), ...);
//     out.Pass();
//   }
//   return out.Finish();
#ifndef ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
#define ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "onnx_hier/byte_sink.h"

namespace onnx_hier {

class OutgoingText {
 public:
  // `sink` must outlive this. `expected`: how much there will be, if that is known.
  explicit OutgoingText(ByteSink& sink, size_t expected = 0) : sink_(sink) {
    text_.reserve(std::min(expected, kPiece + kPiece / 8));
  }

  // Where to append to. It is emptied by the other calls and stays in its place.
  std::string* text() { return &text_; }

  // To be called often: hands over what has gathered, once it is worth a call of the sink.
  void Pass() {
    if (text_.size() >= kPiece) HandOver();
  }
  // Hands over the rest; the first error of the sink.
  absl::Status Finish() {
    HandOver();
    return status_;
  }

 private:
  static constexpr size_t kPiece = 1 << 20;

  void HandOver() {
    if (status_.ok()) status_ = sink_.Append(text_);
    text_.clear();
  }

  ByteSink& sink_;
  std::string text_;
  absl::Status status_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_OUTGOING_TEXT_H_
