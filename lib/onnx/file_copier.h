// Copies from one regular file to another as fast as the page cache gives and takes.
#ifndef ONNX_HIER_LIB_ONNX_FILE_COPIER_H_
#define ONNX_HIER_LIB_ONNX_FILE_COPIER_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"

namespace onnx_hier {

struct CopyOptions {
  int threads = 2;  // for long spans
  // When it becomes true, copying stops with kCancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Counts the bytes written so far, for whoever shows progress. May be null.
  std::atomic<uint64_t>* progress = nullptr;
};

// Bytes that are read and written at a time. Writes are to begin at multiples of it in the output:
// others cost a fifth more, since every page of the output would be touched twice.
constexpr uint64_t kCopyChunk = 2 << 20;

// Copies the bytes [from, from + length) of `in` to `at` in `out`, a multiple of kCopyChunk.
// `buffer` holds kCopyChunk bytes and is at its disposal.
absl::Status CopyBytes(int in, uint64_t from, uint64_t length, int out, uint64_t at, char* buffer,
                       const CopyOptions& options);

// kCancelled if that is wanted.
absl::Status CheckCancelled(const CopyOptions& options);
// `bytes` more were written.
void Advance(uint64_t bytes, const CopyOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_FILE_COPIER_H_
