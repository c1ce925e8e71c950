// A file that appears complete or not at all.
//
//   OutputFile file = *OutputFile::Create("out.onnx", {.replace = false, .mode = 0644});
//   file.Reserve(size);            // a full disk is an error here, before anything is written
//   file.Append("...");
//   file.Commit();                 // synced to disk, then visible under its name
//
// Without Commit() nothing is left behind. The bytes are written beside their final place, into
// a file without a name where the file system has such files (then even a killed process leaves
// nothing), else into a hidden one. A process holds a lock on its hidden file; one that nobody
// holds was left by a process that was killed, and Create() for the same path removes it.
#ifndef ONNX_HIER_LIB_ONNX_OUTPUT_FILE_H_
#define ONNX_HIER_LIB_ONNX_OUTPUT_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/byte_sink.h"
#include "lib/onnx/block_sharing.h"
#include "lib/onnx/posix_io.h"

namespace onnx_hier {

class OutputFile : public ByteSink {
 public:
  struct Options {
    bool replace = false;  // an existing file gives way; else it is an error
    bool sync = true;      // wait until the bytes are on the disk
    mode_t mode = 0666;    // of a new file, less the umask; a replaced file's own mode is kept
  };

  // A symbolic link at `path` is followed: the file it points to is what is made or replaced.
  static absl::StatusOr<OutputFile> Create(const std::string& path, const Options& options);

  OutputFile(OutputFile&& other) noexcept = default;
  // Swaps, so that each descriptor stays with the name that has to go with it.
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile() override;

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

  // Room for a file of `size` bytes, but for what shares the room of another file.
  absl::Status Reserve(uint64_t size, const std::vector<SharedSpan>& shared = {});
  absl::Status Append(absl::string_view bytes) override;
  // Syncs, gives the file its name, and syncs the folder.
  absl::Status Commit() { return CommitAll({this}); }
  // The same for files that belong together: no name is given before all are on the disk, and
  // the wait for the disk is one for all, not one after the other. If one cannot have its name,
  // new files lose theirs again; a file that was replaced before the failure stays replaced.
  static absl::Status CommitAll(absl::Span<OutputFile* const> files);

 private:
  OutputFile() = default;
  absl::Status OpenTemporary(mode_t mode);
  absl::Status ReserveRange(uint64_t begin, uint64_t end);
  absl::Status Sync();
  absl::Status OpenHidden(mode_t mode);
  absl::Status GiveHiddenName();
  absl::Status GiveName();
  absl::Status SyncFolder() const;

  std::string path_;       // with symbolic links resolved
  std::string temporary_;  // name of the file while it is written; empty: it has none
  bool replaces_ = false;  // a file of this name was there at the start
  Options options_;
  UniqueFd fd_;
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

#endif  // ONNX_HIER_LIB_ONNX_OUTPUT_FILE_H_
