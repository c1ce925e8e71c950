// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"

namespace onnx_hier {
namespace {

constexpr int kMostLinks = 40;  // as the kernel allows

// Of a file that is not there.
FilePlace PlaceInFolder(const std::string& path) {
  const std::optional<FileStatus> folder = StatusOf(DirectoryOf(path));
  if (!folder.has_value()) return {0, 0, path};
  return {folder->identity.device, folder->identity.inode, FileNameOf(path)};
}

}  // namespace

FilePlace PlaceOfFile(const FileStatus& file) {
  return {file.identity.device, file.identity.inode, ""};
}

FilePlace PlaceOf(const std::string& path) {
  const std::optional<FileStatus> named = StatusIn(AT_FDCWD, path);
  if (!named.has_value()) return PlaceInFolder(path);
  if (named->kind != FileStatus::Kind::kLink) return PlaceOfFile(*named);
  if (const std::optional<FileStatus> file = StatusOf(path)) return PlaceOfFile(*file);
  const absl::StatusOr<std::string> resolved = ResolveOutputPath(path);
  return PlaceInFolder(resolved.ok() ? *resolved : path);
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string FileNameOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

absl::StatusOr<std::string> ResolveOutputPath(const std::string& path) {
  std::string current = path;
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t n = readlink(current.c_str(), target, sizeof(target));
    if (n < 0) return current;
    const std::string text(target, static_cast<size_t>(n));
    current = text[0] == '/' ? text : absl::StrCat(DirectoryOf(current), "/", text);
  }
  return absl::UnavailableError(absl::StrCat("cannot write: ", std::strerror(ELOOP)));
}

}  // namespace onnx_hier
