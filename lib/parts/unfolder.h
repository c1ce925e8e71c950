// SPDX-License-Identifier: Apache-2.0

// Calls of functions, each with the function's body in its place.
//
//   -> [/encoder/layer.1: encoder.layer] ->      -> /encoder/layer.1/query/MatMul -> ... ->
//
// Of what was folded (fold_table.h) the nodes come back as they were, byte for byte, in their
// order. Else, and of functions that others made, names inside are joined to the call's: unique,
// and what a reader of scopes expects.
#ifndef ONNX_HIER_LIB_PARTS_UNFOLDER_H_
#define ONNX_HIER_LIB_PARTS_UNFOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/graph/unfolded_calls.h"
#include "lib/onnx/node_messages.h"
#include "lib/parts/body_attributes.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/node_places.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct Unfolded {
  std::vector<PlacedNode> nodes;    // of the main graph, in order
  std::vector<UnfoldedCall> calls;  // in the order of the graph, outer ones before inner ones
  bool exact = false;               // they are what was folded, and nothing was changed since
  std::string changed;              // else, where there is a table: what was, for people
};

// Whether the node's texts can be taken out and put in again so that it is what it was. Others stay
// where they are, be they folded or unfolded.
bool IsRewritable(absl::string_view node);

// Which functions give way to their bodies.
struct UnfoldPlan {
  explicit UnfoldPlan(const Graph& graph)
      : functions(graph.block_count()),
        referring(graph.node_count()),
        defaults(graph.block_count()) {}

  IdSet<BlockId> functions;
  IdSet<NodeId> referring;                      // nodes of bodies with attributes of the call
  IdVector<BlockId, AttributeValues> defaults;  // of functions: where a call gives none
};

// Calls in the main graph, and in the bodies called there, of those functions. `table` may be null.
// kInvalidArgument: a
// function calls itself, or a body defines what it is given. kResourceExhausted: there would be
// nodes beyond measure.
absl::StatusOr<Unfolded> Unfold(const Graph& graph, const NodeMessages& messages,
                                const UnfoldPlan& plan, const FoldTable* table);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_UNFOLDER_H_
