// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/text_codes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/onnx/wire_reader.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kCodeBits = 4;
// Scopes around one that are moved along. No list of layers lies deeper in others.
constexpr int kMostMoves = 8;

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

bool IsJoined(const CallScope& scope, absl::string_view text, absl::string_view actual) {
  return actual.size() == scope.here().size() + 1 + text.size() &&
         absl::StartsWith(actual, scope.here()) && actual[scope.here().size()] == '/' &&
         absl::EndsWith(actual, text);
}

bool IsWordPart(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// "/encoder/layer.1" as "encoder.layer.1".
std::string Dotted(absl::string_view scope) {
  std::string dotted(absl::StripPrefix(scope, "/"));
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return dotted;
}

// How many bytes of the text, which begin a word or are none of one, go on to its end.
size_t WordLength(absl::string_view text) {
  size_t length = 1;
  if (IsWordPart(text[0])) {
    while (length < text.size() && IsWordPart(text[length])) ++length;
  }
  return length;
}

std::string Mapped(const CallScope& scope, absl::string_view text) {
  std::string mapped;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (IsWordPart(text[at])) {
      while (end < text.size() && IsWordPart(text[end])) ++end;
    }
    const absl::string_view word = text.substr(at, end - at);
    const auto value = scope.values.find(word);
    absl::StrAppend(&mapped, value == scope.values.end() ? word : value->second);
    at = end;
  }
  return scope.Moved(mapped);
}

// Texts of quite other lengths are no forms of each other, and need not be looked through.
bool AreAboutAsLong(absl::string_view a, absl::string_view b) {
  constexpr size_t kSlack = 256;
  return a.size() <= 2 * b.size() + kSlack && b.size() <= 2 * a.size() + kSlack;
}

struct LastNumber {
  size_t begin;
  size_t end;
  int64_t value;
};

