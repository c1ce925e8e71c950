// SPDX-License-Identifier: Apache-2.0

// Tags in the metadata_props of nodes (own_metadata.h): put in, and taken out again so that nothing
// of them is left.
#ifndef ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
#define ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/names/own_metadata.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// For whom an earlier run put them into nodes; none: it did not.
std::vector<std::string> FormsInMetadata(const Graph& graph);

// Puts them in, node by node.
class MetadataTagWriter {
 public:
  // `forms`: MetadataForms(), in any order. All must outlive this.
  MetadataTagWriter(const ScannedModel& model, const Annotation& annotation,
                    const std::vector<std::string>& forms, Edits& edits);

  void Put(NodeId node);

 private:
  using Entries = std::vector<std::pair<absl::string_view, std::string>>;  // by their keys

  Entries EntriesOf(NodeId node) const;
  bool HasSameEntries(NodeId a, NodeId b) const;
  void PutFirst(NodeId node);
  void PutBesideOthers(NodeId node);

  const ScannedModel& model_;
  const Annotation& annotation_;
  Edits& edits_;
  std::vector<const FormKey*> keys_;  // that are written
  std::string forms_;                 // "": just what is usual
  bool by_operator_ = false;          // some entries say which operator a node is
  NodeId last_;                       // that had no metadata
  absl::string_view last_fields_;
  std::string fields_;  // kept for their memory
  std::string message_;
};

// Nothing is done where there is none.
void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
