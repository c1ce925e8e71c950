// SPDX-License-Identifier: Apache-2.0
#include "lib/show/graph_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

GraphNames::GraphNames(const Graph& graph) : names_(graph.block_count()) {
  for (BlockId id : graph.block_ids()) {
    const absl::Span<const NodeId> nodes = graph.nodes(id);
    if (id == graph.main_block()) {
      names_[id] = "main";
    } else if (nodes.empty()) {
      names_[id] = absl::StrCat("empty ", id.index());
    } else {
      const std::string first = graph.NodePath(nodes[0]);
      names_[id] = first.substr(0, first.rfind('/'));
    }
  }
}

}  // namespace onnx_hier
