// SPDX-License-Identifier: Apache-2.0
#include "lib/files/open_folders.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/files/inner_folder.h"

namespace onnx_hier {
namespace {

// How many are kept open. Outputs come folder by folder, as a rule.
constexpr size_t kMostOpenFolders = 64;

}  // namespace

absl::StatusOr<std::shared_ptr<OpenFolder>> OpenFolder::Open(const std::string& path) {
  OH_ASSIGN_OR_RETURN(UniqueFd fd, OpenTopFolder(path));
  return std::make_shared<OpenFolder>(std::move(fd));
}

void OpenFolder::RemoveLitterOf(const std::string& name) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!litter_.has_value()) litter_.emplace(fd());
  }
  litter_->RemoveOf(name);
}

absl::Status OpenFolder::SyncNow() const {
  // One that cannot be opened for reading cannot be synced; the files in it are safe.
  while (fsync(fd()) != 0 && errno != EINVAL && errno != EBADF) {
    if (errno != EINTR) return ErrnoStatus(errno, "cannot write the folder to the disk");
  }
  return absl::OkStatus();
}

absl::Status OpenFolder::Sync() {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t call = ++syncs_asked_;
  while (syncs_done_ < call) {
    if (is_syncing_) {
      synced_.wait(lock);
      continue;
    }
    is_syncing_ = true;
    const uint64_t answered = syncs_asked_;
    lock.unlock();
    const absl::Status status = SyncNow();
    lock.lock();
    is_syncing_ = false;
    syncs_done_ = answered;
    sync_error_.Update(status);
    synced_.notify_all();
  }
  return sync_error_;
}

absl::StatusOr<OutputPlace> OpenFolders::Find(const std::string& path) {
  OutputPlace found{.target = path, .place = {0, 0, path}, .folder = nullptr, .there = {}};
  std::optional<Known> known = FolderOf(DirectoryOf(path));
  if (known.has_value()) found.there = StatusIn(known->folder->fd(), FileNameOf(path));
  if (found.there.has_value() && found.there->kind == FileStatus::Kind::kLink) {
    OH_ASSIGN_OR_RETURN(found.target, ResolveOutputPath(path));
    known = FolderOf(DirectoryOf(found.target));
    found.place.name = found.target;
    found.there.reset();
    if (known.has_value()) found.there = StatusIn(known->folder->fd(), FileNameOf(found.target));
  }
  if (!known.has_value()) return found;
  found.folder = known->folder;
  found.place = found.there.has_value() ? PlaceOfFile(*found.there)
                                        : FilePlace{known->identity.device, known->identity.inode,
                                                    FileNameOf(found.target)};
  return found;
}

std::optional<OpenFolders::Known> OpenFolders::FolderOf(const std::string& path) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = known_.find(path); found != known_.end()) return found->second;
  }
  absl::StatusOr<std::shared_ptr<OpenFolder>> folder = OpenFolder::Open(path);
  if (!folder.ok()) return std::nullopt;
  const std::optional<FileStatus> status = StatusOf((*folder)->fd());
  if (!status.has_value()) return std::nullopt;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known_.size() >= kMostOpenFolders) known_.clear();
  // Another thread may have been faster.
  return known_.try_emplace(path, Known{*std::move(folder), status->identity}).first->second;
}

}  // namespace onnx_hier
