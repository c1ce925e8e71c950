// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/profile_text.h"

#include "absl/strings/str_cat.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {
namespace {

constexpr size_t kPiece = 1 << 16;

}  // namespace

ProfileText::ProfileText(int fd, const std::atomic<bool>* cancel)
    : fd_(fd), cancel_(cancel), buffer_(new char[kPiece]) {}

ProfileText::ProfileText(absl::string_view text) : fd_(-1) { Fill(text.data(), text.size()); }

void ProfileText::Fill(const char* begin, size_t size) {
  // A streambuf that is only read leaves its bytes alone.
  char* const text = const_cast<char*>(begin);
  setg(text, text, text + size);
  LookForLongStrings();
}

void ProfileText::BoundStrings() {
  bounds_strings_ = true;
  LookForLongStrings();
}

void ProfileText::LookForLongStrings() {
  if (!bounds_strings_) return;
  for (char* at = gptr(); at != egptr(); ++at) {
    if (!in_string_) {
      in_string_ = *at == '"';
      string_length_ = 0;
      continue;
    }
    ++string_length_;
    if (escaped_) {
      escaped_ = false;
    } else if (*at == '"') {
      in_string_ = false;
    } else {
      escaped_ = *at == '\\';
    }
    if (string_length_ <= kLongest) continue;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("byte ", begin_ + static_cast<uint64_t>(at - eback()),
                     ": a string is longer than ", kLongest, " bytes"));
    setg(eback(), gptr(), at);
    return;
  }
}

ProfileText::int_type ProfileText::underflow() {
  if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
  if (fd_ < 0 || !status_.ok()) return traits_type::eof();
  const absl::StatusOr<uint64_t> count = ReadStream(fd_, buffer_.get(), kPiece, cancel_);
  if (!count.ok()) status_ = count.status();
  if (!count.ok() || *count == 0) return traits_type::eof();
  begin_ = position();
  Fill(buffer_.get(), *count);
  return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
}

bool ProfileText::ReadLine(std::string* line) {
  line->clear();
  int_type next = sbumpc();
  if (traits_type::eq_int_type(next, traits_type::eof())) return false;
  while (!traits_type::eq_int_type(next, traits_type::eof()) && next != '\n') {
    if (line->size() == kLongest) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("byte ", position(), ": a line is longer than ", kLongest, " bytes"));
      return false;
    }
    line->push_back(traits_type::to_char_type(next));
    next = sbumpc();
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return true;
}

}  // namespace onnx_hier
