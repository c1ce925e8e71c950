// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/callees.h"

#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

IdVector<OpId, BlockId> FindCallees(const Graph& graph) {
  absl::flat_hash_map<std::tuple<absl::string_view, absl::string_view, absl::string_view>, BlockId>
      functions;
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction) continue;
    functions[{block.domain, block.name, block.overload}] = id;
  }
  if (functions.empty()) return {};
  IdVector<OpId, BlockId> callees(graph.op_count());
  for (size_t i = 0; i < graph.op_count(); ++i) {
    const Op& op = graph.op(OpId(i));
    const auto found = functions.find({op.domain, op.type, op.overload});
    if (found != functions.end()) callees[OpId(i)] = found->second;
  }
  return callees;
}

}  // namespace onnx_hier
