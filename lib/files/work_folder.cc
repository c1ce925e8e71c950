// SPDX-License-Identifier: Apache-2.0
#include "lib/files/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_status.h"
#include "lib/files/system.h"

namespace onnx_hier {
namespace {

// How many runs may write the same output at once by way of such folders.
constexpr int kFolders = 100;
// How many of these are looked at for litter: few runs are killed together.
constexpr int kLitterFolders = 4;
// How many names of a folder are looked through: a few answers of the system.
constexpr size_t kMostNames = 4096;
constexpr absl::string_view kMark = ".onnx-hier-";

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::string FolderName(const std::string& name, int number) {
  // File names end at 255 bytes; the part that says whose it is may be cut.
  return absl::StrCat(".", name.substr(0, 200), kMark, number);
}

std::string PartName(uint64_t folder) { return absl::StrCat("part-", absl::Hex(folder)); }

std::string SwapName(uint64_t folder, uint64_t old_file, uint64_t new_file) {
  return absl::StrCat("swap-", absl::Hex(folder), "-", absl::Hex(old_file), "-",
                      absl::Hex(new_file));
}

UniqueFd OpenFolderIn(int parent, const std::string& name) {
  return UniqueFd(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Marks a folder as in use by this process for as long as it is open. None if somebody is about
// to remove it. A file system without locks gives none, and then nobody removes anything.
std::optional<FileStatus> LockFolder(int fd) {
  if (Lock(fd) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  std::optional<FileStatus> status = StatusOf(fd);
  if (status.has_value() && status->names == 0) status.reset();
  return status;
}

// Whether `name`, in the folder with the number `folder`, can only have been given by a run to the
// file that bears it.
bool IsOurs(const std::string& name, uint64_t folder, const FileStatus& file) {
  if (!file.is_regular()) return false;
  if (name == PartName(folder)) return true;
  // Beside the two that the name tells of, a version that somebody else wrote may have got here.
  const std::string before = absl::StrCat("swap-", absl::Hex(folder), "-");
  const std::string number = absl::StrCat(absl::Hex(file.identity.inode));
  const size_t dash = name.rfind('-');
  return name.compare(0, before.size(), before) == 0 && dash >= before.size() &&
         (name.substr(dash + 1) == number ||
          name.substr(before.size(), dash - before.size()) == number);
}

using Names = std::vector<std::string>;

// None: it cannot be read, or there are more.
std::optional<Names> NamesIn(int folder, size_t most) {
  UniqueFd again = OpenFolderIn(folder, ".");  // a duplicate would go on where another stopped
  const std::unique_ptr<DIR, CloseFolder> opened(again.valid() ? fdopendir(again.get()) : nullptr);
  if (opened == nullptr) return std::nullopt;
  again.release();  // goes with `opened`
  Names names;
  errno = 0;
  while (const dirent* entry = readdir(opened.get())) {
    if (names.size() == most) return std::nullopt;
    names.emplace_back(entry->d_name);
  }
  if (errno != 0) return std::nullopt;
  return names;
}

// Removes a folder that no living run holds, with what is provably litter in it. False: it is still
// there, and nobody is at work in it.
bool RemoveUnheld(int parent, const std::string& folder_name) {
  const UniqueFd folder = OpenFolderIn(parent, folder_name);
  if (!folder.valid()) return errno == ENOENT;
  if (Lock(folder.get()) != 0) return errno == EWOULDBLOCK;
  const std::optional<FileStatus> held = StatusOf(folder.get());
  if (!held.has_value()) return false;
  // One without a name is gone, and the name may be that of another run's by now.
  if (held->names == 0) return true;
  if (held->owner != geteuid() && geteuid() != 0) return false;
  for (const std::string& file_name : NamesIn(folder.get(), kMostNames).value_or(Names())) {
    const std::optional<FileStatus> file = StatusIn(folder.get(), file_name);
    if (file.has_value() && IsOurs(file_name, held->identity.inode, *file)) {
      RemoveFile(folder.get(), file_name);
    }
  }
  // Does nothing where something is left in it.
  return RemoveFolder(parent, folder_name) || errno == ENOENT;
}

}  // namespace

Litter::Litter(int parent) : parent_(parent) {
  const std::optional<Names> found = NamesIn(parent, kMostNames);
  if (!found.has_value()) return;
  names_.emplace();
  for (const std::string& name : *found) {
    if (absl::StrContains(name, kMark)) names_->insert(name);
  }
}

void Litter::RemoveOf(const std::string& name) const {
  for (int i = 0; i < kLitterFolders; ++i) {
    const std::string folder = FolderName(name, i);
    if (!names_.has_value() || names_->contains(folder)) RemoveUnheld(parent_, folder);
  }
}

absl::StatusOr<WorkFolder> WorkFolder::Make(int parent, const std::string& name) {
  WorkFolder folder;
  folder.parent_ = parent;
  for (int i = 0; i < kFolders; ++i) {
    const std::string folder_name = FolderName(name, i);
    if (mkdirat(parent, folder_name.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return ErrnoStatus(errno, "");
    }
    folder.fd_ = OpenFolderIn(parent, folder_name);
    if (!folder.fd_.valid()) {
      const int error_number = errno;
      RemoveFolder(parent, folder_name);
      if (error_number == ENOENT) continue;
      return ErrnoStatus(error_number, "");
    }
    // Another run may take it for litter until it is locked, and then its name is no longer ours.
    const std::optional<FileStatus> status = LockFolder(folder.fd());
    if (!status.has_value()) {
      folder.given_up_.push_back(folder_name);
      continue;
    }
    folder.name_ = folder_name;
    folder.inode_ = status->identity.inode;
    folder.file_name_ = PartName(folder.inode_);
    return folder;
  }
  return absl::UnavailableError("all names for a hidden folder are taken");
}

WorkFolder& WorkFolder::operator=(WorkFolder&& other) noexcept {
  std::swap(parent_, other.parent_);
  name_.swap(other.name_);
  file_name_.swap(other.file_name_);
  given_up_.swap(other.given_up_);
  std::swap(inode_, other.inode_);
  std::swap(fd_, other.fd_);
  return *this;
}

WorkFolder::~WorkFolder() { Remove(); }

std::string WorkFolder::Remove() {
  std::string left;
  if (!name_.empty()) {
    if (fd_.valid()) RemoveFile(fd(), file_name_);
    if (!RemoveFolder(parent_, name_) && errno != ENOENT) left = name_;
    name_.clear();
  }
  fd_.Reset();
  for (const std::string& name : std::exchange(given_up_, {})) {
    if (!RemoveUnheld(parent_, name)) left = name;
  }
  return left;
}

std::string WorkFolder::Abandon() {
  return absl::StrCat(std::exchange(name_, ""), "/", file_name_);
}

absl::Status WorkFolder::RenameForSwap(uint64_t old_file, uint64_t new_file) {
  const std::string name = SwapName(inode_, old_file, new_file);
  if (renameat(fd(), file_name_.c_str(), fd(), name.c_str()) != 0) {
    return ErrnoStatus(errno, "cannot write");
  }
  file_name_ = name;
  return absl::OkStatus();
}

}  // namespace onnx_hier
