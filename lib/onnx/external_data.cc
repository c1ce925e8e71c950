#include "lib/onnx/external_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/safe_text.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/block_sharing.h"
#include "lib/onnx/posix_io.h"

namespace onnx_hier {
namespace {

std::string Quoted(const std::string& location) {
  return absl::StrCat("'", SafeForTerminal(location.substr(0, 200)), "'");
}

bool StaysInside(const std::string& location) {
  if (location.empty() || location[0] == '/') return false;
  if (location.find('\\') != std::string::npos || location.find('\0') != std::string::npos) {
    return false;
  }
  for (absl::string_view part : absl::StrSplit(location, '/')) {
    if (part == ".." || part == "." || part.empty()) return false;
  }
  return true;
}

// Opens a file below `folder` one path component at a time, following no symbolic link.
absl::StatusOr<UniqueFd> OpenInside(const std::string& folder, const std::string& location) {
  const std::string what = absl::StrCat("cannot open external data ", Quoted(location));
  UniqueFd at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::vector<std::string> parts = absl::StrSplit(location, '/');
  for (size_t i = 0; at.valid() && i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY);
    at = UniqueFd(openat(at.get(), parts[i].c_str(), flags));
  }
  if (!at.valid()) {
    if (errno == ELOOP) {
      return absl::PermissionDeniedError(absl::StrCat(what, ": a symbolic link is on the way"));
    }
    return ErrnoStatus(errno, what);
  }
  struct stat status;
  if (fstat(at.get(), &status) != 0) return ErrnoStatus(errno, what);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": it is not a regular file"));
  }
  return at;
}

absl::Status MakeFolders(const std::string& folder, const std::string& location) {
  for (size_t slash = location.find('/'); slash != std::string::npos;
       slash = location.find('/', slash + 1)) {
    const std::string path = absl::StrCat(folder, "/", location.substr(0, slash));
    if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
      return ErrnoStatus(errno, absl::StrCat("cannot make folder ", path));
    }
  }
  return absl::OkStatus();
}

// Whether the file at `path` holds the same `size` bytes as `from`.
absl::StatusOr<bool> SameContents(const UniqueFd& from, uint64_t size, const std::string& path,
                                  const CopyOptions& options) {
  const UniqueFd there(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!there.valid()) return ErrnoStatus(errno, "cannot open");
  struct stat status;
  if (fstat(there.get(), &status) != 0) return ErrnoStatus(errno, "cannot inspect");
  if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) != size) return false;
  const ChunkBuffer wanted = NewChunk();
  const ChunkBuffer found = NewChunk();
  for (uint64_t at = 0; at < size;) {
    OH_RETURN_IF_ERROR(CheckCancelled(options));
    const uint64_t n = std::min(kCopyChunk, size - at);
    OH_RETURN_IF_ERROR(ReadFully(from.get(), wanted.get(), n, at));
    OH_RETURN_IF_ERROR(ReadFully(there.get(), found.get(), n, at));
    if (std::memcmp(wanted.get(), found.get(), n) != 0) return false;
    at += n;
  }
  return true;
}

absl::Status WriteCopy(const UniqueFd& from, const struct stat& source, const std::string& to,
                       OutputFile::Options output, const CopyOptions& options) {
  const uint64_t size = static_cast<uint64_t>(source.st_size);
  output.mode = source.st_mode;
  OH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(to, output));
  if (!ShareFile(from.get(), size, out.fd())) {
    OH_RETURN_IF_ERROR(out.Reserve(size));
    OH_RETURN_IF_ERROR(CopyBytes(from.get(), 0, size, out.fd(), 0, NewChunk(), options));
  }
  return out.Commit();
}

absl::Status CopyOne(const UniqueFd& from, const std::string& to, const OutputFile::Options& output,
                     const CopyOptions& options) {
  struct stat source;
  struct stat target;
  if (fstat(from.get(), &source) != 0) return ErrnoStatus(errno, "cannot inspect");
  if (stat(to.c_str(), &target) != 0) {
    absl::Status status = WriteCopy(from, source, to, output, options);
    // Another run, or this one for a model that shares the file, may have made it meanwhile.
    if (!absl::IsAlreadyExists(status)) return status;
  }
  OH_ASSIGN_OR_RETURN(const bool same,
                      SameContents(from, static_cast<uint64_t>(source.st_size), to, options));
  if (same) return absl::OkStatus();
  if (!output.replace) {
    return absl::AlreadyExistsError(
        "exists already with other contents; use --force to replace it");
  }
  return WriteCopy(from, source, to, output, options);
}

}  // namespace

std::vector<std::string> ExternalLocations(const ScannedModel& model) {
  std::vector<std::string> locations;
  absl::flat_hash_set<absl::string_view> seen;
  for (const ExternalTensor& tensor : model.external_tensors) {
    if (seen.insert(tensor.location).second) locations.emplace_back(tensor.location);
  }
  return locations;
}

absl::Status CopyExternalData(const std::string& from_folder, const std::string& to_folder,
                              const std::vector<std::string>& locations,
                              const OutputFile::Options& output, const CopyOptions& options) {
  for (const std::string& location : locations) {
    if (!StaysInside(location)) {
      return absl::PermissionDeniedError(
          absl::StrCat("external data at ", Quoted(location),
                       " may lie outside the model's folder: refused; use --external-data keep to "
                       "leave it where it is"));
    }
  }
  for (const std::string& location : locations) {
    OH_ASSIGN_OR_RETURN(const UniqueFd from, OpenInside(from_folder, location));
    OH_RETURN_IF_ERROR(MakeFolders(to_folder, location));
    absl::Status status = CopyOne(from, absl::StrCat(to_folder, "/", location), output, options);
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("external data ", Quoted(location), ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
