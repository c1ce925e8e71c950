#include "lib/onnx/model_copier.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/onnx/posix_io.h"

namespace onnx_hier {
namespace {

// Writes are whole chunks at multiples of the chunk in the output: unaligned ones cost a fifth
// more, since every page of the output would be touched twice.
constexpr uint64_t kChunk = 2 << 20;
// Shorter spans are not worth a thread.
constexpr uint64_t kParallelSpan = 16 << 20;

// Gathers small pieces into aligned chunks and sends long spans of the input past the gathering.
class Copier {
 public:
  Copier(const FileImage& image, int fd, bool seekable, const CopyOptions& options)
      : image_(image),
        fd_(fd),
        seekable_(seekable),
        options_(options),
        buffer_(std::make_unique_for_overwrite<char[]>(kChunk)) {}

  absl::Status Copy(const DocSplices& splices) {
    uint64_t from = 0;
    OH_RETURN_IF_ERROR(splices.ForEach([&](const Splice& splice) -> absl::Status {
      OH_RETURN_IF_ERROR(PutSpan(from, splice.at));
      from = splice.at + splice.remove;
      OH_RETURN_IF_ERROR(Put(splice.insert));
      return Put(splice.text);
    }));
    OH_RETURN_IF_ERROR(PutSpan(from, image_.size()));
    OH_RETURN_IF_ERROR(Flush());
    return image_.VerifyUnchanged();
  }

 private:
  uint64_t position() const { return flushed_ + filled_; }
  // Room until the next multiple of a chunk in the output.
  uint64_t Room() const { return kChunk - position() % kChunk; }

  absl::Status Put(absl::string_view bytes) {
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
    if (image_.IsLoaded(from, to)) return Put(image_.Text(from, to));
    while (from < to) {
      if (seekable_ && filled_ == 0 && position() % kChunk == 0 && to - from >= kParallelSpan) {
        const uint64_t length = (to - from) / kChunk * kChunk;
        OH_RETURN_IF_ERROR(CopyChunks(from, length));
        from += length;
        continue;
      }
      const uint64_t n = std::min(to - from, Room());
      OH_RETURN_IF_ERROR(ReadFully(image_.fd(), buffer_.get() + filled_, n, from));
      from += n;
      OH_RETURN_IF_ERROR(Filled(n));
    }
    return absl::OkStatus();
  }

  absl::Status Filled(uint64_t n) {
    filled_ += n;
    return position() % kChunk == 0 ? Flush() : absl::OkStatus();
  }

  absl::Status Flush() {
    OH_RETURN_IF_ERROR(CheckCancelled());
    OH_RETURN_IF_ERROR(seekable_ ? WriteFullyAt(fd_, buffer_.get(), filled_, flushed_)
                                 : WriteFully(fd_, buffer_.get(), filled_, options_.cancel));
    Advance(filled_);
    flushed_ += filled_;
    filled_ = 0;
    return absl::OkStatus();
  }

  // Copies `length` bytes, a multiple of a chunk, to the output's position, also a multiple.
  // Threads take the next chunk from a common counter, so that none waits for a slow one.
  absl::Status CopyChunks(uint64_t from, uint64_t length) {
    std::atomic<uint64_t> next{0};
    std::mutex mutex;
    absl::Status result;
    const auto work = [&](char* buffer) {
      for (;;) {
        const uint64_t at = next.fetch_add(kChunk);
        if (at >= length) return;
        absl::Status status = CheckCancelled();
        if (status.ok()) status = ReadFully(image_.fd(), buffer, kChunk, from + at);
        if (status.ok()) status = WriteFullyAt(fd_, buffer, kChunk, flushed_ + at);
        if (!status.ok()) {
          const std::lock_guard<std::mutex> lock(mutex);
          result.Update(status);
          next = length;
          return;
        }
        Advance(kChunk);
      }
    };
    std::vector<std::thread> helpers;
    std::vector<std::unique_ptr<char[]>> buffers;
    for (int i = 1; i < options_.threads; ++i) {
      buffers.push_back(std::make_unique_for_overwrite<char[]>(kChunk));
      try {
        helpers.emplace_back(work, buffers.back().get());
      } catch (const std::system_error&) {
        break;  // no more threads to be had: those there are do it all
      }
    }
    work(buffer_.get());
    for (std::thread& helper : helpers) helper.join();
    OH_RETURN_IF_ERROR(result);
    flushed_ += length;
    return absl::OkStatus();
  }

  absl::Status CheckCancelled() const {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
      return absl::CancelledError("interrupted");
    }
    return absl::OkStatus();
  }

  void Advance(uint64_t bytes) {
    if (options_.progress != nullptr) {
      options_.progress->fetch_add(bytes, std::memory_order_relaxed);
    }
  }

  const FileImage& image_;
  const int fd_;
  const bool seekable_;
  const CopyOptions& options_;
  std::unique_ptr<char[]> buffer_;  // a chunk; small models touch only the start of it
  uint64_t filled_ = 0;             // bytes in the buffer
  uint64_t flushed_ = 0;            // bytes in the output
};

}  // namespace

absl::Status CopyToFile(const FileImage& image, const DocSplices& splices, int fd,
                        const CopyOptions& options) {
  return Copier(image, fd, /*seekable=*/true, options).Copy(splices);
}

absl::Status CopyToStream(const FileImage& image, const DocSplices& splices, int fd,
                          const CopyOptions& options) {
  return Copier(image, fd, /*seekable=*/false, options).Copy(splices);
}

}  // namespace onnx_hier
