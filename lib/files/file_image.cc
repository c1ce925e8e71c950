// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_image.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_copier.h"
#include "lib/files/posix_io.h"
#include "lib/files/system.h"
#include "onnx_hier_program/missing_file.h"

namespace onnx_hier {
namespace {

// The first read takes in a small model whole. After a jump over weights only the next header is
// wanted, and one page holds it; reading that goes on straight doubles up to the largest.
constexpr uint64_t kFirstRead = 64 << 10;
constexpr uint64_t kReadAfterJump = 4 << 10;
constexpr uint64_t kLargestRead = 1 << 20;
// Reading on through a short gap costs less than another system call.
constexpr uint64_t kShortGap = 16 << 10;
// A source may be far away: what lies so near is read along.
constexpr uint64_t kSourceGap = 64 << 10;
// Of a new file, as far as the umask lets it.
constexpr uint32_t kAnyFile = 0666;

// A fixed folder: which files are touched must not depend on the environment. /var/tmp is the one
// meant for large files.
absl::StatusOr<UniqueFd> NewTemporaryFile() {
  const UniqueFd folder(open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd file = OpenUnnamed(folder.get(), 0600);
  if (file.valid()) return file;
  std::string name = "/var/tmp/onnx-hier-XXXXXX";
  file = UniqueFd(mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) return ErrnoStatus(errno, "cannot make a temporary file in /var/tmp");
  unlink(name.c_str());
  return file;
}

absl::StatusOr<UniqueFd> NewMemoryFile() {
  UniqueFd file = OpenInMemory();
  if (!file.valid() && IsUnsupported(errno)) return NewTemporaryFile();
  if (!file.valid()) return ErrnoStatus(errno, "cannot make a file in memory");
  return file;
}

// Of a source, or else of a file.
absl::Status ReadFrom(int fd, ByteSource* source, char* out, uint64_t size, uint64_t offset) {
  return source == nullptr ? ReadFully(fd, out, size, offset) : source->ReadAt(out, size, offset);
}

}  // namespace

// The bytes behind the window.
struct FileImage::Ahead {
  Ahead(const FileImage& image, uint64_t from, uint64_t to)
      : begin(from),
        end(to),
        // Not the image itself, which may move.
        task(/*parallel=*/true,
             [this, fd = image.fd_, source = image.source_.get(), data = image.mapping_.get()] {
               status = ReadFrom(fd, source, data + begin, end - begin, begin);
             }) {}

