// SPDX-License-Identifier: Apache-2.0
#include "lib/base/json_scanner.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A number with fewer bytes and no exponent is no larger than a double can be.
constexpr size_t kLargeNumber = 300;
// Whole numbers of so many digits are exact, and so are powers of ten.
constexpr uint32_t kExactDigits = 15;
constexpr double kPowersOfTen[kExactDigits + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Goes over a number as JSON writes it.
class NumberDigits {
 public:
  explicit NumberDigits(absl::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  // False: it breaks off.
  bool Take() {
    is_negative_ = Take('-');
    if (!Take('0') && TakeDigits() == 0) return false;
    if (Take('.')) {
      decimals_ = TakeDigits();
      if (decimals_ == 0) return false;
    }
    if (!Take('e') && !Take('E')) return true;
    has_exponent_ = true;
    if (!Take('+')) Take('-');
    return TakeDigits() > 0;
  }
  // Behind what was taken.
  const char* at() const { return at_; }
  bool has_exponent() const { return has_exponent_; }
  // The quotient of two exact numbers is the nearest one to what is meant.
  std::optional<double> Exact() const {
    if (digits_ > kExactDigits || has_exponent_) return std::nullopt;
    const auto number = static_cast<double>(value_) / kPowersOfTen[decimals_];
    return is_negative_ ? -number : number;
  }

 private:
  bool Take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  uint32_t TakeDigits() {
    const char* const begin = at_;
    for (; at_ != end_ && absl::ascii_isdigit(static_cast<unsigned char>(*at_)); ++at_) {
      value_ = value_ * 10 + static_cast<uint64_t>(*at_ - '0');
    }
    const auto digits = static_cast<uint32_t>(at_ - begin);
    digits_ += digits;
    return digits;
  }

  const char* at_;
  const char* const end_;
  uint64_t value_ = 0;  // of all digits, without the point; as far as it has room
  uint32_t digits_ = 0;
  uint32_t decimals_ = 0;
  bool is_negative_ = false;
  bool has_exponent_ = false;
};

// `text` is as JSON writes numbers.
double NumberOf(absl::string_view text) {
  double number = 0;
  const auto read = absl::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_too_large = read.ec == std::errc::result_out_of_range && std::abs(number) > 1;
  return is_too_large ? std::copysign(HUGE_VAL, number) : number;
}

}  // namespace

JsonScanner::JsonScanner(absl::string_view text)
    : longest_(std::numeric_limits<size_t>::max()),
      window_(text.data()),
      at_(text.data()),
      end_(text.data() + text.size()) {
  SkipByteOrderMark();
}

JsonScanner::JsonScanner(JsonSource& source, size_t longest)
    : source_(&source), has_more_(true), longest_(longest) {
  SkipByteOrderMark();
}

void JsonScanner::SkipByteOrderMark() {
  if (Holds(kByteOrderMark.size()) && absl::StartsWith(Rest(), kByteOrderMark)) {
    at_ += kByteOrderMark.size();
  }
}

bool JsonScanner::Next() {
  if (expected_ == Expected::kNothing) return false;
  if (!SkipSpace() && expected_ == Expected::kEnd) return false;
  switch (expected_) {
    case Expected::kValue:
      return Value();
    case Expected::kFirstItem:
      return at_ != end_ && *at_ == ']' ? Close() : Value();
    case Expected::kFirstKey:
      return at_ != end_ && *at_ == '}' ? Close() : Key();
    case Expected::kAfter:
    case Expected::kNothing:
      break;
    case Expected::kEnd:
      return FailAt(0);
  }
  if (at_ == end_) return FailAt(0);
  if (*at_ == ',') {
    ++at_;
    SkipSpace();
    return open_.back() == '}' ? Key() : Value();
  }
  return *at_ == open_.back() ? Close() : FailAt(0);
}

void JsonScanner::Skip() {
  if (event_ != JsonEvent::kObject && event_ != JsonEvent::kArray) return;
  const size_t around = depth();
  while (Next() && depth() > around) {
  }
}

double JsonScanner::number() const {
  return exact_number_.has_value() ? *exact_number_ : NumberOf(text_);
}

std::optional<uint64_t> JsonScanner::Unsigned() const {
  const auto is_digit = [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); };
  uint64_t number = 0;
  if (!IsNumber() || !absl::c_all_of(text_, is_digit) || !absl::SimpleAtoi(text_, &number)) {
    return std::nullopt;
  }
  return number;
}

bool JsonScanner::Bring(size_t size) {
  while (Rest().size() < size) {
    if (!BringMore()) return false;
  }
  return true;
}

bool JsonScanner::BringMore() {
  if (!has_more_) return false;
  const size_t before = Rest().size();
  begin_ += static_cast<uint64_t>(at_ - window_);
  const absl::string_view window = source_->More(Rest());
  window_ = at_ = window.data();
  end_ = at_ + window.size();
  has_more_ = window.size() > before;
  return has_more_;
}

bool JsonScanner::SkipMoreSpace() {
  while (Holds(1)) {
    if (*at_ != ' ' && *at_ != '\n' && *at_ != '\t' && *at_ != '\r') return true;
    ++at_;
  }
  return false;
}

bool JsonScanner::Open(JsonEvent event, char end) {
  ++at_;
  event_ = event;
  open_.push_back(end);
  expected_ = end == '}' ? Expected::kFirstKey : Expected::kFirstItem;
  return true;
}

bool JsonScanner::Close() {
  ++at_;
  event_ = open_.back() == '}' ? JsonEvent::kObjectEnd : JsonEvent::kArrayEnd;
  open_.pop_back();
  AfterValue();
  return true;
}

