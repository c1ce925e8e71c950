// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_status.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "lib/files/posix_io.h"

namespace onnx_hier {
namespace {

FileStatus::Kind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Kind::kRegular;
  if (S_ISDIR(mode)) return FileStatus::Kind::kFolder;
  return S_ISLNK(mode) ? FileStatus::Kind::kLink : FileStatus::Kind::kOther;
}

std::optional<FileStatus> StatusFrom(int result, const struct stat& status) {
  if (result != 0) return std::nullopt;
#ifdef __APPLE__
  const timespec& modified = status.st_mtimespec;
#else
  const timespec& modified = status.st_mtim;
#endif
  return FileStatus{
      .identity = {.device = static_cast<uint64_t>(status.st_dev),
                   .inode = static_cast<uint64_t>(status.st_ino),
                   .size = static_cast<uint64_t>(status.st_size),
                   .modified_seconds = modified.tv_sec,
                   .modified_nanoseconds = modified.tv_nsec},
      .kind = KindOf(status.st_mode),
      .mode = static_cast<uint32_t>(status.st_mode) & 07777,
      .names = static_cast<uint64_t>(status.st_nlink),
      .owner = static_cast<uint32_t>(status.st_uid),
      .group = static_cast<uint32_t>(status.st_gid),
  };
}

}  // namespace

std::optional<FileStatus> StatusOf(int fd) {
  struct stat status;
  return StatusFrom(fstat(fd, &status), status);
}

std::optional<FileStatus> StatusOf(const std::string& path) {
  struct stat status;
  return StatusFrom(stat(path.c_str(), &status), status);
}

std::optional<FileStatus> StatusIn(int folder, const std::string& name) {
  struct stat status;
  return StatusFrom(fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW), status);
}

absl::StatusOr<FileStatus> Inspect(int fd) {
  const std::optional<FileStatus> status = StatusOf(fd);
  if (!status.has_value()) return ErrnoStatus(errno, "cannot inspect");
  return *status;
}

bool IsFree(const std::string& path) {
  return !StatusIn(AT_FDCWD, path).has_value() && errno == ENOENT;
}

}  // namespace onnx_hier
