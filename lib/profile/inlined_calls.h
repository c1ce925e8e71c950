// SPDX-License-Identifier: Apache-2.0

// Which call of a function a kernel comes from, where onnxruntime put the function's body in the
// place of its calls.
//
//   "_inlfunc_Block_MatMul_0"             the first call of Block
//   "_inlfunc_Block_token_4_MatMul_0"     a further one; numbers rise, but other functions' calls
//                                         are counted with them
//
// A body's nodes have a module in each call: here the one that they have in a given one.
//
// Source: onnxruntime (core/graph/graph.cc, core/framework/function_utils.cc).
#ifndef ONNX_HIER_LIB_PROFILE_INLINED_CALLS_H_
#define ONNX_HIER_LIB_PROFILE_INLINED_CALLS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

class InlinedCalls {
 public:
  // `hierarchy` must outlive this.
  explicit InlinedCalls(const Hierarchy& hierarchy);

  // Whether the node is in the body of a function that is called.
  bool IsInBody(NodeId node) const;
  // That a kernel has been found to be the node of a body. All are noted before any is asked for.
  void Note(NodeId node, absl::string_view kernel_name);
  // Which call such a kernel comes from, in the order in which calls run; none: it is not known.
  std::optional<uint32_t> CallOf(NodeId node, absl::string_view kernel_name) const;
  // The calls of the node's body behind `before` and in front of `after`, where these are known.
  absl::Span<const uint32_t> CallsBetween(NodeId node, std::optional<uint32_t> before,
                                          std::optional<uint32_t> after) const;
  // The node's module in this call: of those that it has in all calls, the one in the call's.
  ModuleId ModuleIn(uint32_t call, NodeId node);

 private:
  // One run of a function's body.
  struct Call {
    NodeId node;
    uint32_t caller = 0;  // in calls_, of the body that calls; itself: the main graph does
  };

  void ListCalls();
  bool IsTop(uint32_t call) const { return calls_[call].caller == call; }
  ModuleId ModuleOfCall(uint32_t call);

  const Hierarchy& hierarchy_;
  const Graph& graph_;
  const IdVector<BlockId, BlockId> tops_;
  std::vector<Call> calls_;
  absl::flat_hash_map<BlockId, std::vector<uint32_t>> calls_of_;  // by body, in order
  absl::flat_hash_map<BlockId, std::set<int64_t>> numbers_;       // likewise, in kernels' names
  std::vector<ModuleId> modules_;                                 // by call; none: not asked yet
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_INLINED_CALLS_H_
