// SPDX-License-Identifier: Apache-2.0

// The bytes of a profile, read in pieces: a profile may be larger than memory.
//
//   ProfileText text(fd, nullptr);
//   text.BoundStrings();                  // for JSON: no string longer than memory should hold
//   nlohmann::json::sax_parse(stream, ...)  on a std::istream of it
//   if (!text.status().ok()) ...          // it could not be read, and not to its end
#ifndef ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_
#define ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

class ProfileText : public std::streambuf {
 public:
  // A line, or a string of JSON, may be so long. Names of fused kernels have some thousand bytes.
  static constexpr size_t kLongest = 1 << 20;

  ProfileText(int fd, const std::atomic<bool>* cancel);
  // `text` must outlive this.
  explicit ProfileText(absl::string_view text);

  // From now on, the text ends where a string of JSON becomes longer than kLongest.
  void BoundStrings();

  // Of the next byte.
  uint64_t position() const { return begin_ + static_cast<uint64_t>(gptr() - eback()); }
  // Why the text ended before its end.
  const absl::Status& status() const { return status_; }

  // The next line without its end; false at the end of the text.
  bool ReadLine(std::string* line);

 protected:
  int_type underflow() override;

 private:
  void Fill(const char* begin, size_t size);
  // Looks through what was read last.
  void LookForLongStrings();

  const int fd_;
  const std::atomic<bool>* cancel_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  uint64_t begin_ = 0;  // of what was read last
  absl::Status status_;
  bool bounds_strings_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  size_t string_length_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_
