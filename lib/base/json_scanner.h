// SPDX-License-Identifier: Apache-2.0

// Reads JSON one piece after the other: no tree, no copy of what has no escapes, and of a text that
// comes in pieces no more than one string or number at a time.
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
  // there is no more. What was handed out before is gone. `rest` is no longer than the longest
  // string, and what was handed out with its beginning.
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
  size_t depth() const {
    const bool begins = event_ == JsonEvent::kObject || event_ == JsonEvent::kArray;
    return open_.size() - (begins ? 1 : 0);
  }
  // Of a key or a string what it says, of a number how it is written; until the next call.
  absl::string_view text() const { return text_; }
  // The same, longer: for as long as `storage`, or the whole text where it was given as one.
  absl::string_view KeptText(std::string& storage) const {
    if (source_ == nullptr && text_.data() != buffer_.data()) return text_;
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
  uint64_t position() const { return begin_ + static_cast<uint64_t>(at_ - window_); }

 private:
  enum class Expected : uint8_t { kValue, kFirstItem, kFirstKey, kAfter, kEnd, kNothing };

  // The bytes from here on that are at hand: all of what is read next, or `Holds` brings more.
  absl::string_view Rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  bool Holds(size_t size) { return Rest().size() >= size || Bring(size); }
  bool Bring(size_t size);
  // Brings what there is next. False: the text ends with what is at hand.
  bool BringMore();
  void SkipByteOrderMark();
  // False: the text has ended.
  bool SkipSpace() { return (at_ != end_ && *at_ > ' ') || SkipMoreSpace(); }
  bool SkipMoreSpace();
  bool Open(JsonEvent event, char end);
  bool Close();
  bool Key();
  bool Value();
  bool Word(absl::string_view word);
  bool Number();
  // What is between the quotes, the first of which is next.
  bool String(JsonEvent event);
  // One with more than plain characters, or whose end is not at hand; its first `length` bytes are.
  bool OtherString(size_t length);
  // The character that stands behind so many bytes: adds its bytes.
  bool Escape(size_t* length);
  // The number that four hexadecimal digits make; -1: they are none.
  int32_t HexDigits(size_t* length);
  // Always false. Behind so many bytes stands what is wrong; or the text has ended there.
  bool FailAt(size_t length);
  bool Fail(JsonError error, size_t length);
  void AfterValue() { expected_ = open_.empty() ? Expected::kEnd : Expected::kAfter; }

  JsonSource* const source_ = nullptr;
  bool has_more_ = false;  // the source may have
  const size_t longest_;
  const char* window_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  uint64_t begin_ = 0;  // of the window in the text; with an error, further on by what is wrong
  Expected expected_ = Expected::kValue;
  JsonEvent event_ = JsonEvent::kOther;
  JsonError error_ = JsonError::kNone;
  std::vector<char> open_;  // the bracket that ends it
  absl::string_view text_;
  std::optional<double> exact_number_;  // of a number; none: its text is to be read
  std::string buffer_;  // a string with escapes, or a key whose colon was not at hand
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_JSON_SCANNER_H_
