// SPDX-License-Identifier: Apache-2.0

// The objects of nodes in a sidecar:
//
//   {"id":"12","name":"/encoder/MatMul","op_type":"MatMul","output":"/encoder/MatMul_output_0",
//    "tag":"/encoder","auxiliary":[],"method":"node_name","confidence":1.0,"containment":1.0,
//    "call":0}
//
// on one line. There are as many as nodes: each is put together from a few pieces, of which those
// that many nodes have in common are kept.
#ifndef ONNX_HIER_LIB_TAGS_SIDECAR_NODES_H_
#define ONNX_HIER_LIB_TAGS_SIDECAR_NODES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/text_room.h"
#include "lib/tags/sidecar.h"
#include "lib/tags/tag_texts.h"

namespace onnx_hier {

class NodeObjects {
 public:
  // All arguments must outlive this.
  NodeObjects(const SidecarContents& contents, const TagTexts& tags)
      : graph_(contents.graph),
        annotation_(contents.annotation),
        names_(contents.names),
        values_(contents.values),
        tags_(tags),
        types_(graph_.op_count()) {}

  // `begin` is what stands in front: the array's other items.
  void Append(NodeId id, absl::string_view begin, TextRoom& out);

 private:
  absl::string_view Index(uint32_t index);
  absl::string_view Placement(NodeId id);
  absl::string_view Standing(const Assignment& assignment);
  absl::string_view More(NodeId id, bool has_reason);
  absl::string_view TypeText(OpId op);
  absl::string_view OutputName(NodeId id, absl::string_view name_in_json);

  const Graph& graph_;
  const Annotation& annotation_;
  const GivenNames& names_;
  const NodeValues* const values_;
  const TagTexts& tags_;
  IdVector<OpId, std::string> types_;
  uint32_t index_ = 0;
  std::string index_text_;        // of index_, or empty
  Assignment standing_of_;        // where standing_ is not empty
  std::string standing_;          // from the method to the call
  Assignment placement_of_;       // of a node with nothing auxiliary, or none
  std::string placement_;         // from the tag to the call
  absl::string_view plain_rest_;  // of an output's name behind its node's; last seen
  std::string path_, path_in_json_, name_, output_, more_;  // kept for their memory
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_SIDECAR_NODES_H_