bool JsonScanner::Key() {
  if (at_ == end_ || *at_ != '"') return FailAt(0);
  if (!String(JsonEvent::kKey)) return false;
  if (at_ != end_ && *at_ == ' ') ++at_;  // as onnxruntime writes it
  if (at_ == end_ || *at_ != ':') {
    // The text of the key is to stay, though the colon may be in the next piece.
    if (source_ != nullptr && text_.data() != buffer_.data()) {
      buffer_.assign(text_.data(), text_.size());
      text_ = buffer_;
    }
    if (!SkipSpace() || *at_ != ':') return FailAt(0);
  }
  ++at_;
  expected_ = Expected::kValue;
  return true;
}

bool JsonScanner::Value() {
  if (at_ == end_) return FailAt(0);
  switch (*at_) {
    case '{':
      return Open(JsonEvent::kObject, '}');
    case '[':
      return Open(JsonEvent::kArray, ']');
    case '"':
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
  AfterValue();
  return true;
}

bool JsonScanner::Word(absl::string_view word) {
  event_ = JsonEvent::kOther;
  for (size_t i = 0; i < word.size(); ++i) {
    if (!Holds(i + 1) || at_[i] != word[i]) return FailAt(i);
  }
  at_ += word.size();
  return true;
}

bool JsonScanner::Number() {
  for (;;) {
    NumberDigits digits(Rest());
    const bool is_whole = digits.Take();
    const auto length = static_cast<size_t>(digits.at() - at_);
    if (length > longest_) return Fail(JsonError::kStringTooLong, longest_);
    if (digits.at() == end_ && BringMore()) continue;
    if (!is_whole) return FailAt(length);
    text_ = Rest().substr(0, length);
    exact_number_ = digits.Exact();
    const bool may_be_too_large = digits.has_exponent() || length >= kLargeNumber;
    if (may_be_too_large && std::isinf(NumberOf(text_))) {
      return Fail(JsonError::kNumberTooLarge, length);
    }
    at_ += length;
    event_ = JsonEvent::kNumber;
    return true;
  }
}

bool JsonScanner::String(JsonEvent event) {
  event_ = event;
  ++at_;
  const size_t length = PlainJsonPrefix(Rest());
  if (length > longest_ || length == Rest().size() || at_[length] != '"') {
    return OtherString(length);
  }
  text_ = Rest().substr(0, length);
  at_ += length + 1;
  return true;
}

bool JsonScanner::OtherString(size_t length) {
  buffer_.clear();
  bool has_escapes = false;
  size_t kept = 0;  // so many bytes of it are in the buffer
  for (;; length += PlainJsonPrefix(Rest().substr(length))) {
    if (length > longest_) return Fail(JsonError::kStringTooLong, longest_);
    if (!Holds(length + 1)) return FailAt(length);
    const char c = at_[length];
    if (c == '"') break;
    if (c == '\\') {
      has_escapes = true;
      buffer_.append(at_ + kept, length - kept);
      if (!Escape(&length)) return false;
      kept = length;
      continue;
    }
    constexpr size_t kLongestCharacter = 4;
    Holds(length + kLongestCharacter);
    const size_t size =
        static_cast<unsigned char>(c) < 0x20 ? 0 : Utf8CharLength(Rest().substr(length));
    if (size == 0) return FailAt(length);
    length += size;
  }
  if (has_escapes) buffer_.append(at_ + kept, length - kept);
  text_ = has_escapes ? absl::string_view(buffer_) : Rest().substr(0, length);
  at_ += length + 1;
  return true;
}

bool JsonScanner::Escape(size_t* length) {
  ++*length;
  if (!Holds(*length + 1)) return FailAt(*length);
  constexpr absl::string_view kLetters = "\"\\/bfnrt";
  constexpr absl::string_view kMeant = "\"\\/\b\f\n\r\t";
  const char letter = at_[*length];
  if (const size_t found = kLetters.find(letter); found != absl::string_view::npos) {
    ++*length;
    buffer_.push_back(kMeant[found]);
    return true;
  }
  if (letter != 'u') return FailAt(*length);
  ++*length;
  int32_t character = HexDigits(length);
  if (character < 0) return false;
  if (character >= 0xD800 && character < 0xDC00) {
    for (const char c : {'\\', 'u'}) {
      if (!Holds(*length + 1) || at_[*length] != c) return FailAt(*length);
      ++*length;
    }
    const int32_t low = HexDigits(length);
    if (low < 0) return false;
    if (low < 0xDC00 || low > 0xDFFF) return Fail(JsonError::kNotJson, *length);
    character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
  } else if (character >= 0xDC00 && character <= 0xDFFF) {
    return Fail(JsonError::kNotJson, *length);
  }
  AppendUtf8(static_cast<uint32_t>(character), &buffer_);
  return true;
}

int32_t JsonScanner::HexDigits(size_t* length) {
  int32_t number = 0;
  for (int i = 0; i < 4; ++i) {
    const auto c = static_cast<unsigned char>(Holds(*length + 1) ? at_[*length] : 0);
    if (!absl::ascii_isxdigit(c)) {
      FailAt(*length);
      return -1;
    }
    ++*length;
    number = number * 16 + (absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10);
  }
  return number;
}

bool JsonScanner::FailAt(size_t length) {
  return Fail(Holds(length + 1) ? JsonError::kNotJson : JsonError::kEnds, length + 1);
}

bool JsonScanner::Fail(JsonError error, size_t length) {
  error_ = error;
  begin_ += length;
  expected_ = Expected::kNothing;
  return false;
}

}  // namespace onnx_hier
