// SPDX-License-Identifier: Apache-2.0

// Files that hold the same blocks of a disk instead of a copy each, on file systems that can share
// them (XFS, btrfs and others). A block is copied when one of the files is written to, not before.
//
// Whether it works shows only when it is tried. Nothing here is an error: what could not be shared
// is for the caller to copy.
#ifndef ONNX_HIER_LIB_FILES_BLOCK_SHARING_H_
#define ONNX_HIER_LIB_FILES_BLOCK_SHARING_H_

#include <cstdint>

namespace onnx_hier {

// What XFS and btrfs share at the least. One with larger blocks refuses, and its files are copied.
constexpr uint64_t kDiskBlock = 4096;
// Shorter spans are copied within a few milliseconds; these grow by 0.02 % at most.
constexpr uint64_t kLongSpan = 16 << 20;

// Bytes that two files share.
struct SharedSpan {
  uint64_t from = 0;  // in the input
  uint64_t to = 0;    // in the output
  uint64_t length = 0;
};

// Lets `out` share whole blocks of `in`. False if they have to be copied.
bool ShareSpan(int in, const SharedSpan& span, int out);
// The same for all `size` bytes of a file, where that is worth trying.
bool ShareFile(int in, uint64_t size, int out);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_BLOCK_SHARING_H_
