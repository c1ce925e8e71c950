// SPDX-License-Identifier: Apache-2.0
#include "lib/files/block_sharing.h"

#include <cerrno>

#include "lib/files/system.h"

namespace onnx_hier {

bool ShareSpan(int in, const SharedSpan& span, int out) {
  while (ShareBlocks(in, span.from, span.length, out, span.to) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool ShareFile(int in, uint64_t size, int out) {
  return size >= kLongSpan && ShareSpan(in, {0, 0, size}, out);
}

}  // namespace onnx_hier
