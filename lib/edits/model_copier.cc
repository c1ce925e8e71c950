// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/model_copier.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "lib/base/pen.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

// Gathers small pieces into aligned chunks, sends long spans of the input past the gathering, and
// steps over what is shared.
class Copier {
 public:
  // What it copies comes to stand at `at` and behind.
  Copier(const FileImage& image, const std::vector<SharedSpan>& shared, int fd, bool seekable,
         uint64_t at, const CopyOptions& options)
      : image_(image),
        shared_(shared.begin()),
        shared_end_(shared.end()),
        fd_(fd),
        seekable_(seekable),
        options_(options),
        buffer_(NewChunk()),
        flushed_(at) {}

  absl::Status Copy(const Splices& splices, const Splices::Part& part) {
    uint64_t from = part.from;
    OH_RETURN_IF_ERROR(splices.ForEachIn(part, [&](const Splice& splice) -> absl::Status {
      const uint64_t kept = from;
      from = splice.at + splice.remove;
      if (PutAtOnce(kept, splice)) return absl::OkStatus();
      OH_RETURN_IF_ERROR(PutSpan(kept, splice.at));
      OH_RETURN_IF_ERROR(Put(splice.insert));
      OH_RETURN_IF_ERROR(Put(splice.text));
      return PutBytes(splice.copied.begin, splice.copied.end);
    }));
    OH_RETURN_IF_ERROR(PutSpan(from, std::min(part.to, image_.size())));
    return Flush();
  }

 private:
  uint64_t position() const { return flushed_ + filled_; }
  // Room until the next multiple of a chunk in the output.
  uint64_t Room() const { return kCopyChunk - position() % kCopyChunk; }

  // What is kept from `from` on, and what comes in with `splice`: of most nodes it is at hand, and
  // small. False: nothing was done.
  bool PutAtOnce(uint64_t from, const Splice& splice) {
    const uint64_t size = splice.at - from + splice.insert.size() + splice.text.size();
    if (size >= Room() || shared_ != shared_end_ || splice.copied.begin != splice.copied.end ||
        !IsLoaded(from, splice.at)) {
      return false;
    }
    Pen(buffer_.get() + filled_)
        .Put(image_.Text(from, splice.at))
        .Put(splice.insert)
        .Put(splice.text);
    filled_ += size;
    return true;
  }

  // Asked from front to back: nearly always of what was found loaded before.
  bool IsLoaded(uint64_t from, uint64_t to) {
    if (from < loaded_.begin || to > loaded_.end) loaded_ = image_.LoadedAt(from);
    return from >= loaded_.begin && to <= loaded_.end;
  }

  absl::Status Put(absl::string_view bytes) {
    if (bytes.size() >= Room()) return PutOverEnd(bytes);
    filled_ += bytes.copy(buffer_.get() + filled_, bytes.size());
    return absl::OkStatus();
  }

  absl::Status PutOverEnd(absl::string_view bytes) {
    while (!bytes.empty()) {
      const uint64_t n = std::min<uint64_t>(bytes.size(), Room());
      std::memcpy(buffer_.get() + filled_, bytes.data(), n);
      bytes.remove_prefix(n);
      OH_RETURN_IF_ERROR(Filled(n));
    }
    return absl::OkStatus();
  }

  // The input's bytes [from, to).
  absl::Status PutSpan(uint64_t from, uint64_t to) {
    for (; shared_ != shared_end_ && shared_->from < to; ++shared_) {
      const uint64_t begin = std::max(from, shared_->from);
      const uint64_t end = std::min(to, shared_->from + shared_->length);
      if (begin >= end) continue;  // a splice took it away
      OH_RETURN_IF_ERROR(PutBytes(from, begin));
      OH_RETURN_IF_ERROR(Flush());
      Written(end - begin);
      from = end;
      if (end < shared_->from + shared_->length) break;
    }
    return PutBytes(from, to);
  }

  absl::Status PutBytes(uint64_t from, uint64_t to) {
    if (IsLoaded(from, to)) return Put(image_.Text(from, to));
    while (from < to) {
      if (seekable_ && image_.fd() >= 0 && filled_ == 0 && position() % kCopyChunk == 0 &&
          to - from >= kCopyChunk) {
        const uint64_t length = (to - from) / kCopyChunk * kCopyChunk;
        OH_RETURN_IF_ERROR(CopyBytes(image_.fd(), from, length, fd_, flushed_, buffer_, options_));
        flushed_ += length;
        from += length;
        continue;
      }
      const uint64_t n = std::min(to - from, Room());
      OH_RETURN_IF_ERROR(image_.ReadAt(buffer_.get() + filled_, n, from));
      from += n;
      OH_RETURN_IF_ERROR(Filled(n));
    }
    return absl::OkStatus();
  }

  absl::Status Filled(uint64_t n) {
    filled_ += n;
    return position() % kCopyChunk == 0 ? Flush() : absl::OkStatus();
  }

  absl::Status Flush() {
    OH_RETURN_IF_ERROR(CheckCancelled(options_));
    OH_RETURN_IF_ERROR(seekable_ ? WriteFullyAt(fd_, buffer_.get(), filled_, flushed_)
                                 : WriteFully(fd_, buffer_.get(), filled_, options_.cancel));
    Written(filled_);
    filled_ = 0;
    return absl::OkStatus();
  }

