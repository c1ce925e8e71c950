// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_messages.h"

#include "lib/base/status_macros.h"

namespace onnx_hier {

absl::StatusOr<NodeMessages> NodeMessages::Read(const FileImage& image, const ScannedModel& model,
                                                absl::Span<const NodeId> nodes) {
  OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
  NodeMessages messages(std::move(again), model.graph.node_count());
  for (NodeId node : nodes) {
    const Frame& frame = model.frames[model.node_frames[node]];
    if (frame.end - frame.begin > kLargest) continue;
    OH_RETURN_IF_ERROR(messages.image_.Require(frame.begin, frame.end));
    messages.messages_[node] = messages.image_.Text(frame.begin, frame.end);
  }
  OH_RETURN_IF_ERROR(messages.image_.VerifyUnchanged());
  return messages;
}

}  // namespace onnx_hier
