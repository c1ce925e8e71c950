// SPDX-License-Identifier: Apache-2.0

// What attributes of nodes say, however they are encoded: the elements of a tensor raw or typed,
// numbers packed or one a field, a zero written or left out.
#ifndef ONNX_HIER_LIB_ONNX_ATTRIBUTE_MEANINGS_H_
#define ONNX_HIER_LIB_ONNX_ATTRIBUTE_MEANINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/files/file_image.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct AttributeMeaning {
  NodeId node;
  std::string name;
  std::string text;   // "1e-05", "[1,1,2,...] of 300", "'same'", "float32[64]"; of graphs ""
  uint64_t hash = 0;  // equal for what says the same; graphs left out
};

class AttributeMeanings {
 public:
  // `model` was scanned from `image`; `tensors` are its own. All must outlive this.
  AttributeMeanings(const FileImage& image, const ScannedModel& model, TensorHashes& tensors)
      : image_(image), model_(model), tensors_(tensors) {}

  // Of all attributes of each node: the order of those of different names plays no part.
  absl::StatusOr<IdVector<NodeId, uint64_t>> Hash() const;
  // Of each attribute of some nodes, which are in the file's order.
  absl::StatusOr<std::vector<AttributeMeaning>> Tell(absl::Span<const NodeId> nodes) const;

 private:
  const FileImage& image_;
  const ScannedModel& model_;
  TensorHashes& tensors_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_ATTRIBUTE_MEANINGS_H_
