// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/fit_text.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {
namespace {

// Together they leave room for an index. The longest of 910 models have 28 and 88.
constexpr size_t kLongestDomain = 96;  // of an overload too
constexpr size_t kLongestName = 256;

// How a block is named between the node that holds it and its own nodes.
std::string BlockStep(const Block& block) {
  switch (block.kind) {
    case BlockKind::kMain:
      return "";
    case BlockKind::kFunction:
      // Each for itself: what an id is made of can be told from its beginning.
      return absl::StrCat("function:", FitText(block.domain, kLongestDomain), ":",
                          FitText(block.name, kLongestName), block.overload.empty() ? "" : ":",
                          FitText(block.overload, kLongestDomain));
    case BlockKind::kTraining:
      return absl::StrCat("training:", block.position, ":", block.attribute);
    case BlockKind::kSubgraph:
      return block.position < 0 ? std::string(block.attribute)
                                : absl::StrCat(block.attribute, "[", block.position, "]");
  }
  return "";
}

}  // namespace

std::string Graph::NodePath(NodeId id) const {
  // Nearly every node is in the main graph, where the path is the index alone.
  if (nodes_[id].block == main_block()) return absl::StrCat(nodes_[id].index);
  return absl::StrCat(block_paths_[nodes_[id].block], nodes_[id].index);
}

// A block comes after the one that holds it. Those without nodes need none.
void Graph::NameBlocks() {
  constexpr size_t kLongestIndex = 10;
  for (BlockId id : block_ids()) {
    const Block& block = blocks_[id];
    if (block.nodes.size() == 0) {
      block_paths_.add();
      continue;
    }
    std::string path = BlockStep(block);
    if (block.owner.valid()) path = absl::StrCat(NodePath(block.owner), "/", path);
    if (block.kind != BlockKind::kMain) {
      path = absl::StrCat(FitText(path, kLongestNodePath - kLongestIndex - 1), "/");
    }
    block_paths_.push_back(std::move(path));
  }
}

}  // namespace onnx_hier