// Of one that a program would print: without zeros in front.
std::optional<LastNumber> FindLastNumber(absl::string_view text) {
  constexpr size_t kMostDigits = 15;
  size_t end = text.size();
  while (end > 0 && !IsDigit(text[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  if (begin == end || end - begin > kMostDigits) return std::nullopt;
  if (text[begin] == '0' && end - begin > 1) return std::nullopt;
  int64_t value = 0;
  if (!absl::SimpleAtoi(text.substr(begin, end - begin), &value)) return std::nullopt;
  return LastNumber{begin, end, value};
}

}  // namespace

CallScope::CallScope(std::string here, absl::string_view first) : here_(std::move(here)) {
  AddMoves(first, here_);
}

void CallScope::SetModules(absl::string_view here, absl::string_view first) {
  moves_.clear();
  AddMoves(first, here);
}

// The scopes around them are moved, too: the longest one that fits counts.
void CallScope::AddMoves(absl::string_view from, absl::string_view to) {
  for (int i = 0; i < kMostMoves && !from.empty() && !to.empty() && from != to; ++i) {
    moves_.push_back({std::string(from), std::string(to)});
    if (!Dotted(from).empty()) moves_.push_back({Dotted(from), Dotted(to)});
    const size_t from_end = from.rfind('/');
    const size_t to_end = to.rfind('/');
    from = from.substr(0, from_end == absl::string_view::npos ? 0 : from_end);
    to = to.substr(0, to_end == absl::string_view::npos ? 0 : to_end);
  }
}

const CallScope::Move* CallScope::FindMove(absl::string_view text) const {
  for (const Move& move : moves_) {
    const size_t length = move.from.size();
    if (absl::StartsWith(text, move.from) && (length == text.size() || !IsWordPart(text[length]))) {
      return &move;
    }
  }
  return nullptr;
}

std::string CallScope::Moved(absl::string_view text) const {
  std::string moved;
  for (size_t at = 0; at < text.size();) {
    const absl::string_view rest = text.substr(at);
    const bool begins_word = at == 0 || !IsWordPart(text[at - 1]);
    const Move* const move = begins_word ? FindMove(rest) : nullptr;
    const size_t length = move == nullptr ? WordLength(rest) : move->from.size();
    absl::StrAppend(&moved, move == nullptr ? rest.substr(0, length) : absl::string_view(move->to));
    at += length;
  }
  return moved;
}

void TextCoder::Put(const CallScope& scope, absl::string_view text, absl::string_view actual) {
  if (IsJoined(scope, text, actual)) {
    Add(Code::kJoined);
  } else if (actual == text) {
    Add(Code::kSame);
  } else if (AreAboutAsLong(text, actual) && scope.Moved(text) == actual) {
    Add(Code::kMoved);
  } else if (AreAboutAsLong(text, actual) && PutShifted(text, actual)) {
    return;
  } else if (AreAboutAsLong(text, actual) && Mapped(scope, text) == actual) {
    Add(Code::kMapped);
  } else if (absl::StartsWith(actual, scope.here())) {
    PutOther(Code::kOtherJoined, absl::StrCat(scope.here(), "/", text), actual);
  } else {
    PutOther(Code::kOther, text, actual);
  }
}

bool TextCoder::PutShifted(absl::string_view text, absl::string_view actual) {
  const std::optional<LastNumber> from = FindLastNumber(text);
  const std::optional<LastNumber> to = FindLastNumber(actual);
  if (!from.has_value() || !to.has_value() || from->begin != to->begin) return false;
  if (text.substr(0, from->begin) != actual.substr(0, to->begin)) return false;
  if (text.substr(from->end) != actual.substr(to->end)) return false;
  if (to->value - from->value != shift_) {
    shift_ = to->value - from->value;
    Flush();
    AppendVarint(static_cast<uint64_t>(Code::kSetShift), &codes_);
    AppendVarint(ZigZag(shift_), &codes_);
  }
  Add(Code::kShifted);
  return true;
}

void TextCoder::PutOther(Code code, absl::string_view text, absl::string_view actual) {
  Flush();
  const size_t most = std::min(text.size(), actual.size());
  size_t prefix = 0;
  while (prefix < most && text[prefix] == actual[prefix]) ++prefix;
  size_t suffix = 0;
  while (suffix < most - prefix &&
         text[text.size() - 1 - suffix] == actual[actual.size() - 1 - suffix]) {
    ++suffix;
  }
  const absl::string_view middle = actual.substr(prefix, actual.size() - prefix - suffix);
  AppendVarint(static_cast<uint64_t>(code), &codes_);
  AppendVarint(prefix, &codes_);
  AppendVarint(suffix, &codes_);
  AppendVarint(middle.size(), &codes_);
  codes_.append(middle.data(), middle.size());
}

void TextCoder::PutRaw(absl::string_view bytes) {
  Flush();
  AppendVarint(static_cast<uint64_t>(Code::kRaw), &codes_);
  AppendVarint(bytes.size(), &codes_);
  codes_.append(bytes.data(), bytes.size());
}

void TextCoder::Add(Code code) {
  if (code != last_) Flush();
  last_ = code;
  ++count_;
}

void TextCoder::Flush() {
  if (count_ > 0) AppendVarint(count_ << kCodeBits | static_cast<uint64_t>(last_), &codes_);
  count_ = 0;
}

std::string TextCoder::Take() && {
  Flush();
  return std::move(codes_);
}

bool TextDecoder::Next(const CallScope& scope, absl::string_view text, std::string* actual) {
  if (count_ == 0 && !NextCode()) return false;
  --count_;
  switch (code_) {
    case Code::kJoined:
      *actual = absl::StrCat(scope.here(), "/", text);
      return true;
    case Code::kSame:
      actual->assign(text.data(), text.size());
      return true;
    case Code::kMoved:
      *actual = scope.Moved(text);
      return true;
    case Code::kMapped:
      *actual = Mapped(scope, text);
      return true;
    case Code::kShifted: {
      const std::optional<LastNumber> number = FindLastNumber(text);
      if (!number.has_value()) return false;
      *actual = absl::StrCat(text.substr(0, number->begin), number->value + shift_,
                             text.substr(number->end));
      return true;
    }
    case Code::kOther:
      return TakeOther(text, actual);
    case Code::kOtherJoined:
      return TakeOther(absl::StrCat(scope.here(), "/", text), actual);
    case Code::kRaw:
    case Code::kSetShift:
      return false;
  }
  return false;
}

bool TextDecoder::TakeRaw(std::string* bytes) {
  if (count_ == 0 && !NextCode()) return false;
  if (code_ != Code::kRaw) return false;
  --count_;
  return TakeBytes(bytes);
}

bool TextDecoder::TakeBytes(std::string* bytes) {
  uint64_t size = 0;
  if (!TakeVarint(&rest_, &size) || size > rest_.size()) return false;
  bytes->assign(rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool TextDecoder::NextCode() {
  uint64_t word = 0;
  while (TakeVarint(&rest_, &word)) {
    code_ = static_cast<Code>(word & ((1u << kCodeBits) - 1));
    count_ = word >> kCodeBits;
    switch (code_) {
      case Code::kJoined:
      case Code::kSame:
      case Code::kMoved:
      case Code::kShifted:
      case Code::kMapped:
        return count_ > 0;
      case Code::kOther:
      case Code::kOtherJoined:
      case Code::kRaw:
        if (count_ > 0) return false;
        count_ = 1;
        return true;
      case Code::kSetShift: {
        uint64_t shift = 0;
        if (count_ > 0 || !TakeVarint(&rest_, &shift)) return false;
        shift_ = UnZigZag(shift);
        break;
      }
      default:
        return false;
    }
  }
  return false;
}

bool TextDecoder::TakeOther(absl::string_view base, std::string* actual) {
  uint64_t prefix = 0;
  uint64_t suffix = 0;
  std::string middle;
  if (!TakeVarint(&rest_, &prefix) || !TakeVarint(&rest_, &suffix) || !TakeBytes(&middle)) {
    return false;
  }
  if (prefix > base.size() || suffix > base.size() - prefix) return false;
  *actual = absl::StrCat(base.substr(0, prefix), middle, base.substr(base.size() - suffix));
  return true;
}

}  // namespace onnx_hier
