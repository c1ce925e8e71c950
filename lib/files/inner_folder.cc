// SPDX-License-Identifier: Apache-2.0
#include "lib/files/inner_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/files/file_status.h"
#include "lib/files/system.h"

namespace onnx_hier {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

bool IsLink(int folder, const std::string& name) {
  const std::optional<FileStatus> status = StatusIn(folder, name);
  return status.has_value() && status->kind == FileStatus::Kind::kLink;
}

// Why `name` could not be opened without following links.
absl::Status CannotOpen(int folder, const std::string& name, int error_number) {
  if (error_number == ELOOP || (error_number == ENOTDIR && IsLink(folder, name))) {
    return absl::PermissionDeniedError("a symbolic link is on the way");
  }
  return ErrnoStatus(error_number, "");
}

}  // namespace

bool StaysInside(absl::string_view location) {
  if (location.find('\\') != absl::string_view::npos ||
      location.find('\0') != absl::string_view::npos) {
    return false;
  }
  for (absl::string_view part : absl::StrSplit(location, '/')) {
    if (part == ".." || part == "." || part.empty()) return false;
  }
  return true;
}

bool IsHidden(absl::string_view location) {
  for (absl::string_view part : absl::StrSplit(location, '/')) {
    if (!part.empty() && part[0] == '.') return true;
  }
  return false;
}

absl::StatusOr<UniqueFd> OpenInnerFolder(int top, absl::string_view location,
                                         std::vector<std::string>* made) {
  UniqueFd at(openat(top, ".", kFolderFlags));
  if (!at.valid()) return ErrnoStatus(errno, "");
  for (size_t begin = 0, slash; (slash = location.find('/', begin)) != absl::string_view::npos;
       begin = slash + 1) {
    const std::string name(location.substr(begin, slash - begin));
    if (made != nullptr && mkdirat(at.get(), name.c_str(), 0777) == 0) {
      made->emplace_back(location.substr(0, slash));
    }
    UniqueFd next(openat(at.get(), name.c_str(), kFolderFlags | O_NOFOLLOW));
    if (!next.valid()) return CannotOpen(at.get(), name, errno);
    at = std::move(next);
  }
  return at;
}

absl::StatusOr<UniqueFd> OpenFileIn(int folder, const std::string& name) {
  // O_NONBLOCK: a named pipe must be refused, not waited for.
  UniqueFd file(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid()) return CannotOpen(folder, name, errno);
  const std::optional<FileStatus> status = StatusOf(file.get());
  if (!status.has_value()) return ErrnoStatus(errno, "");
  if (!status->is_regular()) return absl::InvalidArgumentError("it is not a regular file");
  return file;
}

absl::StatusOr<UniqueFd> OpenTopFolder(const std::string& path) {
  UniqueFd folder(open(path.c_str(), kFolderFlags));
  if (!folder.valid() && errno == EACCES) {
    folder = OpenUnreadFolder(path);
  }
  if (folder.valid()) return folder;
  if (errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no folder ", path, "; create it first"));
  }
  return ErrnoStatus(errno, absl::StrCat("cannot write in folder ", path));
}

}  // namespace onnx_hier
