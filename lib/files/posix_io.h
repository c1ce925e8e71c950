// SPDX-License-Identifier: Apache-2.0

// System calls with their interruptions and short counts dealt with, as absl::Status.
#ifndef ONNX_HIER_LIB_FILES_POSIX_IO_H_
#define ONNX_HIER_LIB_FILES_POSIX_IO_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnx_hier {

// Closes its descriptor when it goes.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void Reset();

 private:
  int fd_ = -1;
};

// "what: reason", the reason from errno ("reason" for an empty `what`); kNotFound,
// kPermissionDenied, kResourceExhausted (no room, limits), kAlreadyExists, kCancelled (the reader
// of a pipe went away), else kUnavailable.
absl::Status ErrnoStatus(int error_number, const std::string& what);

// Whether a call failed for what the system, or a file system, has not.
bool IsUnsupported(int error_number);

// Reads exactly `size` bytes at `offset`; a file that ends earlier is an error.
absl::Status ReadFully(int fd, char* out, uint64_t size, uint64_t offset);
// Writes all of it; at `offset`, or at the stream's position. A stream may make its writer wait:
// a signal that sets `cancel` ends the wait with kCancelled.
absl::Status WriteFullyAt(int fd, const char* data, uint64_t size, uint64_t offset);
absl::Status WriteFully(int fd, const char* data, uint64_t size,
                        const std::atomic<bool>* cancel = nullptr);
// Reads what a stream has, at most `size` bytes; 0: it has ended. kCancelled, at most a tenth of a
// second late, when `cancel` becomes true.
absl::StatusOr<uint64_t> ReadStream(int fd, char* out, uint64_t size,
                                    const std::atomic<bool>* cancel);

// A file or stream by a path of the user's own; not valid: errno says why.
UniqueFd OpenForReading(const std::string& path);
// Cuts a file, or lets a hole follow what is in it.
absl::Status SetSize(int fd, uint64_t size);
// False: it is still there.
bool RemoveFile(int folder, const std::string& name);
// Likewise; of a folder that holds nothing.
bool RemoveFolder(int folder, const std::string& name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_POSIX_IO_H_
