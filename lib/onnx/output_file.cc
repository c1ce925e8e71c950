#include "lib/onnx/output_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

constexpr int kMostLinks = 40;  // as the kernel allows
constexpr int kNameTries = 100;

std::string NameOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string HiddenName(const std::string& path) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
    random = static_cast<uint64_t>(getpid());
  }
  // File names end at 255 bytes; the part that says whose it is may be cut.
  return absl::StrCat(DirectoryOf(path), "/.", NameOf(path).substr(0, 200), ".onnx-hier-",
                      absl::Hex(random, absl::kZeroPad16));
}

std::string DescriptorPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

}  // namespace

absl::StatusOr<std::string> ResolveOutputPath(const std::string& path) {
  std::string current = path;
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t n = readlink(current.c_str(), target, sizeof(target));
    if (n < 0) return current;
    const std::string text(target, static_cast<size_t>(n));
    current = text[0] == '/' ? text : absl::StrCat(DirectoryOf(current), "/", text);
  }
  return ErrnoStatus(ELOOP, "cannot write");
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, const Options& options) {
  OutputFile file;
  file.options_ = options;
  OH_ASSIGN_OR_RETURN(file.path_, ResolveOutputPath(path));
  mode_t mode = options.mode & 0777;
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
    OH_RETURN_IF_ERROR(file.OpenTemporary(old.st_mode & 0777));
    // Keep mode and owner; only the superuser can give a file away, so a refusal is no error.
    fchmod(file.fd(), old.st_mode & 07777);
    if (fchown(file.fd(), old.st_uid, old.st_gid) != 0) fchmod(file.fd(), old.st_mode & 0777);
    return file;
  }
  OH_RETURN_IF_ERROR(file.OpenTemporary(mode));
  return file;
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  path_.swap(other.path_);
  temporary_.swap(other.temporary_);
  std::swap(options_, other.options_);
  std::swap(fd_, other.fd_);
  return *this;
}

absl::Status OutputFile::OpenTemporary(mode_t mode) {
  const std::string folder = DirectoryOf(path_);
  fd_ = UniqueFd(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (fd_.valid()) {
    // A name can only be given to it by way of /proc.
    if (access(DescriptorPath(fd_.get()).c_str(), F_OK) == 0) return absl::OkStatus();
    fd_.Reset();
  }
  for (int i = 0; i < kNameTries; ++i) {
    const std::string name = HiddenName(path_);
    fd_ = UniqueFd(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (fd_.valid()) {
      temporary_ = name;
      return absl::OkStatus();
    }
    if (errno != EEXIST) {
      return ErrnoStatus(errno, absl::StrCat("cannot write in folder ", folder));
    }
  }
  return absl::UnavailableError(absl::StrCat("cannot find a free name in folder ", folder));
}

OutputFile::~OutputFile() {
  if (fd_.valid() && !temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status OutputFile::Reserve(uint64_t size) {
  if (size == 0) return absl::OkStatus();
  while (fallocate(fd(), 0, 0, static_cast<off_t>(size)) != 0) {
    if (errno == EINTR) continue;
    // Not every file system can reserve; then the writes themselves find out.
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return absl::OkStatus();
    return ErrnoStatus(errno, absl::StrCat("cannot reserve ", size, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Append(absl::string_view bytes) {
  return WriteFully(fd(), bytes.data(), bytes.size());
}

// Puts the finished file under its final name.
absl::Status OutputFile::GiveName() {
  if (temporary_.empty()) {
    const std::string self = DescriptorPath(fd());
    const auto link_as = [&self](const std::string& name) {
      return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(path_)) return absl::OkStatus();
    if (errno != EEXIST || !options_.replace) return ErrnoStatus(errno, "cannot write");
    // A link replaces nothing, a rename does.
    const std::string hidden = HiddenName(path_);
    if (!link_as(hidden)) return ErrnoStatus(errno, "cannot write");
    temporary_ = hidden;
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
  if (options_.sync && fsync(fd()) != 0) return ErrnoStatus(errno, "cannot write to the disk");
  return absl::OkStatus();
}

absl::Status OutputFile::SyncFolder() const {
  if (!options_.sync) return absl::OkStatus();
  UniqueFd folder(open(DirectoryOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that cannot be opened for reading cannot be synced; the file itself is safe.
  if (folder.valid() && fsync(folder.get()) != 0 && errno != EINVAL) {
    return ErrnoStatus(errno, "cannot write the folder to the disk");
  }
  return absl::OkStatus();
}

absl::Status OutputFile::CommitAll(absl::Span<OutputFile* const> files) {
  for (const OutputFile* file : files) {
    if (file->options_.sync) StartWriteBack(file->fd());
  }
  for (OutputFile* file : files) OH_RETURN_IF_ERROR(file->Sync());
  for (OutputFile* file : files) OH_RETURN_IF_ERROR(file->GiveName());
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
