// SPDX-License-Identifier: Apache-2.0

// Where the nodes of a model come from that was made by putting the bodies of functions in place
// of their calls.
#ifndef ONNX_HIER_LIB_GRAPH_UNFOLDED_CALLS_H_
#define ONNX_HIER_LIB_GRAPH_UNFOLDED_CALLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx_hier/ids.h"

namespace onnx_hier {

constexpr uint32_t kNoCall = 0xFFFFFFFFu;

// A node that gave way to its function's body; ids are of the model before.
struct UnfoldedCall {
  NodeId node;
  uint32_t around = kNoCall;  // the call whose body it is in; none: it is in the main graph
  BlockId function;
  // The module that its metadata puts it in, by its qualified name; none: it says nothing. In a
  // body that may be what it was in the first call around.
  std::optional<std::string> module;
};

// From which node of the model before each node of the main graph is, and in which call.
struct FlatOrigin {
  NodeId node;  // none: it is new
  uint32_t call = kNoCall;
};
struct FlatOrigins {
  std::vector<FlatOrigin> nodes;    // in the order of the main graph
  std::vector<UnfoldedCall> calls;  // in the order of the graph, outer ones before inner ones
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_UNFOLDED_CALLS_H_
