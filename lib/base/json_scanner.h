// SPDX-License-Identifier: Apache-2.0

// Reads JSON one piece after the other: no tree, no copy of what has no escapes, and of a text that
// comes in pieces no more than one string at a time.
//
//   JsonScanner json(text);
//   if (!json.Next() || json.event() != JsonEvent::kObject) ...
//   while (json.NextKey()) {
//     const bool are_nodes = json.text() == "nodes";
//     if (!json.Next()) break;
//     if (are_nodes) ...
//     json.Skip();
//   }
//   if (!json.Finish()) ... json.error(), json.position()
#ifndef ONNX_HIER_LIB_BASE_JSON_SCANNER_H_
#define ONNX_HIER_LIB_BASE_JSON_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Where the bytes of a text come from that is not there as a whole.
class JsonSource {
 public:
  virtual ~JsonSource() = default;
  // `rest`, which is what was not used of the bytes before, with more behind it; `rest` alone where
  // there is no more. What was handed out before is gone.
  virtual absl::string_view More(absl::string_view rest) = 0;
};

enum class JsonEvent : uint8_t {
  kObject,
  kObjectEnd,
  kArray,
  kArrayEnd,
  kKey,
  kString,
  kNumber,
  kOther,  // true, false or null
};

enum class JsonError : uint8_t { kNone, kNotJson, kEnds, kNumberTooLarge, kStringTooLong };

class JsonScanner {
 public:
  // `text` must outlive this.
  explicit JsonScanner(absl::string_view text);
  // A string or number of more than `longest` bytes is an error.
  JsonScanner(JsonSource& source, size_t longest);

  // Goes on by a piece. False: the text has ended, or has an error.
  bool Next();
  JsonEvent event() const { return event_; }
  // How many objects and arrays are open, without one that begins or ends here.
  size_t depth() const { return depth_; }
  // Of a key or a string what it says, of a number how it is written; until the next call.
  absl::string_view text() const { return text_; }
  // The same, longer: for as long as `storage`, or the whole text where it was given as one.
  absl::string_view KeptText(std::string& storage) const {
    if (source_ == nullptr && !is_in_buffer_) return text_;
    return storage.assign(text_.data(), text_.size());
  }
  bool IsString() const { return event_ == JsonEvent::kString; }
  bool IsNumber() const { return event_ == JsonEvent::kNumber; }
  // Of a number.
  double number() const;
  // None: it is none, or it is written with a sign, a fraction or an exponent, or needs more bits.
  std::optional<uint64_t> Unsigned() const;

  // In an object: goes to its next key. False: it has ended, or there is an error.
  bool NextKey() { return Next() && event_ == JsonEvent::kKey; }
  // In an array: goes to its next item. False likewise.
  bool NextItem() { return Next() && event_ != JsonEvent::kArrayEnd; }
  // Of an object or array that begins here: goes to its end. Anything else has ended already.
  void Skip();
  // Whether there is nothing more, and no error was found.
  bool Finish() { return !Next() && error_ == JsonError::kNone; }

  JsonError error() const { return error_; }
  // Bytes up to here; with an error, up to and with the byte that is wrong, and of what is too
  // long, up to where it would do.
  uint64_t position() const { return begin_ + at_; }

 private:
  enum class Expected : uint8_t { kValue, kFirstItem, kFirstKey, kAfter, kEnd };

  // Whether there are `size` bytes.
  bool Has(size_t size) { return window_.size() - at_ >= size || More(size); }
  bool More(size_t size);
  void SkipByteOrderMark();
  void SkipSpace() {
    if (at_ == window_.size() || window_[at_] <= ' ') SkipMoreSpace();
  }
  void SkipMoreSpace();
  bool Take(char c) {
    if (!Has(1) || window_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Open(JsonEvent event);
  bool Close(JsonEvent event);
  bool Key();
  bool Value();
  bool Word(absl::string_view word);
  bool Number();
  // What is between the quotes.
  bool String(JsonEvent event);
  bool Escape();
  // The number that four hexadecimal digits make; -1: they are none.
  int32_t HexDigits();
  // Takes what was scanned from `start_` on into the buffer.
  bool KeepScanned();
  // Always false; `bytes`: what is wrong, behind what was read.
  bool Fail(JsonError error, size_t bytes = 0);
  bool FailAsTooLong();
  bool FailAtNext() { return Fail(Has(1) ? JsonError::kNotJson : JsonError::kEnds, 1); }
  void AfterValue() { expected_ = open_.empty() ? Expected::kEnd : Expected::kAfter; }

  JsonSource* const source_ = nullptr;
  const size_t longest_;
  absl::string_view window_;
  size_t at_ = 0;       // in the window
  uint64_t begin_ = 0;  // of the window in the text
  size_t start_ = 0;    // of what is scanned, in the window
  std::string buffer_;  // what was scanned before
  bool is_in_buffer_ = false;
  Expected expected_ = Expected::kValue;
  std::vector<char> open_;  // the bracket that ends it
  JsonEvent event_ = JsonEvent::kOther;
  size_t depth_ = 0;
  absl::string_view text_;
  JsonError error_ = JsonError::kNone;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_JSON_SCANNER_H_
