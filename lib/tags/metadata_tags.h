// SPDX-License-Identifier: Apache-2.0

// Tags in the metadata_props of nodes (own_metadata.h): put in, and taken out again so that nothing
// of them is left.
#ifndef ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
#define ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Whether an earlier run put them into any node.
bool HasMetadataTags(const Graph& graph);

// Puts them in, node by node.
class MetadataTagWriter {
 public:
  // All must outlive this.
  MetadataTagWriter(const ScannedModel& model, const Annotation& annotation, Edits& edits)
      : model_(model), annotation_(annotation), edits_(edits) {}

  void Put(NodeId node);

 private:
  void PutFirst(NodeId node);
  void PutBesideOthers(NodeId node);

  const ScannedModel& model_;
  const Annotation& annotation_;
  Edits& edits_;
  NodeId last_;  // that had no metadata
  absl::string_view last_fields_;
  std::string fields_;  // kept for their memory
  std::string message_;
};

// Nothing is done where there is none.
void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
