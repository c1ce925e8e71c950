// What each witness says about where a node belongs, not yet weighed.
#ifndef ONNX_HIER_LIB_EVIDENCE_EVIDENCE_H_
#define ONNX_HIER_LIB_EVIDENCE_EVIDENCE_H_

#include <string>

#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct NodeEvidence {
  PathId node_name;   // the scope in its own name; none: it has no scope
  PathId value_name;  // the scope in the name of the first output that has one
};

struct Evidence {
  std::string dialect;  // how the file's names are written
  IdVector<NodeId, NodeEvidence> nodes;
};

// Every path that is found is added to `paths`.
Evidence CollectEvidence(const Graph& graph, ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EVIDENCE_EVIDENCE_H_
