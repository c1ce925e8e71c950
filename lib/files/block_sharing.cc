#include "lib/files/block_sharing.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace onnx_hier {

bool ShareSpan(int in, const SharedSpan& span, int out) {
  file_clone_range range = {};
  range.src_fd = in;
  range.src_offset = span.from;
  range.src_length = span.length;
  range.dest_offset = span.to;
  while (ioctl(out, FICLONERANGE, &range) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool ShareFile(int in, uint64_t size, int out) {
  return size >= kLongSpan && ShareSpan(in, {0, 0, size}, out);
}

}  // namespace onnx_hier
