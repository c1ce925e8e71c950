// SPDX-License-Identifier: Apache-2.0

// What a system says of a file: which one it is, which version of its contents, and what may be
// done with it.
#ifndef ONNX_HIER_LIB_FILES_FILE_STATUS_H_
#define ONNX_HIER_LIB_FILES_FILE_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace onnx_hier {

struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_seconds = 0;
  int64_t modified_nanoseconds = 0;

  // Under whatever path.
  bool IsSameFile(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
  // The same file, and as far as its size and time of change tell, with the same contents.
  bool IsSameVersion(const FileIdentity& other) const { return *this == other; }

 private:
  bool operator==(const FileIdentity& other) const = default;
};

struct FileStatus {
  enum class Kind { kRegular, kFolder, kLink, kOther };

  FileIdentity identity;
  Kind kind = Kind::kOther;
  uint32_t mode = 0;   // permissions, 07777
  uint64_t names = 0;  // hard links; 0: it was removed and is still open
  uint32_t owner = 0;
  uint32_t group = 0;

  bool is_regular() const { return kind == Kind::kRegular; }
};

// None: errno says why. A link is followed in the first two.
std::optional<FileStatus> StatusOf(int fd);
std::optional<FileStatus> StatusOf(const std::string& path);
std::optional<FileStatus> StatusIn(int folder, const std::string& name);
// The same of an open file, with an error that says why it is none.
absl::StatusOr<FileStatus> Inspect(int fd);
// Whether nothing has that name, not even a link that leads nowhere. What cannot be told is not
// free.
bool IsFree(const std::string& path);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_STATUS_H_
