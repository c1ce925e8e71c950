// SPDX-License-Identifier: Apache-2.0
#include "lib/base/json_scanner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A number with fewer bytes and no exponent is no larger than a double can be.
constexpr size_t kLargeNumber = 300;
// Whole numbers of so many digits are exact, and so are powers of ten.
constexpr size_t kExactDigits = 15;

constexpr std::array<bool, 256> MakeInNumber() {
  std::array<bool, 256> in_number{};
  for (const char c : {'.', '-', '+', 'e', 'E'}) in_number[static_cast<uint8_t>(c)] = true;
  for (char c = '0'; c <= '9'; ++c) in_number[static_cast<uint8_t>(c)] = true;
  return in_number;
}
constexpr std::array<bool, 256> kInNumber = MakeInNumber();

bool IsInNumber(char c) { return kInNumber[static_cast<uint8_t>(c)]; }

// How many digits there are at the start.
size_t Digits(absl::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[digits]))) {
    ++digits;
  }
  return digits;
}

// Takes digits off the front; false if there are none.
bool TakeDigits(absl::string_view* text) {
  const size_t digits = Digits(*text);
  text->remove_prefix(digits);
  return digits > 0;
}

// As JSON writes it.
bool IsNumberText(absl::string_view text) {
  absl::ConsumePrefix(&text, "-");
  if (!absl::ConsumePrefix(&text, "0") && !TakeDigits(&text)) return false;
  if (absl::ConsumePrefix(&text, ".") && !TakeDigits(&text)) return false;
  if (absl::ConsumePrefix(&text, "e") || absl::ConsumePrefix(&text, "E")) {
    if (!absl::ConsumePrefix(&text, "+")) absl::ConsumePrefix(&text, "-");
    if (!TakeDigits(&text)) return false;
  }
  return text.empty();
}

bool MayBeTooLarge(absl::string_view text) {
  return text.size() >= kLargeNumber ||
         std::any_of(text.begin(), text.end(), [](char c) { return c == 'e' || c == 'E'; });
}

// Of "12" and "0.9731": the quotient of two exact numbers is the nearest one to what is meant.
std::optional<double> ShortNumberOf(absl::string_view text) {
  if (text.size() > kExactDigits) return std::nullopt;
  int64_t digits = 0;
  int64_t divisor = 0;  // once there was a point
  for (const char c : text) {
    if (c == '.') {
      divisor = 1;
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      digits = digits * 10 + (c - '0');
      divisor *= 10;
    } else {
      return std::nullopt;
    }
  }
  const auto number = static_cast<double>(digits);
  return divisor == 0 ? number : number / static_cast<double>(divisor);
}

// `text` is as JSON writes numbers.
double NumberOf(absl::string_view text) {
  if (const std::optional<double> number = ShortNumberOf(text); number.has_value()) return *number;
  double number = 0;
  const auto read = absl::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_too_large = read.ec == std::errc::result_out_of_range && std::abs(number) > 1;
  return is_too_large ? std::copysign(HUGE_VAL, number) : number;
}

}  // namespace

JsonScanner::JsonScanner(absl::string_view text)
    : longest_(std::numeric_limits<size_t>::max()), window_(text) {
  SkipByteOrderMark();
}

JsonScanner::JsonScanner(JsonSource& source, size_t longest) : source_(&source), longest_(longest) {
  SkipByteOrderMark();
}

void JsonScanner::SkipByteOrderMark() {
  if (Has(kByteOrderMark.size()) && absl::StartsWith(window_, kByteOrderMark)) {
    at_ = kByteOrderMark.size();
  }
}

bool JsonScanner::Next() {
  if (error_ != JsonError::kNone) return false;
  SkipSpace();
  switch (expected_) {
    case Expected::kValue:
      return Value();
    case Expected::kFirstItem:
      return Take(']') ? Close(JsonEvent::kArrayEnd) : Value();
    case Expected::kFirstKey:
      return Take('}') ? Close(JsonEvent::kObjectEnd) : Key();
    case Expected::kAfter:
      break;
    case Expected::kEnd:
      return Has(1) && Fail(JsonError::kNotJson, 1);
  }
  const char end = open_.back();
  if (Take(',')) {
    SkipSpace();
    return end == '}' ? Key() : Value();
  }
  if (!Take(end)) return FailAtNext();
  return Close(end == '}' ? JsonEvent::kObjectEnd : JsonEvent::kArrayEnd);
}

