// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/external_use.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {

// What of a model stays where edits leave some out, or take some of it elsewhere.
class ExternalUse::Staying {
 public:
  Staying(const Graph& graph, const EditList& edits)
      : graph_(graph),
        edits_(edits),
        gone_initializers_(edits.left_out_initializers.begin(), edits.left_out_initializers.end()),
        gone_functions_(edits.left_out_functions.begin(), edits.left_out_functions.end()) {
    for (const NodeRun& run : edits.left_out_nodes) {
      for (size_t i = 0; i < run.count; ++i) gone_nodes_.insert(NodeId(run.first.index() + i));
    }
    for (const MoveEdit& edit : edits.moves) {
      if (edit.node.valid()) moved_nodes_.insert(edit.node);
      if (edit.initializer.valid()) moved_initializers_.insert(edit.initializer);
    }
    if (!edits.kept.has_value()) return;
    const KeptOnly& kept = *edits.kept;
    kept_nodes_.insert(kept.nodes.begin(), kept.nodes.end());
    kept_initializers_.insert(kept.initializers.begin(), kept.initializers.end());
    kept_functions_.insert(kept.functions.begin(), kept.functions.end());
  }

  bool Has(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    if (tensor.owner.valid()) return Has(tensor.owner);
    if (moved_initializers_.contains(id)) return true;
    if (gone_initializers_.contains(id)) return false;
    const bool is_main = tensor.block == graph_.main_block();
    if (is_main && edits_.kept.has_value()) return kept_initializers_.contains(id);
    return Has(tensor.block);
  }

 private:
  bool Has(NodeId node) const {
    for (;;) {
      if (moved_nodes_.contains(node)) return true;
      if (gone_nodes_.contains(node)) return false;
      const BlockId block = graph_.node(node).block;
      const bool is_main = block == graph_.main_block();
      if (is_main) return !edits_.kept.has_value() || kept_nodes_.contains(node);
      if (graph_.block(block).kind != BlockKind::kSubgraph) return Has(block);
      node = graph_.block(block).owner;
    }
  }
  // Of a graph that is not the main one of a model that keeps only some of it.
  bool Has(BlockId block) const {
    switch (graph_.block(block).kind) {
      case BlockKind::kSubgraph:
        return Has(graph_.block(block).owner);
      case BlockKind::kFunction:
        return edits_.kept.has_value() ? kept_functions_.contains(block)
                                       : !gone_functions_.contains(block);
      case BlockKind::kTraining:
        return !edits_.kept.has_value() && !edits_.leaves_out_training;
      default:
        return true;
    }
  }

  const Graph& graph_;
  const EditList& edits_;
  const absl::flat_hash_set<TensorId> gone_initializers_;
  const absl::flat_hash_set<BlockId> gone_functions_;
  absl::flat_hash_set<NodeId> gone_nodes_;
  absl::flat_hash_set<NodeId> moved_nodes_;
  absl::flat_hash_set<TensorId> moved_initializers_;
  absl::flat_hash_set<NodeId> kept_nodes_;
  absl::flat_hash_set<TensorId> kept_initializers_;
  absl::flat_hash_set<BlockId> kept_functions_;
};

ExternalUse::ExternalUse(const ScannedModel& model) : model_(model) {
  for (size_t i = 0; i < model.external_tensors.size(); ++i) {
    held_[HolderOf(model.external_tensors[i])].push_back(i);
  }
}

ExternalUse::Holder ExternalUse::HolderOf(const ExternalTensor& external) const {
  const Graph& graph = model_.graph;
  const Tensor& tensor = graph.tensor(external.tensor);
  const bool is_initializer = !tensor.owner.valid();
  if (is_initializer && tensor.block == graph.main_block()) {
    return {HolderKind::kInitializer, external.tensor.index()};
  }
  NodeId node = tensor.owner;
  BlockId block = is_initializer ? tensor.block : graph.node(node).block;
  while (graph.block(block).kind == BlockKind::kSubgraph) {
    node = graph.block(block).owner;
    block = graph.node(node).block;
  }
  return block == graph.main_block() ? Holder(HolderKind::kNode, node.index())
                                     : Holder(HolderKind::kBlock, block.index());
}

void ExternalUse::AddOf(const Holder& holder, std::vector<size_t>& found) const {
  const auto held = held_.find(holder);
  if (held != held_.end()) found.insert(found.end(), held->second.begin(), held->second.end());
}

std::vector<const ExternalTensor*> ExternalUse::In(const EditList& edits) const {
  std::vector<size_t> found;
  if (held_.empty()) return {};
  if (edits.kept.has_value() && edits.moves.empty()) {
    const KeptOnly& kept = *edits.kept;
    for (TensorId id : kept.initializers) AddOf({HolderKind::kInitializer, id.index()}, found);
    for (NodeId id : kept.nodes) AddOf({HolderKind::kNode, id.index()}, found);
    for (BlockId id : kept.functions) AddOf({HolderKind::kBlock, id.index()}, found);
    std::sort(found.begin(), found.end());
  } else {
    const Staying staying(model_.graph, edits);
    for (size_t i = 0; i < model_.external_tensors.size(); ++i) {
      if (staying.Has(model_.external_tensors[i].tensor)) found.push_back(i);
    }
  }
  std::vector<const ExternalTensor*> tensors;
  tensors.reserve(found.size());
  for (const size_t i : found) tensors.push_back(&model_.external_tensors[i]);
  return tensors;
}

}  // namespace onnx_hier
