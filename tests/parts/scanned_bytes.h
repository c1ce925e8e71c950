// SPDX-License-Identifier: Apache-2.0

// A model in memory, scanned, with the messages of its nodes.
#ifndef ONNX_HIER_TESTS_PARTS_SCANNED_BYTES_H_
#define ONNX_HIER_TESTS_PARTS_SCANNED_BYTES_H_

#include <string>
#include <utility>
#include <vector>

#include "lib/files/file_image.h"
#include "lib/onnx/node_messages.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier::testing {

class ScannedBytes {
 public:
  explicit ScannedBytes(std::string bytes)
      : image_(FileImage::FromBytes(std::move(bytes))),
        scanned_(*ScanModel(image_)),
        messages_(*NodeMessages::Read(image_, scanned_, TopNodes(scanned_.graph))) {}

  const Graph& graph() const { return scanned_.graph; }
  const NodeMessages& messages() const { return messages_; }

 private:
  static std::vector<NodeId> TopNodes(const Graph& graph) {
    std::vector<NodeId> nodes;
    for (NodeId node : graph.node_ids()) {
      if (graph.block(graph.node(node).block).depth == 0) nodes.push_back(node);
    }
    return nodes;
  }

  FileImage image_;
  ScannedModel scanned_;
  NodeMessages messages_;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_PARTS_SCANNED_BYTES_H_