void JsonScanner::Skip() {
  if (event_ != JsonEvent::kObject && event_ != JsonEvent::kArray) return;
  const size_t depth = depth_;
  while (Next() && depth_ > depth) {
  }
}

double JsonScanner::number() const { return NumberOf(text_); }

std::optional<uint64_t> JsonScanner::Unsigned() const {
  uint64_t number = 0;
  if (!IsNumber() || Digits(text_) != text_.size() || !absl::SimpleAtoi(text_, &number)) {
    return std::nullopt;
  }
  return number;
}

bool JsonScanner::More(size_t size) {
  while (source_ != nullptr && window_.size() - at_ < size) {
    const absl::string_view rest = window_.substr(at_);
    begin_ += at_;
    const absl::string_view more = source_->More(rest);
    const bool has_ended = more.size() == rest.size();
    window_ = more;
    at_ = 0;
    if (has_ended) break;
  }
  return window_.size() - at_ >= size;
}

void JsonScanner::SkipMoreSpace() {
  while (Has(1)) {
    const char c = window_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    ++at_;
  }
}

bool JsonScanner::Open(JsonEvent event) {
  event_ = event;
  depth_ = open_.size();
  const bool is_object = event == JsonEvent::kObject;
  open_.push_back(is_object ? '}' : ']');
  expected_ = is_object ? Expected::kFirstKey : Expected::kFirstItem;
  return true;
}

bool JsonScanner::Close(JsonEvent event) {
  open_.pop_back();
  event_ = event;
  depth_ = open_.size();
  AfterValue();
  return true;
}

bool JsonScanner::Key() {
  if (!Take('"')) return FailAtNext();
  if (!String(JsonEvent::kKey)) return false;
  depth_ = open_.size();
  if (at_ < window_.size() && window_[at_] == ' ') ++at_;  // as onnxruntime writes it
  if (at_ == window_.size() || window_[at_] != ':') {
    // The text of a key stays: the colon may be in the next piece.
    if (source_ != nullptr && !is_in_buffer_) {
      buffer_.assign(text_.data(), text_.size());
      text_ = buffer_;
    }
    SkipSpace();
    if (!Take(':')) return FailAtNext();
  } else {
    ++at_;
  }
  expected_ = Expected::kValue;
  return true;
}

bool JsonScanner::Value() {
  if (!Has(1)) return Fail(JsonError::kEnds, 1);
  switch (window_[at_]) {
    case '{':
      ++at_;
      return Open(JsonEvent::kObject);
    case '[':
      ++at_;
      return Open(JsonEvent::kArray);
    case '"':
      ++at_;
      if (!String(JsonEvent::kString)) return false;
      break;
    case 't':
      if (!Word("true")) return false;
      break;
    case 'f':
      if (!Word("false")) return false;
      break;
    case 'n':
      if (!Word("null")) return false;
      break;
    default:
      if (!Number()) return false;
  }
  depth_ = open_.size();
  AfterValue();
  return true;
}

bool JsonScanner::Word(absl::string_view word) {
  event_ = JsonEvent::kOther;
  for (const char c : word) {
    if (!Take(c)) return FailAtNext();
  }
  return true;
}

bool JsonScanner::Number() {
  start_ = at_;
  is_in_buffer_ = false;
  for (;;) {
    while (at_ < window_.size() && IsInNumber(window_[at_])) ++at_;
    if (at_ < window_.size() || source_ == nullptr) break;
    if (!KeepScanned()) return false;
    const bool has_more = Has(1);
    start_ = at_;
    if (!has_more) break;
  }
  if (is_in_buffer_ && !KeepScanned()) return false;
  text_ = is_in_buffer_ ? absl::string_view(buffer_) : window_.substr(start_, at_ - start_);
  if (text_.size() > longest_) return FailAsTooLong();
  if (text_.empty()) return FailAtNext();
  if (!IsNumberText(text_)) return Fail(JsonError::kNotJson);
  if (MayBeTooLarge(text_) && std::isinf(NumberOf(text_))) {
    return Fail(JsonError::kNumberTooLarge);
  }
  event_ = JsonEvent::kNumber;
  return true;
}

