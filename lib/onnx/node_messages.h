// SPDX-License-Identifier: Apache-2.0

// The bytes of nodes, which the scan does not keep: read again.
//
//   const NodeMessages messages = *NodeMessages::Read(image, scanned, nodes);
//   messages[node];   // a NodeProto
#ifndef ONNX_HIER_LIB_ONNX_NODE_MESSAGES_H_
#define ONNX_HIER_LIB_ONNX_NODE_MESSAGES_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

class NodeMessages {
 public:
  // Nodes with more bytes hold weights: they are not read.
  static constexpr uint64_t kLargest = 64 << 10;

  // `nodes` are in file order, and none is inside of another one. An error if the file was changed.
  static absl::StatusOr<NodeMessages> Read(const FileImage& image, const ScannedModel& model,
                                           absl::Span<const NodeId> nodes);

  // "" for one that was too large, or not asked for.
  absl::string_view operator[](NodeId node) const { return messages_[node]; }

 private:
  NodeMessages(FileImage image, size_t nodes) : image_(std::move(image)), messages_(nodes) {}

  FileImage image_;
  IdVector<NodeId, absl::string_view> messages_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_MESSAGES_H_
