// SPDX-License-Identifier: Apache-2.0
#include "lib/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_attributes.h"
#include "lib/files/file_place.h"
#include "lib/files/inner_folder.h"
#include "lib/files/system.h"

namespace onnx_hier {
namespace {

// How often a file is put back for another that came meanwhile. More would take a program that does
// nothing else than to replace it.
constexpr int kMostSwaps = 1000;

absl::Status WasReplaced() {
  return absl::AbortedError(
      "another program replaced or removed it meanwhile; that was left as it is, and nothing was "
      "written: run again");
}

absl::StatusOr<FileIdentity> IdentityOf(int folder, const std::string& name) {
  const std::optional<FileStatus> status = StatusIn(folder, name);
  if (status.has_value()) return status->identity;
  return errno == ENOENT ? WasReplaced() : ErrnoStatus(errno, "cannot inspect");
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, const Options& options) {
  OH_ASSIGN_OR_RETURN(const OutputPlace place, OpenFolders().Find(path));
  return Create(place, options);
}

absl::StatusOr<OutputFile> OutputFile::Create(const OutputPlace& place, const Options& options) {
  std::shared_ptr<OpenFolder> folder = place.folder;
  if (folder == nullptr) {
    OH_ASSIGN_OR_RETURN(folder, OpenFolder::Open(DirectoryOf(place.target)));
  }
  if (FileNameOf(place.target).empty()) {
    return absl::InvalidArgumentError("cannot write: it is a folder; name a file in it");
  }
  return CreateIn(std::move(folder), place.target, place.there, options);
}

absl::StatusOr<OutputFile> OutputFile::CreateIn(UniqueFd folder, const std::string& path,
                                                const Options& options) {
  const std::optional<FileStatus> old = StatusIn(folder.get(), FileNameOf(path));
  return CreateIn(std::make_shared<OpenFolder>(std::move(folder)), path, old, options);
}

absl::StatusOr<OutputFile> OutputFile::CreateIn(std::shared_ptr<OpenFolder> folder,
                                                const std::string& path,
                                                const std::optional<FileStatus>& old,
                                                const Options& options) {
  OutputFile file;
  file.options_ = options;
  file.path_ = path;
  file.name_ = FileNameOf(path);
  file.folder_ = std::move(folder);
  file.folder_->RemoveLitterOf(file.name_);
  OH_RETURN_IF_ERROR(old.has_value() ? file.OpenFor(*old)
                                     : file.OpenTemporary(options.mode & 0777));
  return file;
}

// Opens the file that is to take the place of an old one.
absl::Status OutputFile::OpenFor(const FileStatus& old) {
  if (old.kind == FileStatus::Kind::kFolder) {
    return absl::InvalidArgumentError("cannot write: it is a folder; name a file in it");
  }
  if (old.kind == FileStatus::Kind::kLink) {
    return absl::PermissionDeniedError("cannot write: it is a symbolic link");
  }
  if (!options_.replace && !options_.instead_of.has_value()) {
    return absl::AlreadyExistsError("exists already; use --force to replace it");
  }
  if (!old.is_regular()) {
    return absl::InvalidArgumentError("cannot write: it is not a regular file");
  }
  replaces_ = true;
  OH_RETURN_IF_ERROR(OpenTemporary(old.mode & 0777));
  const UniqueFd old_file(
      openat(folder_->fd(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  losses_ = TakeOverAttributes(old, old_file.get(), fd());
  return absl::OkStatus();
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  path_.swap(other.path_);
  folder_.swap(other.folder_);
  name_.swap(other.name_);
  std::swap(work_, other.work_);
  std::swap(replaces_, other.replaces_);
  std::swap(options_, other.options_);
  std::swap(fd_, other.fd_);
  losses_.swap(other.losses_);
  std::swap(reader_, other.reader_);
  return *this;
}

absl::Status OutputFile::OpenTemporary(uint32_t mode) {
  fd_ = OpenUnnamed(folder_->fd(), mode);
  if (fd_.valid()) return absl::OkStatus();
  OH_RETURN_IF_ERROR(MakeWorkFolder());
  fd_ = UniqueFd(openat(work_->fd(), work_->file_name().c_str(),
                        O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(mode)));
  return fd_.valid() ? absl::OkStatus() : ErrnoStatus(errno, "cannot write");
}

absl::Status OutputFile::MakeWorkFolder() {
  absl::StatusOr<WorkFolder> work = WorkFolder::Make(folder_->fd(), name_);
  if (!work.ok()) {
    return absl::Status(
        work.status().code(),
        absl::StrCat("cannot write in folder ", DirectoryOf(path_), ": ", work.status().message()));
  }
  work_ = std::make_unique<WorkFolder>(*std::move(work));
  return absl::OkStatus();
}

absl::Status OutputFile::Reserve(uint64_t size, const std::vector<SharedSpan>& shared) {
  uint64_t begin = 0;
  for (const SharedSpan& span : shared) {
    OH_RETURN_IF_ERROR(ReserveRange(begin, span.to));
    begin = span.to + span.length;
  }
  return ReserveRange(begin, size);
}

absl::Status OutputFile::ReserveRange(uint64_t begin, uint64_t end) {
  if (begin == end) return absl::OkStatus();
  while (ReserveSpace(fd(), begin, end) != 0) {
    if (errno == EINTR) continue;
    // Not every file system can reserve; then the writes themselves find out.
    if (IsUnsupported(errno)) return absl::OkStatus();
    return ErrnoStatus(errno, absl::StrCat("cannot reserve ", end - begin, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Append(absl::string_view bytes) {
  return WriteFully(fd(), bytes.data(), bytes.size());
}

// Gives a name to a file without one, to be renamed from.
absl::Status OutputFile::GiveTemporaryName() {
  if (work_ != nullptr) return absl::OkStatus();
  OH_RETURN_IF_ERROR(MakeWorkFolder());
  if (NameUnnamed(fd(), work_->fd(), work_->file_name()) != 0) {
    return ErrnoStatus(errno, "cannot write");
  }
  return absl::OkStatus();
}

// Puts the finished file under its final name.
absl::Status OutputFile::GiveName() {
  if (options_.instead_of.has_value()) return TakePlaceOf(*options_.instead_of);
  if (work_ == nullptr) {
    if (NameUnnamed(fd(), folder_->fd(), name_) == 0) return absl::OkStatus();
    if (errno != EEXIST || !options_.replace) return ErrnoStatus(errno, "cannot write");
    // A link replaces nothing, a rename does.
    OH_RETURN_IF_ERROR(GiveTemporaryName());
  }
  OH_RETURN_IF_ERROR(TakePlace());
  RemoveWorkFolder();
  return absl::OkStatus();
}

// Moves the file to its final name, and over whatever has it if it may.
absl::Status OutputFile::TakePlace() {
  const std::string& from = work_->file_name();
  // Without leave to replace, refuse even a file that somebody made meanwhile.
  const bool may_replace = options_.replace || options_.instead_of.has_value();
  const int result = may_replace ? renameat(work_->fd(), from.c_str(), folder_->fd(), name_.c_str())
                                 : RenameToFree(work_->fd(), from, folder_->fd(), name_);
  return result == 0 ? absl::OkStatus() : ErrnoStatus(errno, "cannot write");
}

// Takes the place of one version of a file, and of no other. Looking first and renaming then would
// leave a moment between; so the two change places, and what has come out is looked at.
absl::Status OutputFile::TakePlaceOf(const FileIdentity& old) {
  OH_ASSIGN_OR_RETURN(const FileIdentity now, IdentityOf(folder_->fd(), name_));
  if (!now.IsSameVersion(old)) return WasReplaced();
  OH_RETURN_IF_ERROR(GiveTemporaryName());
  bool swapped = false;
  OH_RETURN_IF_ERROR(SwapInto(old, swapped));
  if (!swapped) OH_RETURN_IF_ERROR(TakePlace());
  RemoveWorkFolder();
  return absl::OkStatus();
}

// The output is complete all the same.
void OutputFile::RemoveWorkFolder() {
  if (const std::string left = work_->Remove(); !left.empty()) {
    losses_.push_back(absl::StrCat("the hidden folder ", left,
                                   " beside it could not be removed; the next run that writes "
                                   "this file removes it"));
  }
  work_.reset();
}

// Lets the files under the temporary and the final name change places.
bool OutputFile::ChangePlaces() const {
  return Exchange(work_->fd(), work_->file_name(), folder_->fd(), name_) == 0;
}

// Sets `swapped`, unless the file system cannot swap files.
absl::Status OutputFile::SwapInto(const FileIdentity& old, bool& swapped) {
  OH_ASSIGN_OR_RETURN(FileIdentity in, Identity());
  FileIdentity expected = old;
  OH_RETURN_IF_ERROR(work_->RenameForSwap(old.inode, in.inode));
  for (int i = 0; i < kMostSwaps; ++i) {
    if (!ChangePlaces()) {
      if (i > 0) break;
      if (errno == ENOENT) return WasReplaced();
      return IsUnsupported(errno) ? absl::OkStatus() : ErrnoStatus(errno, "cannot write");
    }
    const absl::StatusOr<FileIdentity> out = IdentityOf(work_->fd(), work_->file_name());
    if (!out.ok() && ChangePlaces()) return out.status();
    if (!out.ok()) break;
    if (out->IsSameVersion(expected)) {
      swapped = i == 0;
      return swapped ? absl::OkStatus() : WasReplaced();
    }
    // Somebody's newer file has come out: it goes back, and what was put there should come out.
    expected = in;
    in = *out;
  }
  return absl::AbortedError(
      absl::StrCat("another program keeps replacing it; one of its versions is now ",
                   DirectoryOf(path_), "/", work_->Abandon()));
}

absl::StatusOr<FileIdentity> OutputFile::Identity() const {
  OH_ASSIGN_OR_RETURN(const FileStatus status, Inspect(fd()));
  return status.identity;
}

// Takes a new file back. False: it could not be removed.
bool OutputFile::LoseName() {
  const absl::StatusOr<FileIdentity> ours = Identity();
  const absl::StatusOr<FileIdentity> there = IdentityOf(folder_->fd(), name_);
  return !ours.ok() || !there.ok() || !ours->IsSameFile(*there) || RemoveFile(folder_->fd(), name_);
}

absl::Status OutputFile::Sync() {
  while (options_.sync && fsync(fd()) != 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "cannot write to the disk");
  }
  return absl::OkStatus();
}

absl::Status OutputFile::CommitAll(absl::Span<OutputFile* const> files) {
  for (const OutputFile* file : files) {
    if (file->options_.sync) StartWriteBack(file->fd());
  }
  for (OutputFile* file : files) OH_RETURN_IF_ERROR(file->Sync());
  // New files first: they can be taken back.
  std::vector<OutputFile*> order(files.begin(), files.end());
  std::stable_partition(order.begin(), order.end(),
                        [](const OutputFile* file) { return !file->replaces_; });
  for (size_t i = 0; i < order.size(); ++i) {
    if (absl::Status status = order[i]->GiveName(); !status.ok()) {
      if (order.size() > 1) {
        status = absl::Status(status.code(), absl::StrCat(order[i]->path_, ": ", status.message()));
      }
      return TakeBack(absl::MakeSpan(order).first(i), status);
    }
  }
  if (absl::Status status = SyncFolders(files); !status.ok()) {
    return TakeBack(absl::MakeSpan(order), status);
  }
  for (OutputFile* file : files) file->fd_.Reset();
  return absl::OkStatus();
}

absl::Status OutputFile::SyncFolders(absl::Span<OutputFile* const> files) {
  std::string synced;
  for (const OutputFile* file : files) {
    if (!file->options_.sync) continue;
    const std::string folder = DirectoryOf(file->path_);
    if (folder != synced) OH_RETURN_IF_ERROR(file->folder_->Sync());
    synced = folder;
  }
  return absl::OkStatus();
}

absl::Status OutputFile::TakeBack(absl::Span<OutputFile* const> files, const absl::Status& why) {
  std::string message(why.message());
  for (OutputFile* file : files) {
    const bool is_read = file->reader_ != nullptr && file->reader_->replaces_ &&
                         std::find(files.begin(), files.end(), file->reader_) != files.end();
    if (!is_read && !file->replaces_ && !file->LoseName()) {
      absl::StrAppend(&message, "; and ", file->path_, " could not be removed again");
    }
  }
  return {why.code(), message};
}

}  // namespace onnx_hier
