// SPDX-License-Identifier: Apache-2.0
#include "lib/files/posix_io.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace onnx_hier {
namespace {

// Linux moves at most about 2 GiB in one call; smaller pieces also keep a signal's wait short.
constexpr uint64_t kLargestTransfer = 1ull << 26;
constexpr int kPollMilliseconds = 100;

bool IsSet(const std::atomic<bool>* cancel) { return cancel != nullptr && *cancel; }

// Waits until a stream has something to read, or has ended.
absl::Status WaitToRead(int fd, const std::atomic<bool>* cancel) {
  if (cancel == nullptr) return absl::OkStatus();
  // Asked now and then rather than woken: a signal may come between the look at the flag and the
  // wait.
  pollfd stream = {.fd = fd, .events = POLLIN, .revents = 0};
  do {
    if (*cancel) return absl::CancelledError("interrupted");
  } while (poll(&stream, 1, kPollMilliseconds) <= 0);
  return absl::OkStatus();
}

}  // namespace

void UniqueFd::Reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

absl::Status ErrnoStatus(int error_number, const std::string& what) {
  const std::string message =
      absl::StrCat(what, what.empty() ? "" : ": ", std::strerror(error_number));
  switch (error_number) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EMFILE:
      return absl::ResourceExhaustedError(
          absl::StrCat(message, "; the shell's 'ulimit -n' says how many there may be"));
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    case EPIPE:
      return absl::CancelledError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    default:
      return absl::UnavailableError(message);
  }
}

bool IsUnsupported(int error_number) {
  constexpr int kErrors[] = {EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP};  // the last two may be one
  return std::find(std::begin(kErrors), std::end(kErrors), error_number) != std::end(kErrors);
}

absl::Status ReadFully(int fd, char* out, uint64_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t n = pread(fd, out, std::min(size, kLargestTransfer), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, absl::StrCat("cannot read at byte ", offset));
    }
    if (n == 0) {
      return absl::AbortedError(
          absl::StrCat("the file ends at byte ", offset, ": it became shorter while it was read"));
    }
    out += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<uint64_t>(n);
  }
  return absl::OkStatus();
}

absl::Status WriteFullyAt(int fd, const char* data, uint64_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t n =
        pwrite(fd, data, std::min(size, kLargestTransfer), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "cannot write");
    }
    data += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<uint64_t>(n);
  }
  return absl::OkStatus();
}

absl::Status WriteFully(int fd, const char* data, uint64_t size, const std::atomic<bool>* cancel) {
  while (size > 0) {
    const ssize_t n = write(fd, data, std::min(size, kLargestTransfer));
    if (n < 0) {
      if (errno == EINTR && IsSet(cancel)) return absl::CancelledError("interrupted");
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "cannot write");
    }
    data += n;
    size -= static_cast<uint64_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ReadStream(int fd, char* out, uint64_t size,
                                    const std::atomic<bool>* cancel) {
  ssize_t n = -1;
  do {
    if (absl::Status status = WaitToRead(fd, cancel); !status.ok()) return status;
    n = read(fd, out, size);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return ErrnoStatus(errno, "cannot be read");
  return static_cast<uint64_t>(n);
}

UniqueFd OpenForReading(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

absl::Status SetSize(int fd, uint64_t size) {
  if (ftruncate(fd, static_cast<off_t>(size)) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "cannot make a file larger");
}

bool RemoveFile(int folder, const std::string& name) {
  return unlinkat(folder, name.c_str(), 0) == 0;
}

bool RemoveFolder(int folder, const std::string& name) {
  return unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace onnx_hier
