// Places and classes from the metadata_props that torch >= 2.5 and onnxscript write.
#ifndef ONNX_HIER_LIB_EVIDENCE_METADATA_PLACES_H_
#define ONNX_HIER_LIB_EVIDENCE_METADATA_PLACES_H_

#include "lib/evidence/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// The metadata names modules but not their calls.
void PlaceByMetadata(const Graph& graph, ModulePaths& paths, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EVIDENCE_METADATA_PLACES_H_
