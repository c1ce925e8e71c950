// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_copier.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "lib/files/posix_io.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

// Shorter spans are not worth a thread.
constexpr uint64_t kParallelSpan = 16 << 20;
constexpr int kUsualThreads = 2;

}  // namespace

// Threads take the next chunk from a common counter, so that none waits for a slow one. Chunks end
// where the output has multiples of kCopyChunk, so that the first one may be short.
absl::Status CopyBytes(int in, uint64_t from, uint64_t length, int out, uint64_t at,
                       const ChunkBuffer& buffer, const CopyOptions& options) {
  const uint64_t before = at % kCopyChunk;
  std::atomic<uint64_t> next{0};  // counted from the last such multiple
  std::mutex mutex;
  absl::Status result;
  const auto work = [&](char* bytes) {
    for (;;) {
      const uint64_t chunk = next.fetch_add(kCopyChunk);
      const uint64_t done = chunk - std::min(chunk, before);
      if (done >= length) return;
      const uint64_t n = std::min(chunk + kCopyChunk, before + length) - (before + done);
      absl::Status status = CheckCancelled(options);
      if (status.ok()) status = ReadFully(in, bytes, n, from + done);
      if (status.ok()) status = WriteFullyAt(out, bytes, n, at + done);
      if (!status.ok()) {
        const std::lock_guard<std::mutex> lock(mutex);
        result.Update(status);
        next = before + length;
        return;
      }
      Advance(n, options);
    }
  };
  const int threads = options.threads > 0 ? options.threads : kUsualThreads;
  std::vector<ChunkBuffer> buffers;  // of the helpers
  for (int i = 1; length >= kParallelSpan && i < threads; ++i) {
    buffers.push_back(NewChunk());
  }
  RunOnThreads(buffers.size() + 1, buffers.size() + 1,
               [&](size_t i) { work(i == 0 ? buffer.get() : buffers[i - 1].get()); });
  return result;
}

absl::Status CheckCancelled(const CopyOptions& options) {
  if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
    return absl::CancelledError("interrupted");
  }
  return absl::OkStatus();
}

void Advance(uint64_t bytes, const CopyOptions& options) {
  if (options.progress != nullptr) {
    options.progress->fetch_add(bytes, std::memory_order_relaxed);
  }
}

}  // namespace onnx_hier
