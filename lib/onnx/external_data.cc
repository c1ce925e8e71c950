// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/external_data.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/block_sharing.h"
#include "lib/files/file_place.h"
#include "lib/files/inner_folder.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Whether two files of `size` bytes are alike.
absl::StatusOr<bool> SameContents(const UniqueFd& a, const UniqueFd& b, uint64_t size,
                                  const CopyOptions& options) {
  const ChunkBuffer wanted = NewChunk();
  const ChunkBuffer found = NewChunk();
  for (uint64_t at = 0; at < size;) {
    OH_RETURN_IF_ERROR(CheckCancelled(options));
    const uint64_t n = std::min(kCopyChunk, size - at);
    OH_RETURN_IF_ERROR(ReadFully(a.get(), wanted.get(), n, at));
    OH_RETURN_IF_ERROR(ReadFully(b.get(), found.get(), n, at));
    if (std::memcmp(wanted.get(), found.get(), n) != 0) return false;
    at += n;
  }
  return true;
}

// kNotFound if there is none.
absl::StatusOr<FileIdentity> Find(const UniqueFd& top, const std::string& location) {
  OH_ASSIGN_OR_RETURN(const UniqueFd folder, OpenInnerFolder(top.get(), location));
  const std::optional<FileStatus> status = StatusIn(folder.get(), FileNameOf(location));
  if (!status.has_value()) return ErrnoStatus(errno, "");
  return status->identity;
}

}  // namespace

absl::Status CheckLocation(const std::string& location) {
  if (!StaysInside(location)) {
    return absl::PermissionDeniedError(
        absl::StrCat("external data at ", QuotedName(location),
                     " may lie outside the model's folder: refused; use --external-data keep to "
                     "leave it where it is"));
  }
  if (IsHidden(location)) {
    return absl::PermissionDeniedError(
        absl::StrCat("external data at ", QuotedName(location),
                     " is a hidden file, and other programs may act on such: refused; use "
                     "--external-data keep, and copy it yourself if you trust the model"));
  }
  return absl::OkStatus();
}

absl::Status AboutData(const std::string& location, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("external data ", QuotedName(location), ": ", status.message()));
}

std::vector<std::string> LocationsOf(absl::Span<const ExternalTensor> tensors) {
  std::vector<const ExternalTensor*> pointers;
  pointers.reserve(tensors.size());
  for (const ExternalTensor& tensor : tensors) pointers.push_back(&tensor);
  return LocationsOf(pointers);
}

std::vector<std::string> LocationsOf(absl::Span<const ExternalTensor* const> tensors) {
  std::vector<std::string> locations;
  absl::flat_hash_set<absl::string_view> seen;
  for (const ExternalTensor* tensor : tensors) {
    const absl::string_view location = tensor->place.location;
    if (seen.insert(location).second) locations.emplace_back(location);
  }
  return locations;
}

absl::Status DataFiles::Copy(const std::vector<std::string>& locations) {
  for (const std::string& location : locations) OH_RETURN_IF_ERROR(CheckLocation(location));
  OH_RETURN_IF_ERROR(OpenFolders());
  for (const std::string& location : locations) OH_RETURN_IF_ERROR(Bring(location));
  return absl::OkStatus();
}

absl::Status DataFiles::Settle() {
  for (const std::string& location : std::exchange(found_, {})) {
    if (!Find(to_, location).ok()) OH_RETURN_IF_ERROR(Bring(location));
  }
  return absl::OkStatus();
}

void DataFiles::Keep() {
  made_files_.clear();
  made_folders_.clear();
}

std::vector<std::string> DataFiles::TakeBack() {
  std::vector<std::string> left;
  for (auto made = made_files_.rbegin(); made != made_files_.rend(); ++made) {
    const absl::StatusOr<FileIdentity> there = Find(to_, made->location);
    if (!there.ok() || !there->IsSameVersion(made->identity)) continue;
    const absl::StatusOr<UniqueFd> folder = OpenInnerFolder(to_.get(), made->location);
    if (!folder.ok() || !RemoveFile(folder->get(), FileNameOf(made->location))) {
      left.push_back(absl::StrCat(to_folder_, "/", made->location));
    }
  }
  for (auto made = made_folders_.rbegin(); made != made_folders_.rend(); ++made) {
    // Does nothing where somebody has put something in it.
    const absl::StatusOr<UniqueFd> folder = OpenInnerFolder(to_.get(), *made);
    if (folder.ok()) RemoveFolder(folder->get(), FileNameOf(*made));
  }
  Keep();
  return left;
}

