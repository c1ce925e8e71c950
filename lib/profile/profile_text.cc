// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/profile_text.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {
namespace {

constexpr size_t kPiece = 1 << 16;

}  // namespace

ProfileText::ProfileText(int fd, const std::atomic<bool>* cancel)
    : fd_(fd), cancel_(cancel), room_(kPiece), buffer_(new char[kPiece]) {}

absl::string_view ProfileText::More(absl::string_view rest) {
  if (!unused_.empty()) return std::exchange(unused_, absl::string_view());
  if (fd_ < 0 || !status_.ok()) return rest;
  std::unique_ptr<char[]> smaller;
  if (rest.size() > room_ / 2) {  // a long string
    room_ *= 2;
    smaller = std::exchange(buffer_, std::unique_ptr<char[]>(new char[room_]));
  }
  std::copy(rest.begin(), rest.end(), buffer_.get());
  const absl::StatusOr<uint64_t> count =
      ReadStream(fd_, buffer_.get() + rest.size(), room_ - rest.size(), cancel_);
  if (!count.ok()) status_ = count.status();
  const size_t more = count.ok() ? static_cast<size_t>(*count) : 0;
  position_ += more;
  return {buffer_.get(), rest.size() + more};
}

std::optional<char> ProfileText::Peek() {
  if (unused_.empty()) unused_ = More(unused_);
  if (unused_.empty()) return std::nullopt;
  return unused_[0];
}

bool ProfileText::ReadLine(std::string* line, size_t longest) {
  line->clear();
  if (!Peek()) return false;
  while (Peek()) {
    const size_t length = std::min(unused_.find('\n'), unused_.size());
    const size_t taken = std::min(length, longest - line->size());
    line->append(unused_.data(), taken);
    unused_.remove_prefix(taken);
    if (taken < length) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("byte ", position() + 1, ": a line is longer than ", longest, " bytes"));
      return false;
    }
    if (unused_.empty()) continue;
    Skip();
    break;
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return true;
}

}  // namespace onnx_hier
