#include "lib/onnx/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/file_place.h"
#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

// How many runs may write the same output at once by way of hidden files.
constexpr int kHiddenNames = 100;
// How many of these are looked at for litter: few runs are killed together.
constexpr int kLitterNames = 4;

std::string HiddenName(const std::string& path, int number) {
  // File names end at 255 bytes; the part that says whose it is may be cut.
  return absl::StrCat(DirectoryOf(path), "/.", FileNameOf(path).substr(0, 200), ".onnx-hier-",
                      number);
}

std::string DescriptorPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

// Marks a file as in use by this process for as long as it is open. False if somebody is about to
// remove it. A file system without locks gives none, and then nobody removes anything.
bool LockHidden(int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

// Removes a hidden file whose process was killed.
void RemoveLitter(const std::string& name) {
  const UniqueFd fd(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() || flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat held;
  struct stat named;
  if (fstat(fd.get(), &held) != 0 || lstat(name.c_str(), &named) != 0) return;
  const bool ours = held.st_uid == geteuid() || geteuid() == 0;
  // Only who holds the lock gives the name away, so it still is that of this file below.
  if (ours && S_ISREG(held.st_mode) && held.st_dev == named.st_dev && held.st_ino == named.st_ino) {
    unlink(name.c_str());
  }
}

absl::Status CannotWriteIn(const std::string& folder, int error_number) {
  if (error_number == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no folder ", folder, "; create it first"));
  }
  return ErrnoStatus(error_number, absl::StrCat("cannot write in folder ", folder));
}

absl::Status NoFreeName(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("cannot find a free name in folder ", DirectoryOf(path)));
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, const Options& options) {
  OutputFile file;
  file.options_ = options;
  OH_ASSIGN_OR_RETURN(file.path_, ResolveOutputPath(path));
  for (int i = 0; i < kLitterNames; ++i) RemoveLitter(HiddenName(file.path_, i));
  struct stat old;
  if (stat(file.path_.c_str(), &old) == 0) {
    if (S_ISDIR(old.st_mode)) {
      return absl::InvalidArgumentError("cannot write: it is a folder; name a file in it");
    }
    if (!options.replace) {
      return absl::AlreadyExistsError("exists already; use --force to replace it");
    }
    if (!S_ISREG(old.st_mode)) {
      return absl::InvalidArgumentError("cannot write: it is not a regular file");
    }
    file.replaces_ = true;
    OH_RETURN_IF_ERROR(file.OpenTemporary(old.st_mode & 0777));
    // Keep mode and owner; only the superuser can give a file away, so a refusal is no error.
    fchmod(file.fd(), old.st_mode & 07777);
    if (fchown(file.fd(), old.st_uid, old.st_gid) != 0) fchmod(file.fd(), old.st_mode & 0777);
    return file;
  }
  OH_RETURN_IF_ERROR(file.OpenTemporary(options.mode & 0777));
  return file;
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  path_.swap(other.path_);
  temporary_.swap(other.temporary_);
  std::swap(replaces_, other.replaces_);
  std::swap(options_, other.options_);
  std::swap(fd_, other.fd_);
  return *this;
}

absl::Status OutputFile::OpenTemporary(mode_t mode) {
  fd_ = UniqueFd(open(DirectoryOf(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (fd_.valid()) {
    // A name can only be given to it by way of /proc.
    if (access(DescriptorPath(fd_.get()).c_str(), F_OK) == 0) return absl::OkStatus();
    fd_.Reset();
  }
  return OpenHidden(mode);
}

absl::Status OutputFile::OpenHidden(mode_t mode) {
  for (int i = 0; i < kHiddenNames; ++i) {
    const std::string name = HiddenName(path_, i);
    fd_ = UniqueFd(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd_.valid() && errno != EEXIST) return CannotWriteIn(DirectoryOf(path_), errno);
    if (!fd_.valid() || !LockHidden(fd())) continue;
    temporary_ = name;
    return absl::OkStatus();
  }
  return NoFreeName(path_);
}

OutputFile::~OutputFile() {
  if (fd_.valid() && !temporary_.empty()) unlink(temporary_.c_str());
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
  while (fallocate(fd(), 0, static_cast<off_t>(begin), static_cast<off_t>(end - begin)) != 0) {
    if (errno == EINTR) continue;
    // Not every file system can reserve; then the writes themselves find out.
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return absl::OkStatus();
    return ErrnoStatus(errno, absl::StrCat("cannot reserve ", end - begin, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Append(absl::string_view bytes) {
  return WriteFully(fd(), bytes.data(), bytes.size());
}

// Gives a name to a file without one, to be renamed from.
absl::Status OutputFile::GiveHiddenName() {
  // The name must never be seen without the lock.
  if (flock(fd(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return NoFreeName(path_);
  const std::string self = DescriptorPath(fd());
  for (int i = 0; i < kHiddenNames; ++i) {
    const std::string name = HiddenName(path_, i);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return absl::OkStatus();
    }
    if (errno != EEXIST) return ErrnoStatus(errno, "cannot write");
  }
  return NoFreeName(path_);
}

// Puts the finished file under its final name.
absl::Status OutputFile::GiveName() {
  if (temporary_.empty()) {
    const std::string self = DescriptorPath(fd());
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return absl::OkStatus();
    }
    if (errno != EEXIST || !options_.replace) return ErrnoStatus(errno, "cannot write");
    // A link replaces nothing, a rename does.
    OH_RETURN_IF_ERROR(GiveHiddenName());
  }
  // Without leave to replace, refuse even a file that somebody made meanwhile.
  const unsigned flags = options_.replace ? 0 : RENAME_NOREPLACE;
  int result = renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
    // A file system without that kind of rename; a link refuses as well.
    result = options_.replace ? rename(temporary_.c_str(), path_.c_str())
                              : link(temporary_.c_str(), path_.c_str());
    if (result == 0 && !options_.replace) unlink(temporary_.c_str());
  }
  if (result != 0) return ErrnoStatus(errno, "cannot write");
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Sync() {
  while (options_.sync && fsync(fd()) != 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "cannot write to the disk");
  }
  return absl::OkStatus();
}

absl::Status OutputFile::SyncFolder() const {
  if (!options_.sync) return absl::OkStatus();
  UniqueFd folder(open(DirectoryOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that cannot be opened for reading cannot be synced; the file itself is safe.
  while (folder.valid() && fsync(folder.get()) != 0 && errno != EINVAL) {
    if (errno != EINTR) return ErrnoStatus(errno, "cannot write the folder to the disk");
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
      for (size_t k = 0; k < i; ++k) {
        if (!order[k]->replaces_) unlink(order[k]->path_.c_str());
      }
      if (order.size() == 1) return status;
      return absl::Status(status.code(), absl::StrCat(order[i]->path_, ": ", status.message()));
    }
  }
  std::string synced;
  for (OutputFile* file : files) {
    const std::string folder = DirectoryOf(file->path_);
    if (folder != synced) OH_RETURN_IF_ERROR(file->SyncFolder());
    synced = folder;
    file->fd_.Reset();
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