bool JsonScanner::String(JsonEvent event) {
  event_ = event;
  start_ = at_;
  is_in_buffer_ = false;
  for (;;) {
    at_ += PlainJsonPrefix(window_.substr(at_));
    if (at_ == window_.size()) {
      if (source_ != nullptr && !KeepScanned()) return false;
      if (!Has(1)) return Fail(JsonError::kEnds, 1);
      if (source_ != nullptr) start_ = at_;
      continue;
    }
    const char c = window_[at_];
    if (c == '"') break;
    if (c == '\\') {
      if (!KeepScanned() || !Escape()) return false;
      start_ = at_;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) return Fail(JsonError::kNotJson, 1);
    constexpr size_t kLongestCharacter = 4;
    if (window_.size() - at_ < kLongestCharacter && source_ != nullptr) {
      if (!KeepScanned()) return false;
      Has(kLongestCharacter);
      start_ = at_;
    }
    const size_t length = Utf8CharLength(window_.substr(at_));
    if (length == 0) return Fail(JsonError::kNotJson, 1);
    at_ += length;
  }
  if (is_in_buffer_ && !KeepScanned()) return false;
  text_ = is_in_buffer_ ? absl::string_view(buffer_) : window_.substr(start_, at_ - start_);
  if (text_.size() > longest_) return FailAsTooLong();
  ++at_;
  return true;
}

bool JsonScanner::KeepScanned() {
  if (!is_in_buffer_) buffer_.clear();
  is_in_buffer_ = true;
  if (buffer_.size() + (at_ - start_) > longest_) return FailAsTooLong();
  buffer_.append(window_.data() + start_, at_ - start_);
  start_ = at_;
  return true;
}

bool JsonScanner::FailAsTooLong() {
  const size_t kept = is_in_buffer_ ? buffer_.size() : 0;
  at_ = start_ + (longest_ > kept ? longest_ - kept : 0);
  return Fail(JsonError::kStringTooLong);
}

bool JsonScanner::Escape() {
  ++at_;
  if (!Has(1)) return Fail(JsonError::kEnds, 1);
  constexpr absl::string_view kLetters = "\"\\/bfnrt";
  constexpr absl::string_view kMeant = "\"\\/\b\f\n\r\t";
  const char letter = window_[at_];
  if (const size_t found = kLetters.find(letter); found != absl::string_view::npos) {
    ++at_;
    buffer_.push_back(kMeant[found]);
    return true;
  }
  if (letter != 'u') return Fail(JsonError::kNotJson, 1);
  ++at_;
  int32_t character = HexDigits();
  if (character < 0) return false;
  if (character >= 0xD800 && character < 0xDC00) {
    if (!Take('\\') || !Take('u')) return FailAtNext();
    const int32_t low = HexDigits();
    if (low < 0) return false;
    if (low < 0xDC00 || low > 0xDFFF) return Fail(JsonError::kNotJson);
    character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
  } else if (character >= 0xDC00 && character <= 0xDFFF) {
    return Fail(JsonError::kNotJson);
  }
  AppendUtf8(static_cast<uint32_t>(character), &buffer_);
  return true;
}

int32_t JsonScanner::HexDigits() {
  int32_t number = 0;
  for (int i = 0; i < 4; ++i) {
    const auto c = static_cast<unsigned char>(Has(1) ? window_[at_] : 0);
    if (!absl::ascii_isxdigit(c)) {
      FailAtNext();
      return -1;
    }
    ++at_;
    number = number * 16 + (absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10);
  }
  return number;
}

bool JsonScanner::Fail(JsonError error, size_t bytes) {
  error_ = error;
  at_ += bytes;
  return false;
}

}  // namespace onnx_hier
