// SPDX-License-Identifier: Apache-2.0

// Tags in the metadata_props of nodes (own_metadata.h): put in, and taken out again so that nothing
// of them is left.
#ifndef ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
#define ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_

#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Whether an earlier run put them into any node.
bool HasMetadataTags(const Graph& graph);

void PutMetadataTag(const Graph& graph, const Annotation& annotation, NodeId node, Edits& edits);
// Nothing is done where there is none.
void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_METADATA_TAGS_H_
