// SPDX-License-Identifier: Apache-2.0

// A file that appears complete or not at all.
//
//   OutputFile file = *OutputFile::Create("out.onnx", {.replace = false, .mode = 0644});
//   file.Reserve(size);            // a full disk is an error here, before anything is written
//   file.Append("...");
//   file.Commit();                 // synced to disk, then visible under its name
//
// Without Commit() nothing is left behind. The bytes are written beside their final place, into
// a file without a name where the file system has such files (then even a killed process leaves
// nothing), else into one in a hidden folder (work_folder.h), which Create() for the same path
// removes when its process was killed.
#ifndef ONNX_HIER_LIB_FILES_OUTPUT_FILE_H_
#define ONNX_HIER_LIB_FILES_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/files/block_sharing.h"
#include "lib/files/file_status.h"
#include "lib/files/open_folders.h"
#include "lib/files/posix_io.h"
#include "lib/files/work_folder.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

class OutputFile : public ByteSink {
 public:
  struct Options {
    bool replace = false;  // an existing file gives way; else it is an error
    bool sync = true;      // wait until the bytes are on the disk
    uint32_t mode = 0666;  // of a new file, less the umask
    // The output is made from the file whose place it takes: only this version of it gives way. One
    // that another program has put there meanwhile stays, and is an error (kAborted).
    std::optional<FileIdentity> instead_of;
  };

  // A symbolic link at `path` is followed: the file it points to is what is made or replaced. A
  // replaced file's mode, owner, access control list and extended attributes are kept.
  static absl::StatusOr<OutputFile> Create(const std::string& path, const Options& options);
  // The same where the place was looked up just now.
  static absl::StatusOr<OutputFile> Create(const OutputPlace& place, const Options& options);
  // The same for the file of that path in its folder, which is open, wherever that is now. A
  // symbolic link of its name is an error.
  static absl::StatusOr<OutputFile> CreateIn(UniqueFd folder, const std::string& path,
                                             const Options& options);

  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  // Swaps, so that each descriptor stays with the name that has to go with it.
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile() override = default;

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  // What the file that is replaced had and the new one lacks, in words for people.
  const std::vector<std::string>& losses() const { return losses_; }

  // Of a file that is of no use without this one; committed with it, and not moved until then.
  void SetReader(const OutputFile& reader) { reader_ = &reader; }

  // Of the new file, as it is now.
  absl::StatusOr<FileIdentity> Identity() const;

  // Room for a file of `size` bytes, but for what shares the room of another file.
  absl::Status Reserve(uint64_t size, const std::vector<SharedSpan>& shared = {});
  absl::Status Append(absl::string_view bytes) override;
  // Syncs, gives the file its name, and syncs the folder.
  absl::Status Commit() { return CommitAll({this}); }
  // The same for files that belong together: no name is given before all are on the disk, and
  // the wait for the disk is one for all, not one after the other. If one cannot have its name,
  // or a folder cannot be synced, new files lose theirs again; a file that was replaced before the
  // failure stays replaced, and so does what it reads.
  static absl::Status CommitAll(absl::Span<OutputFile* const> files);

 private:
  OutputFile() = default;
  // `old` is what has its name now.
  static absl::StatusOr<OutputFile> CreateIn(std::shared_ptr<OpenFolder> folder,
                                             const std::string& path,
                                             const std::optional<FileStatus>& old,
                                             const Options& options);
  absl::Status OpenFor(const FileStatus& old);
  absl::Status OpenTemporary(uint32_t mode);
  absl::Status MakeWorkFolder();
  absl::Status ReserveRange(uint64_t begin, uint64_t end);
  absl::Status Sync();
  absl::Status GiveTemporaryName();
  absl::Status GiveName();
  absl::Status TakePlace();
  absl::Status TakePlaceOf(const FileIdentity& old);
  bool ChangePlaces() const;
  absl::Status SwapInto(const FileIdentity& old, bool& swapped);
  bool LoseName();
  void RemoveWorkFolder();
  static absl::Status SyncFolders(absl::Span<OutputFile* const> files);
  // Takes new files back; says of those that stay, behind `why`.
  static absl::Status TakeBack(absl::Span<OutputFile* const> files, const absl::Status& why);

  std::string path_;  // with symbolic links resolved
  std::shared_ptr<OpenFolder> folder_;
  std::string name_;  // in the folder
  std::unique_ptr<WorkFolder>
      work_;               // where the file has a name while it is written, if it has one
  bool replaces_ = false;  // a file of this name was there at the start
  Options options_;
  UniqueFd fd_;
  std::vector<std::string> losses_;
  const OutputFile* reader_ = nullptr;
};

// A pipe or other open stream; stays open.
class StreamSink : public ByteSink {
 public:
  explicit StreamSink(int fd) : fd_(fd) {}
  absl::Status Append(absl::string_view bytes) override {
    return WriteFully(fd_, bytes.data(), bytes.size());
  }

 private:
  int fd_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_OUTPUT_FILE_H_
