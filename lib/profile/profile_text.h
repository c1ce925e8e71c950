// SPDX-License-Identifier: Apache-2.0

// The bytes of a profile, read in pieces: a profile may be larger than memory.
//
//   ProfileText text(fd, nullptr);
//   while (text.ReadLine(&line)) ...      // or JsonScanner json(text, ProfileText::kLongest);
//   if (!text.status().ok()) ...          // it could not be read, and not to its end
#ifndef ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_
#define ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/base/json_scanner.h"

namespace onnx_hier {

class ProfileText : public JsonSource {
 public:
  // A line, or a string of JSON, may be so long. Names of fused kernels have some thousand bytes.
  static constexpr size_t kLongest = 1 << 20;

  ProfileText(int fd, const std::atomic<bool>* cancel);
  // `text` must outlive this.
  explicit ProfileText(absl::string_view text) : fd_(-1), unused_(text), position_(text.size()) {}

  // The next byte, which stays; none at the end.
  std::optional<char> Peek();
  // What is at hand of the text, which stays: something, if Peek() gave a byte.
  absl::string_view Ahead() const { return unused_; }
  // Behind a byte that was seen.
  void Skip() { unused_.remove_prefix(1); }
  // The next line without its end; false at the end of the text.
  bool ReadLine(std::string* line, size_t longest = kLongest);
  absl::string_view More(absl::string_view rest) override;

  // Of the next byte.
  uint64_t position() const { return position_ - unused_.size(); }
  // Why the text ended before its end.
  const absl::Status& status() const { return status_; }

 private:
  const int fd_;
  const std::atomic<bool>* cancel_ = nullptr;
  size_t room_ = 0;  // in the buffer
  std::unique_ptr<char[]> buffer_;
  absl::string_view unused_;  // of what was read
  uint64_t position_ = 0;     // of what was not
  absl::Status status_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_PROFILE_TEXT_H_
