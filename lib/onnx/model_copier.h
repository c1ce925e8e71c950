// Writes a model anew with some doc_strings changed: the input's own bytes with splices between.
#ifndef ONNX_HIER_LIB_ONNX_MODEL_COPIER_H_
#define ONNX_HIER_LIB_ONNX_MODEL_COPIER_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "lib/onnx/doc_splice.h"
#include "lib/onnx/file_image.h"

namespace onnx_hier {

struct CopyOptions {
  int threads = 2;  // for spans of weights
  // When it becomes true, copying stops with kCancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Counts the bytes written so far, for whoever shows progress. May be null.
  std::atomic<uint64_t>* progress = nullptr;
};

// Into an empty regular file, from its start on. Long spans are copied by several threads.
absl::Status CopyToFile(const FileImage& image, const DocSplices& splices, int fd,
                        const CopyOptions& options);
// Into a pipe or other stream.
absl::Status CopyToStream(const FileImage& image, const DocSplices& splices, int fd,
                          const CopyOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_MODEL_COPIER_H_