  const uint64_t begin;
  const uint64_t end;
  absl::Status status;
  SideTask task;
};

FileImage::FileImage() = default;
FileImage::FileImage(FileImage&& other) noexcept { Swap(other); }

FileImage& FileImage::operator=(FileImage&& other) noexcept {
  Swap(other);
  return *this;
}

FileImage::~FileImage() {
  ahead_.reset();
  if (fd_ >= 0) close(fd_);
}

void FileImage::Swap(FileImage& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(source_, other.source_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(identity_, other.identity_);
  std::swap(mode_, other.mode_);
  std::swap(loaded_, other.loaded_);
  std::swap(there_, other.there_);
  std::swap(window_begin_, other.window_begin_);
  std::swap(window_end_, other.window_end_);
  std::swap(next_read_, other.next_read_);
  std::swap(reads_ahead_, other.reads_ahead_);
  std::swap(ahead_, other.ahead_);
}

absl::StatusOr<FileImage> FileImage::Open(const std::string& path) {
  // O_NONBLOCK: a named pipe must be refused, not waited for.
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return CannotOpen(path, "cannot open", errno);
  OH_ASSIGN_OR_RETURN(const FileStatus status, Inspect(fd.get()));
  if (status.kind == FileStatus::Kind::kFolder) return IsNoModelButFolder(path);
  if (!status.is_regular()) {
    return absl::InvalidArgumentError(
        "is not a regular file; give '-' to read a model from standard input");
  }
  return FromDescriptor(fd.release(), status);
}

absl::StatusOr<FileImage> FileImage::FromStream(int fd, const std::atomic<bool>* cancel) {
  // What is made from it is as its writer wants it.
  return FromUnnamed(
      [&](int copy) -> absl::Status {
        const ChunkBuffer buffer = NewChunk();
        for (;;) {
          OH_ASSIGN_OR_RETURN(const uint64_t n, ReadStream(fd, buffer.get(), kCopyChunk, cancel));
          if (n == 0) return absl::OkStatus();
          OH_RETURN_IF_ERROR(WriteFully(copy, buffer.get(), n));
        }
      },
      kAnyFile);
}

absl::StatusOr<FileImage> FileImage::FromUnnamed(absl::FunctionRef<absl::Status(int)> fill,
                                                 uint32_t mode, Unnamed where) {
  OH_ASSIGN_OR_RETURN(UniqueFd file,
                      where == Unnamed::kInMemory ? NewMemoryFile() : NewTemporaryFile());
  OH_RETURN_IF_ERROR(fill(file.get()));
  OH_ASSIGN_OR_RETURN(FileStatus status, Inspect(file.get()));
  status.mode = mode;
  return FromDescriptor(file.release(), status);
}

FileImage FileImage::FromBytes(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const absl::string_view view = *owner;
  return OfBytes(std::move(owner), view);
}

FileImage FileImage::FromMemory(absl::string_view bytes) { return OfBytes(nullptr, bytes); }

FileImage FileImage::OfBytes(std::shared_ptr<const std::string> owner, absl::string_view bytes) {
  FileImage image;
  image.bytes_ = std::move(owner);
  // Of no bytes, too: what has no file is told by them.
  image.data_ = bytes.empty() ? "" : bytes.data();
  image.size_ = image.window_end_ = bytes.size();
  image.mode_ = kAnyFile;
  return image;
}

absl::StatusOr<FileImage> FileImage::Again() const {
  if (in_memory()) return OfBytes(bytes_, Text(0, size_));
  OH_RETURN_IF_ERROR(VerifyUnchanged());
  FileImage again;
  if (fd_ >= 0) {
    again.fd_ = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (again.fd_ < 0) return ErrnoStatus(errno, "cannot open once more");
  }
  again.source_ = source_;
  again.mapping_ = mapping_;
  again.data_ = data_;
  again.size_ = size_;
  again.identity_ = identity_;
  again.mode_ = mode_;
  again.next_read_ = kFirstRead;
  again.there_ = Loaded();
  return again;
}

absl::StatusOr<FileImage> FileImage::FromDescriptor(int fd, const FileStatus& status) {
  FileImage image;
  image.fd_ = fd;
  image.identity_ = status.identity;
  image.mode_ = status.mode;
  image.size_ = image.identity_.size;
  OH_RETURN_IF_ERROR(image.Map());
  return image;
}

absl::StatusOr<FileImage> FileImage::FromSource(std::shared_ptr<ByteSource> source) {
  FileImage image;
  image.size_ = source->size();
  image.source_ = std::move(source);
  image.mode_ = kAnyFile;
  OH_RETURN_IF_ERROR(image.Map());
  return image;
}

absl::Status FileImage::Map() {
  next_read_ = kFirstRead;
  if (size_ == 0) return absl::OkStatus();
  char* const reserved = ReserveAddresses(size_);
  if (reserved == nullptr && errno == EFBIG) {
    return absl::OutOfRangeError(
        "the file is too large for a 32-bit build, which reads at most 2 GiB; use a 64-bit one, "
        "or put the weights into a data file");
  }
  if (reserved == nullptr) return ErrnoStatus(errno, "cannot reserve address space for the file");
  mapping_.reset(reserved, [size = size_](char* begin) { ReleaseAddresses(begin, size); });
  data_ = reserved;
  return absl::OkStatus();
}

absl::Status FileImage::ReadAt(char* out, uint64_t size, uint64_t offset) const {
  return ReadFrom(fd_, source_.get(), out, size, offset);
}

absl::Status FileImage::Load(uint64_t begin, uint64_t end) {
  if (begin < window_begin_ || end > size_) {
    return absl::InternalError("the file's image was asked for a range out of order");
  }
  TakeReadAhead();
  if (begin > window_end_ + (source_ == nullptr ? kShortGap : kSourceGap)) {
    loaded_.push_back({window_begin_, window_end_});
    window_begin_ = window_end_ = begin;
    next_read_ = source_ == nullptr ? kReadAfterJump : kSourceGap;
  }
  if (end > window_end_) {
    const uint64_t stop = std::min(size_, std::max(end, window_end_ + next_read_));
    ReadIntoHugePage();
    OH_RETURN_IF_ERROR(ReadMissing(stop));
  }
  if (next_read_ == kLargestRead && reads_ahead_) ReadOn();
  next_read_ = std::min(next_read_ * 2, kLargestRead);
  return absl::OkStatus();
}

// Makes the window reach to `end`, or as far on as the bytes are there already.
absl::Status FileImage::ReadMissing(uint64_t end) {
  auto next = std::upper_bound(there_.begin(), there_.end(), window_end_,
                               [](uint64_t at, const Interval& i) { return at < i.end; });
  while (window_end_ < end) {
    const bool is_there = next != there_.end() && next->begin <= window_end_;
    if (is_there) {
      window_end_ = next++->end;
      continue;
    }
    const uint64_t stop = next == there_.end() ? end : std::min(end, next->begin);
    OH_RETURN_IF_ERROR(ReadAt(mapping_.get() + window_end_, stop - window_end_, window_end_));
    window_end_ = stop;
  }
  return absl::OkStatus();
}

void FileImage::ReadIntoHugePage() {
  if (next_read_ < kLargestRead) return;
  // Advice only: where the kernel has no huge pages to give, the read works all the same.
  const uint64_t huge = (window_end_ + kHugePage - 1) & ~(kHugePage - 1);
  if (huge + kHugePage <= size_) AskForHugePage(mapping_.get() + huge);
}

void FileImage::ReadOn() {
  const uint64_t stop = std::min(size_, window_end_ + kLargestRead);
  if (stop == window_end_) return;
  ReadIntoHugePage();
  ahead_ = std::make_unique<Ahead>(*this, window_end_, stop);
}

// What could not be read ahead is read again when it is wanted, and the error told then.
void FileImage::TakeReadAhead() {
  if (ahead_ == nullptr) return;
  ahead_->task.Finish();
  if (ahead_->status.ok()) window_end_ = ahead_->end;
  ahead_.reset();
}

void FileImage::StopReadingAhead() {
  TakeReadAhead();
  reads_ahead_ = false;
}

FileImage::Interval FileImage::LoadedAt(uint64_t begin) const {
  if (begin >= window_begin_) return {window_begin_, window_end_};
  const auto after = std::upper_bound(loaded_.begin(), loaded_.end(), begin,
                                      [](uint64_t at, const Interval& i) { return at < i.begin; });
  return after == loaded_.begin() ? Interval{begin, begin} : *std::prev(after);
}

std::vector<FileImage::Interval> FileImage::Loaded() const {
  std::vector<Interval> all = loaded_;
  all.push_back({window_begin_, window_end_});
  return all;
}

std::vector<FileImage::Interval> FileImage::NotLoaded() const {
  std::vector<Interval> gaps;
  uint64_t end = 0;
  for (const Interval& loaded : Loaded()) {
    if (loaded.begin > end) gaps.push_back({end, loaded.begin});
    end = loaded.end;
  }
  if (end < size_) gaps.push_back({end, size_});
  return gaps;
}

absl::Status FileImage::VerifyUnchanged() const {
  if (fd_ < 0) return absl::OkStatus();
  OH_ASSIGN_OR_RETURN(const FileStatus now, Inspect(fd_));
  if (!now.identity.IsSameVersion(identity_)) {
    return absl::AbortedError("the file was changed by another program while it was read");
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
