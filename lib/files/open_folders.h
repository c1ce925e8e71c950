// SPDX-License-Identifier: Apache-2.0

// Folders that outputs go into. A file system far away is asked about each of them once, and once
// about each output.
//
//   OpenFolders folders;   // of one output, or of a run that writes thousands
//   const OutputPlace place = *folders.Find("out/bert.onnx");
//   place.folder;          // the same one for all outputs in "out"
#ifndef ONNX_HIER_LIB_FILES_OPEN_FOLDERS_H_
#define ONNX_HIER_LIB_FILES_OPEN_FOLDERS_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/files/file_place.h"
#include "lib/files/file_status.h"
#include "lib/files/posix_io.h"
#include "lib/files/work_folder.h"

namespace onnx_hier {

// From any thread.
class OpenFolder {
 public:
  explicit OpenFolder(UniqueFd fd) : fd_(std::move(fd)) {}
  // Errors of OpenTopFolder().
  static absl::StatusOr<std::shared_ptr<OpenFolder>> Open(const std::string& path);

  int fd() const { return fd_.get(); }
  // Removes what killed runs left in it for an output of that name.
  void RemoveLitterOf(const std::string& name);
  // Waits until the names that its files have are on the disk: one wait for all who ask meanwhile.
  absl::Status Sync();

 private:
  absl::Status SyncNow() const;

  const UniqueFd fd_;
  std::mutex mutex_;
  std::optional<Litter> litter_;  // once it was asked for
  std::condition_variable synced_;
  bool is_syncing_ = false;
  uint64_t syncs_asked_ = 0;  // counts calls
  uint64_t syncs_done_ = 0;   // calls up to this one have their answer
  absl::Status sync_error_;   // stays: what was lost then is not on the disk later either
};

// Where writing to a path would really go.
struct OutputPlace {
  std::string target;  // as of ResolveOutputPath()
  FilePlace place;
  std::shared_ptr<OpenFolder> folder;  // of the target; null: it cannot be opened
  std::optional<FileStatus> there;     // what has its name now
};

class OpenFolders {
 public:
  // From any thread. kUnavailable: symbolic links lead in a circle.
  absl::StatusOr<OutputPlace> Find(const std::string& path);

 private:
  struct Known {
    std::shared_ptr<OpenFolder> folder;
    FileIdentity identity;
  };
  // None: it cannot be opened.
  std::optional<Known> FolderOf(const std::string& path);

  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by path, as it is spelled
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_OPEN_FOLDERS_H_
