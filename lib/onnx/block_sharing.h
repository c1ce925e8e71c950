// Files that hold the same blocks of a disk instead of a copy each, on file systems that can share
// them (XFS, btrfs and others). A block is copied when one of the files is written to, not before.
//
// Whether it works shows only when it is tried. Nothing here is an error: what could not be shared
// is for the caller to copy.
#ifndef ONNX_HIER_LIB_ONNX_BLOCK_SHARING_H_
#define ONNX_HIER_LIB_ONNX_BLOCK_SHARING_H_

#include <cstdint>
#include <vector>

#include "lib/onnx/doc_splice.h"

namespace onnx_hier {

// Bytes that two files share.
struct SharedSpan {
  uint64_t from = 0;  // in the input
  uint64_t to = 0;    // in the output
  uint64_t length = 0;
};

// Lets the empty regular file `out` share the long spans of `in`, of `size` bytes, that `splices`
// move by whole blocks. What it returns is in file order; the rest of `out` is yet to be written.
std::vector<SharedSpan> ShareSpans(int in, uint64_t size, const DocSplices& splices, int out);

// The same for all of a file. False if it has to be copied.
bool ShareFile(int in, uint64_t size, int out);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_BLOCK_SHARING_H_