absl::Status DataFiles::OpenFolders() {
  OH_ASSIGN_OR_RETURN(from_, OpenTopFolder(from_folder_));
  OH_ASSIGN_OR_RETURN(to_, OpenTopFolder(to_folder_));
  return absl::OkStatus();
}

absl::Status DataFiles::Bring(const std::string& location) {
  const absl::Status status = CopyOne(location);
  return status.ok() ? status : AboutData(location, status);
}

absl::Status DataFiles::CopyOne(const std::string& location) {
  const auto cannot_open = [](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("cannot be opened: ", status.message()));
  };
  const std::string name = FileNameOf(location);
  const absl::StatusOr<UniqueFd> folder = OpenInnerFolder(from_.get(), location);
  if (!folder.ok()) return cannot_open(folder.status());
  const absl::StatusOr<UniqueFd> from = OpenFileIn(folder->get(), name);
  if (!from.ok()) return cannot_open(from.status());
  absl::Status status = Write(*from, location, /*replace=*/false);
  if (!absl::IsAlreadyExists(status)) return status;
  // From an earlier run, or made by another one meanwhile for a model with the same data.
  OH_ASSIGN_OR_RETURN(const UniqueFd to_folder, OpenInnerFolder(to_.get(), location));
  OH_ASSIGN_OR_RETURN(const UniqueFd there, OpenFileIn(to_folder.get(), name));
  OH_ASSIGN_OR_RETURN(const FileStatus wanted, Inspect(from->get()));
  OH_ASSIGN_OR_RETURN(const FileStatus found, Inspect(there.get()));
  bool same = wanted.identity.size == found.identity.size;
  if (same) {
    OH_ASSIGN_OR_RETURN(same, SameContents(*from, there, wanted.identity.size, options_));
  }
  if (same) {
    found_.push_back(location);
    return absl::OkStatus();
  }
  if (output_.replace) return Write(*from, location, /*replace=*/true);
  return absl::AlreadyExistsError("exists already with other contents; use --force to replace it");
}

absl::Status DataFiles::Write(const UniqueFd& from, const std::string& location, bool replace) {
  OH_ASSIGN_OR_RETURN(const FileStatus before, Inspect(from.get()));
  absl::StatusOr<UniqueFd> folder = OpenInnerFolder(to_.get(), location, &made_folders_);
  if (!folder.ok()) {
    return absl::Status(
        folder.status().code(),
        absl::StrCat("cannot be written in folder ", to_folder_, ": ", folder.status().message()));
  }
  const uint64_t size = before.identity.size;
  const OutputFile::Options options = {
      .replace = replace, .sync = output_.sync, .mode = before.mode};
  OH_ASSIGN_OR_RETURN(
      OutputFile out,
      OutputFile::CreateIn(*std::move(folder), absl::StrCat(to_folder_, "/", location), options));
  if (!ShareFile(from.get(), size, out.fd())) {
    OH_RETURN_IF_ERROR(out.Reserve(size));
    OH_RETURN_IF_ERROR(CopyBytes(from.get(), 0, size, out.fd(), 0, NewChunk(), options_));
  }
  OH_ASSIGN_OR_RETURN(const FileStatus after, Inspect(from.get()));
  if (!after.identity.IsSameVersion(before.identity)) {
    return absl::AbortedError("the file was changed by another program while it was read");
  }
  OH_ASSIGN_OR_RETURN(const FileIdentity made, out.Identity());
  OH_RETURN_IF_ERROR(out.Commit());
  for (const std::string& loss : out.losses()) {
    losses_.push_back(absl::StrCat(out.path(), ": ", loss));
  }
  if (!replace) made_files_.push_back({location, made});
  return absl::OkStatus();
}

}  // namespace onnx_hier