  // `bytes` more are in the output.
  void Written(uint64_t bytes) {
    Advance(bytes, options_);
    flushed_ += bytes;
  }

  const FileImage& image_;
  std::vector<SharedSpan>::const_iterator shared_;  // the next one
  const std::vector<SharedSpan>::const_iterator shared_end_;
  const int fd_;
  const bool seekable_;
  const CopyOptions& options_;
  FileImage::Interval loaded_ = {0, 0};  // of the input, the last that was found
  ChunkBuffer buffer_;                   // a chunk; small models touch only the start of it
  uint64_t filled_ = 0;                  // bytes in the buffer
  uint64_t flushed_;                     // bytes in the output
};

// Hands pieces on as they are, and in chunks what was never read of a file.
class SinkCopier {
 public:
  SinkCopier(const FileImage& image, ByteSink& sink, const CopyOptions& options)
      : image_(image), sink_(sink), options_(options) {}

  absl::Status Copy(const Splices& splices) {
    OH_RETURN_IF_ERROR(sink_.Expect(image_.size() + static_cast<uint64_t>(splices.growth())));
    uint64_t from = 0;
    OH_RETURN_IF_ERROR(splices.ForEach([&](const Splice& splice) -> absl::Status {
      OH_RETURN_IF_ERROR(PutBytes(from, splice.at));
      from = splice.at + splice.remove;
      OH_RETURN_IF_ERROR(Put(splice.insert));
      OH_RETURN_IF_ERROR(Put(splice.text));
      return PutBytes(splice.copied.begin, splice.copied.end);
    }));
    OH_RETURN_IF_ERROR(PutBytes(from, image_.size()));
    return image_.VerifyUnchanged();
  }

 private:
  absl::Status Put(absl::string_view bytes) {
    if (bytes.empty()) return absl::OkStatus();
    OH_RETURN_IF_ERROR(CheckCancelled(options_));
    Advance(bytes.size(), options_);
    return sink_.Append(bytes);
  }

  // The input's bytes [from, to).
  absl::Status PutBytes(uint64_t from, uint64_t to) {
    for (uint64_t next = from; from < to; from = next) {
      next = std::min(to, from + kCopyChunk);
      if (image_.IsLoaded(from, next)) {
        OH_RETURN_IF_ERROR(Put(image_.Text(from, next)));
        continue;
      }
      if (buffer_ == nullptr) buffer_ = NewChunk();
      OH_RETURN_IF_ERROR(image_.ReadAt(buffer_.get(), next - from, from));
      OH_RETURN_IF_ERROR(Put(absl::string_view(buffer_.get(), next - from)));
    }
    return absl::OkStatus();
  }

  const FileImage& image_;
  ByteSink& sink_;
  const CopyOptions& options_;
  ChunkBuffer buffer_;  // null until a chunk is read
};

}  // namespace

absl::Status CopyToFile(const FileImage& image, const Splices& splices,
                        const std::vector<SharedSpan>& shared, int fd, const CopyOptions& options) {
  // Bytes that were not read yet come from anywhere at once in files only.
  const bool parallel = image.fd() >= 0;
  const std::vector<Splices::Part> parts = splices.Parts(parallel ? options.parts : 1);
  std::mutex mutex;
  absl::Status result;
  RunOnThreads(parts.size(), parts.size(), [&](size_t i) {
    Copier copier(image, shared, fd, /*seekable=*/true, parts[i].at, options);
    const absl::Status status = copier.Copy(splices, parts[i]);
    const std::lock_guard<std::mutex> lock(mutex);
    result.Update(status);
  });
  OH_RETURN_IF_ERROR(result);
  return image.VerifyUnchanged();
}

absl::Status CopyWithoutWeights(const FileImage& image, const Splices& splices, int fd,
                                absl::Span<const FileImage::Interval> kept) {
  std::vector<SharedSpan> holes;
  const auto* around = kept.begin();
  for (const FileImage::Interval& gap : image.NotLoaded()) {
    while (around != kept.end() && around->end <= gap.begin) ++around;
    const bool is_inside =
        around != kept.end() && around->begin <= gap.begin && gap.end <= around->end;
    const uint64_t length = gap.end - gap.begin;
    if (is_inside && length <= kLongestKept) continue;
    holes.push_back({.from = gap.begin, .length = length});
  }
  OH_RETURN_IF_ERROR(CopyToFile(image, splices, holes, fd, {}));
  return SetSize(fd, image.size() + static_cast<uint64_t>(splices.growth()));
}

absl::Status CopyToStream(const FileImage& image, const Splices& splices, int fd,
                          const CopyOptions& options) {
  Copier copier(image, {}, fd, /*seekable=*/false, /*at=*/0, options);
  OH_RETURN_IF_ERROR(copier.Copy(splices, splices.Whole()));
  return image.VerifyUnchanged();
}

absl::Status CopyToSink(const FileImage& image, const Splices& splices, ByteSink& sink,
                        const CopyOptions& options) {
  return SinkCopier(image, sink, options).Copy(splices);
}

}  // namespace onnx_hier
