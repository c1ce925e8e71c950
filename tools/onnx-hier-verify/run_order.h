// SPDX-License-Identifier: Apache-2.0

// The order in which a list of nodes can run.
//
// ONNX wants producers in front of what reads them; runtimes accept other orders, and files have
// them.
//
//   RunOrder(graph.node())    // {0, 2, 1} where node 1 reads what node 2 makes
#ifndef ONNX_HIER_TOOLS_VERIFY_RUN_ORDER_H_
#define ONNX_HIER_TOOLS_VERIFY_RUN_ORDER_H_

#include <vector>

#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {

// Indices of all nodes: each as soon as what it reads is made, else as in the file. Nodes that wait
// for each other come last.
std::vector<int> RunOrder(const Nodes& nodes);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_RUN_ORDER_H_
