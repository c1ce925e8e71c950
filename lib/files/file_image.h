// SPDX-License-Identifier: Apache-2.0

// The bytes of a file at their own offsets in memory, but only those that were asked for.
//
// The image is an anonymous mapping as large as the file, filled by pread() from front to back;
// parts that are skipped over (weights) are never read and take no memory. Unlike a mapping of
// the file itself it cannot raise SIGBUS when somebody truncates the file: a short read is an
// error like any other.
//
//   FileImage image = *FileImage::Open("m.onnx");
//   image.Require(0, 16);      // bytes 0..15 may now be read at image.data()
//   image.Require(5000, 5008); // 5000..5007 too; bytes between may not be there
#ifndef ONNX_HIER_LIB_FILES_FILE_IMAGE_H_
#define ONNX_HIER_LIB_FILES_FILE_IMAGE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_status.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

class FileImage {
 public:
  // Opens a regular file. Symbolic links are followed.
  static absl::StatusOr<FileImage> Open(const std::string& path);
  // Takes standard input (or another stream) whole, by way of an unnamed temporary file, so that
  // a large model does not have to fit into memory. kCancelled when `cancel` becomes true.
  static absl::StatusOr<FileImage> FromStream(int fd, const std::atomic<bool>* cancel = nullptr);
  // What `fill` writes into an unnamed temporary file, which is nobody else's to read; copies of
  // the image have `mode` at most. One in memory needs no folder; holes in it take none.
  enum class Unnamed { kOnDisk, kInMemory };
  static absl::StatusOr<FileImage> FromUnnamed(absl::FunctionRef<absl::Status(int fd)> fill,
                                               uint32_t mode, Unnamed where = Unnamed::kOnDisk);
  // Bytes that are in memory already: all of them are readable, in any order.
  static FileImage FromBytes(std::string bytes);
  // The same, of bytes that outlive the image.
  static FileImage FromMemory(absl::string_view bytes);
  // Bytes that are read one piece after the other, as those of a file.
  static absl::StatusOr<FileImage> FromSource(std::shared_ptr<ByteSource> source);
  // The same bytes once more, to be walked from the start again: what this one has loaded is read
  // no second time, and lies in the same place. An error if the file was changed. This one must not
  // load anything while the other one does.
  absl::StatusOr<FileImage> Again() const;

  FileImage(FileImage&& other) noexcept;
  FileImage& operator=(FileImage&& other) noexcept;
  FileImage(const FileImage&) = delete;
  FileImage& operator=(const FileImage&) = delete;
  ~FileImage();

  const char* data() const { return data_; }
  uint64_t size() const { return size_; }
  int fd() const { return fd_; }  // -1 for bytes in memory and of a source
  // Whether all bytes are in memory.
  bool in_memory() const { return data_ != mapping_.get(); }
  // Reads bytes of a file or a source, whether or not they were loaded.
  absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) const;
  // Permissions that a copy of it should have at most; of a stream, what any new file has.
  uint32_t mode() const { return mode_; }
  // As it was at Open(); of bytes in memory, that of no file.
  const FileIdentity& identity() const { return identity_; }

  // Makes [begin, end) readable. Calls must go forward: a range that starts before an earlier one
  // must lie inside what was loaded for that one. end <= size().
  absl::Status Require(uint64_t begin, uint64_t end) {
    if (begin >= window_begin_ && end <= window_end_) return absl::OkStatus();
    return Load(begin, end);
  }
  // From now on a second thread reads on, where a file is read densely from front to back; or does
  // so no longer.
  void StartReadingAhead() { reads_ahead_ = true; }
  void StopReadingAhead();
  // How far the image is readable from the position of the last Require() on.
  uint64_t readable_end() const { return window_end_; }

  // Whether [begin, end) was loaded at any time, so that data() holds it.
  bool IsLoaded(uint64_t begin, uint64_t end) const { return end <= LoadedAt(begin).end; }
  struct Interval {
    uint64_t begin;
    uint64_t end;
  };
  // What was loaded in one piece and begins at or before `begin`; it may end before that.
  Interval LoadedAt(uint64_t begin) const;
  // What was not, in order: nobody asked for it.
  std::vector<Interval> NotLoaded() const;

  absl::string_view Text(uint64_t begin, uint64_t end) const {
    return absl::string_view(data_ + begin, end - begin);
  }

  // An error if the file's size or time of change is no longer what it was at Open().
  absl::Status VerifyUnchanged() const;

 private:
  FileImage();
  static absl::StatusOr<FileImage> FromDescriptor(int fd, const FileStatus& status);
  // Address space for all bytes.
  absl::Status Map();
  static FileImage OfBytes(std::shared_ptr<const std::string> owner, absl::string_view bytes);
  absl::Status Load(uint64_t begin, uint64_t end);
  absl::Status ReadMissing(uint64_t end);
  // All that was loaded, in order.
  std::vector<Interval> Loaded() const;
  void Swap(FileImage& other) noexcept;
  void ReadIntoHugePage();
  void ReadOn();
  void TakeReadAhead();

  int fd_ = -1;
  std::shared_ptr<ByteSource> source_;        // in place of a file
  std::shared_ptr<const std::string> bytes_;  // where data_ points to, if they are the image's own
  std::shared_ptr<char> mapping_;             // of a file
  const char* data_ = nullptr;                // the mapping, or bytes in memory
  uint64_t size_ = 0;
  FileIdentity identity_;
  uint32_t mode_ = 0;
  std::vector<Interval> loaded_;  // in order, all but the window
  std::vector<Interval> there_;   // in order, what lay in the mapping from the beginning
  uint64_t window_begin_ = 0;
  uint64_t window_end_ = 0;
  uint64_t next_read_ = 0;  // how much to read ahead; grows while reading goes straight on
  bool reads_ahead_ = false;
  struct Ahead;
  std::unique_ptr<Ahead> ahead_;  // what the second thread reads, or has read
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_IMAGE_H_
