// SPDX-License-Identifier: Apache-2.0

// Attributes of nodes, which the scan does not keep: read again, of a few nodes.
#ifndef ONNX_HIER_LIB_ONNX_NODE_ATTRIBUTES_H_
#define ONNX_HIER_LIB_ONNX_NODE_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {

// Calls `take(field)` for each AttributeProto of a node, to whose contents the reader has moved.
template <class Take>
absl::Status ForEachAttribute(WireReader& reader, const ScannedModel& model, NodeId node,
                              const Take& take) {
  const Frame& frame = model.frames[model.node_frames[node]];
  reader.set_position(frame.begin);
  while (reader.position() < frame.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(frame.end, &field));
    if (field.Is(schema::node::kAttribute)) OH_RETURN_IF_ERROR(take(field));
    reader.Skip(field);
  }
  return absl::OkStatus();
}

struct NodeAttribute {
  NodeId node;
  absl::string_view name;
  int64_t integer = 0;  // 0 where it has none
  // Its value is that of the attribute of this name, of the node that calls the function around
  // it; "": it has its own.
  absl::string_view reference;
  // Where its message stands in the file.
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Attributes of `nodes`, which are in file order, in the order of the file. `image` must be fresh
// (FileImage::Again()), and outlive the result, whose texts lie there.
absl::StatusOr<std::vector<NodeAttribute>> ReadAttributes(FileImage& image,
                                                          const ScannedModel& model,
                                                          absl::Span<const NodeId> nodes);

// An AttributeProto under another name.
std::string RenamedAttribute(absl::string_view attribute, absl::string_view name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_ATTRIBUTES_H_
