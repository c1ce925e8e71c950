// SPDX-License-Identifier: Apache-2.0

// Writes a model anew with edits: the input's own bytes with splices between.
#ifndef ONNX_HIER_LIB_EDITS_MODEL_COPIER_H_
#define ONNX_HIER_LIB_EDITS_MODEL_COPIER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/edits/splices.h"
#include "lib/files/block_sharing.h"
#include "lib/files/file_copier.h"
#include "lib/files/file_image.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

// Into a regular file that is empty but for `shared`, of which only the places in the input count,
// from its start on. Long spans are copied by
// several threads.
absl::Status CopyToFile(const FileImage& image, const Splices& splices,
                        const std::vector<SharedSpan>& shared, int fd, const CopyOptions& options);
// Into an empty regular file, with zeros, which take no room, for what was never read of the image:
// the weights. Enough where only the graph is looked at. `kept` (in order, and apart) is copied but
// for pieces of more than `kLongestKept` bytes.
constexpr uint64_t kLongestKept = 64 << 10;
absl::Status CopyWithoutWeights(const FileImage& image, const Splices& splices, int fd,
                                absl::Span<const FileImage::Interval> kept);
// Into a pipe or other stream.
absl::Status CopyToStream(const FileImage& image, const Splices& splices, int fd,
                          const CopyOptions& options);
// Into whatever takes bytes.
absl::Status CopyToSink(const FileImage& image, const Splices& splices, ByteSink& sink,
                        const CopyOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_MODEL_COPIER_H_
