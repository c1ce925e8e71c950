// SPDX-License-Identifier: Apache-2.0

// Tags in the metadata_props of nodes (own_metadata.h): put in, and taken out again so that nothing
// of them is left.
#ifndef ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
#define ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_

#include <cstddef>

#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Whether an earlier run put them into any node.
bool HasMetadataTags(const Graph& graph);

// Puts them in, node by node.
class MetadataTagWriter {
 public:
  // Of a node that had none: namespace, path, method, confidence.
  static constexpr size_t kEntries = 4;

  // All must outlive this.
  MetadataTagWriter(const Graph& graph, const Annotation& annotation, Edits& edits)
      : graph_(graph), annotation_(annotation), edits_(edits) {}

  void Put(NodeId node);

 private:
  const Graph& graph_;
  const Annotation& annotation_;
  Edits& edits_;
  NodeId last_;              // one with the four entries that all have
  size_t last_entries_ = 0;  // where they are among the edits
};

// Nothing is done where there is none.
void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
