#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {
namespace {

// How a block is named between the node that holds it and its own nodes.
std::string BlockStep(const Block& block) {
  switch (block.kind) {
    case BlockKind::kMain:
      return "";
    case BlockKind::kFunction:
      return absl::StrCat("function:", block.domain, ":", block.name,
                          block.overload.empty() ? "" : ":", block.overload, "/");
    case BlockKind::kTraining:
      return absl::StrCat("training:", block.position, ":", block.attribute, "/");
    case BlockKind::kSubgraph:
      return block.position < 0 ? absl::StrCat(block.attribute, "/")
                                : absl::StrCat(block.attribute, "[", block.position, "]/");
  }
  return "";
}

}  // namespace

std::string Graph::NodePath(NodeId id) const {
  // Nearly every node is in the main graph, where the path is the index alone.
  if (nodes_[id].block == main_block()) return absl::StrCat(nodes_[id].index);
  std::vector<NodeId> chain;
  for (NodeId n = id; n.valid(); n = blocks_[nodes_[n].block].owner) chain.push_back(n);
  std::string path;
  for (size_t i = chain.size(); i-- > 0;) {
    const Node& node = nodes_[chain[i]];
    if (i + 1 < chain.size()) path += "/";
    absl::StrAppend(&path, BlockStep(blocks_[node.block]), node.index);
  }
  return path;
}

}  // namespace onnx_hier
