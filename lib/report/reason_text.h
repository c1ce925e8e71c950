// Why a node has its module, in a few words.
#ifndef ONNX_HIER_LIB_REPORT_REASON_TEXT_H_
#define ONNX_HIER_LIB_REPORT_REASON_TEXT_H_

#include <string>

#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// "built like node 45, in the same place of its layer"; "" where the node said itself where it is.
std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_REASON_TEXT_H_
