// SPDX-License-Identifier: Apache-2.0

// A hidden folder beside an output, in which the output has a name while it is made.
//
//   .out.onnx.onnx-hier-0/part-8402b1         8402b1: the inode number of the folder itself
//   .out.onnx.onnx-hier-0/swap-8402b1-51-72   51, 72: those of the file before and of the new one
//
// It is made only where a file must have a name before it has its final one, and goes with the
// object. A process that is killed leaves it behind; the next run that writes the same output
// removes it. So that nothing else is ever removed, a file is named by what nobody can give it by
// accident, a copy by whatever tool does not keep, and the kernel makes in one step: the number of
// the folder that it is in. A living process holds a lock on its folder.
#ifndef ONNX_HIER_LIB_FILES_WORK_FOLDER_H_
#define ONNX_HIER_LIB_FILES_WORK_FOLDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {

// What killed runs may have left in a folder.
class Litter {
 public:
  // Looks through the open folder `parent`, which must outlive this; one of thousands of files is
  // asked about each name instead.
  explicit Litter(int parent);
  // Removes what is there for an output that is named `name`. What holds anything that is not
  // provably theirs stays.
  void RemoveOf(const std::string& name) const;

 private:
  int parent_;
  std::optional<std::set<std::string>> names_;  // that it may have; none: not known
};

class WorkFolder {
 public:
  // Makes one in the open folder `parent`, for an output that is named `name` there.
  // kUnavailable if all its names are taken.
  static absl::StatusOr<WorkFolder> Make(int parent, const std::string& name);

  // Swaps, so that each descriptor stays with the name that has to go with it.
  WorkFolder& operator=(WorkFolder&& other) noexcept;
  WorkFolder(WorkFolder&& other) noexcept { *this = std::move(other); }
  ~WorkFolder();

  int fd() const { return fd_.get(); }
  // The name, in this folder, of the file that is being made.
  const std::string& file_name() const { return file_name_; }
  // Gives it the name under which two files may lie here in turn: the new one, and the one whose
  // place it takes.
  absl::Status RenameForSwap(uint64_t old_file, uint64_t new_file);
  // Removes the folder with what is in it, before it goes by itself. The name of one that is still
  // there, or nothing.
  std::string Remove();
  // Leaves the folder with its file behind, and returns the file's path below the parent.
  std::string Abandon();

 private:
  WorkFolder() = default;

  int parent_ = -1;  // the caller's
  std::string name_;
  std::string file_name_;
  // Folders that it made and could not lock: somebody else's by now, or litter.
  std::vector<std::string> given_up_;
  uint64_t inode_ = 0;
  UniqueFd fd_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_WORK_FOLDER_H_
