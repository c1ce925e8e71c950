// SPDX-License-Identifier: Apache-2.0

// Copies from one regular file to another as fast as the page cache gives and takes.
#ifndef ONNX_HIER_LIB_FILES_FILE_COPIER_H_
#define ONNX_HIER_LIB_FILES_FILE_COPIER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "absl/status/status.h"

namespace onnx_hier {

struct CopyOptions {
  int threads = 0;   // for long spans; 0: two
  size_t parts = 1;  // of a file with many edits, each on a thread of its own
  // When it becomes true, copying stops with kCancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Counts the bytes written so far, for whoever shows progress. May be null.
  std::atomic<uint64_t>* progress = nullptr;
};

// Bytes that are read and written at a time. Writes begin at multiples of it in the output: others
// cost a fifth more, since every page of the output would be touched twice.
constexpr uint64_t kCopyChunk = 2 << 20;

// Memory for a chunk, from the start of a page on. Where the distance of source and target is a few
// bytes modulo a page, as between the page cache and the 16 bytes that malloc() puts in front, the
// kernel copies at half the speed on AMD's Zen 3 and 4 (glibc's bug 30994 tells of the same).
struct FreeChunk {
  void operator()(char* chunk) const { ::operator delete[](chunk, std::align_val_t(4096)); }
};
using ChunkBuffer = std::unique_ptr<char[], FreeChunk>;
inline ChunkBuffer NewChunk() {
  return ChunkBuffer(static_cast<char*>(::operator new[](kCopyChunk, std::align_val_t(4096))));
}

// Copies the bytes [from, from + length) of `in` to `at` in `out`, best the start of a page.
// `buffer` is at its disposal.
absl::Status CopyBytes(int in, uint64_t from, uint64_t length, int out, uint64_t at,
                       const ChunkBuffer& buffer, const CopyOptions& options);

// kCancelled if that is wanted.
absl::Status CheckCancelled(const CopyOptions& options);
// `bytes` more were written.
void Advance(uint64_t bytes, const CopyOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_COPIER_H_
