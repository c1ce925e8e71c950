// SPDX-License-Identifier: Apache-2.0
#include "lib/names/joined_models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <queue>

#include "absl/strings/match.h"
#include "lib/graph/callees.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

// Which of the models: 0 is the one without a prefix; none: nothing tells.
using ModelNumber = Id<struct ModelNumberTag>;
constexpr ModelNumber kWithoutPrefix(0);

class ModelSplitter {
 public:
  ModelSplitter(const Graph& graph, absl::Span<const absl::string_view> prefixes)
      : graph_(graph), prefixes_(prefixes), models_(graph.node_count()) {}

  std::vector<JoinedModel> Split() {
    for (NodeId id : graph_.nodes(graph_.main_block())) models_[id] = ByNames(id);
    if (!HasModelWithoutPrefix()) SurroundedNodes();
    for (NodeId id : graph_.nodes(graph_.main_block())) {
      if (!models_[id].valid()) models_[id] = kWithoutPrefix;
    }
    Inwards();
    std::vector<JoinedModel> joined;
    const size_t used = CountModels();
    if (used < 2) return joined;
    for (ModelNumber model : IdRange<ModelNumber>(is_used_.size())) {
      if (is_used_[model.index()]) joined.push_back({NameOf(model), PartOf(model)});
    }
    return joined;
  }

 private:
  absl::string_view NameOf(ModelNumber model) const {
    return model == kWithoutPrefix ? "" : prefixes_[model.index() - 1];
  }

  ModelNumber ByName(absl::string_view name) const {
    for (uint32_t i = 0; i < prefixes_.size(); ++i) {
      if (absl::StartsWith(name, prefixes_[i])) return ModelNumber(i + 1);
    }
    return ModelNumber();
  }

  ModelNumber ByNames(NodeId id) const {
    if (const ModelNumber own = ByName(graph_.node(id).name); own.valid()) return own;
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid()) continue;
      if (const ModelNumber made = ByName(graph_.value(value).name); made.valid()) return made;
    }
    return ModelNumber();
  }

  // Whether what has no prefix names modules.
  bool HasModelWithoutPrefix() const {
    IdSet<ValueId> asked(graph_.value_count());  // all readers of each are looked at once
    for (NodeId id : graph_.nodes(graph_.main_block())) {
      if (models_[id].valid()) continue;
      if (absl::StrContains(graph_.node(id).name, '/') || !graph_.metadata(id).empty()) return true;
      for (ValueId value : graph_.inputs(id)) {
        if (!value.valid() || graph_.value(value).kind != ValueKind::kInitializer) continue;
        if (asked.Has(value)) continue;
        asked.Add(value);
        const absl::string_view owner = OwnerInParameterName(graph_.value(value).name);
        const bool is_named = !owner.empty() && !IsNamedAfterReader(graph_, value, owner);
        if (is_named && !ByName(owner).valid()) return true;
      }
    }
    return false;
  }

  // The node itself, or the one of the main graph that it is inside of.
  NodeId OutermostOf(NodeId id) const {
    while (graph_.block(graph_.node(id).block).owner.valid()) {
      id = graph_.block(graph_.node(id).block).owner;
    }
    return id;
  }

  // What optimisers put between the nodes of one model is part of it; what stands before or behind
  // all of them is not.
  void SurroundedNodes() {
    const absl::Span<const NodeId> nodes = graph_.nodes(graph_.main_block());
    IdVector<NodeId, ModelNumber> before = models_;
    IdVector<NodeId, ModelNumber> behind = models_;
    IdSet<NodeId> has_input(graph_.node_count());
    for (NodeId id : nodes) {
      for (ValueId value : graph_.inputs(id)) {
        if (!value.valid()) continue;
        const NodeId producer = graph_.value(value).producer;
        if (graph_.value(value).kind == ValueKind::kInput) has_input.Add(id);
        if (!producer.valid()) continue;
        if (has_input.Has(producer)) has_input.Add(id);
        if (!before[id].valid()) before[id] = before[producer];
      }
    }
    for (size_t i = nodes.size(); i-- > 0;) {
      for (ValueId value : graph_.outputs(nodes[i])) {
        if (!value.valid()) continue;
        for (const Use& use : graph_.uses(value)) {
          if (!behind[nodes[i]].valid()) behind[nodes[i]] = behind[OutermostOf(use.node)];
        }
      }
    }
    for (NodeId id : nodes) {
      const bool is_within = before[id].valid() ? before[id] == behind[id] : !has_input.Has(id);
      if (!models_[id].valid() && is_within) models_[id] = behind[id];
    }
  }

  // Nodes inside of others, and those of functions: of these, the first call in the file's order.
  void Inwards() {
    const IdVector<OpId, BlockId> callees = FindCallees(graph_);
    const absl::Span<const NodeId> outermost = graph_.nodes(graph_.main_block());
    std::queue<NodeId> open;
    for (NodeId id : outermost) open.push(id);
    const auto enter = [&](BlockId block, ModelNumber model) {
      for (NodeId id : graph_.nodes(block)) {
        if (models_[id].valid()) continue;
        models_[id] = model;
        open.push(id);
      }
    };
    for (; !open.empty(); open.pop()) {
      const NodeId id = open.front();
      for (BlockId block : graph_.blocks(id)) enter(block, models_[id]);
      const BlockId callee = CalleeOf(graph_.node(id).op, callees);
      if (callee.valid()) enter(callee, models_[id]);
    }
    // What is never called is of none of them.
    for (ModelNumber& model : models_) {
      if (!model.valid()) model = models_[outermost[0]];
    }
  }

  size_t CountModels() {
    is_used_.assign(prefixes_.size() + 1, false);
    for (NodeId id : graph_.nodes(graph_.main_block())) is_used_[models_[id].index()] = true;
    size_t used = 0;
    for (bool is_used : is_used_) used += is_used ? 1 : 0;
    return used;
  }

  GraphPart PartOf(ModelNumber model) const {
    IdSet<NodeId> nodes(graph_.node_count());
    for (NodeId id : graph_.node_ids()) {
      if (models_[id] == model) nodes.Add(id);
    }
    IdSet<ValueId> unread(graph_.value_count());
    for (ValueId id : graph_.value_ids()) {
      if (!graph_.uses(id).empty()) continue;
      const ModelNumber named = ByName(graph_.value(id).name);
      if ((named.valid() ? named : kWithoutPrefix) == model) unread.Add(id);
    }
    return GraphPart(graph_, nodes, unread);
  }

  const Graph& graph_;
  const absl::Span<const absl::string_view> prefixes_;
  IdVector<NodeId, ModelNumber> models_;
  std::vector<bool> is_used_;
};

// A branch with fewer nodes is no model.
constexpr size_t kLeastInBranch = 16;

// What a branch of an If holds.
struct Branch {
  std::vector<NodeId> nodes;
  std::vector<ValueId> parameters;  // of the main graph, that it reads; ascending
};

class BranchSplitter {
 public:
  explicit BranchSplitter(const Graph& graph) : graph_(graph) {}

  std::vector<JoinedModel> Split() const {
    for (NodeId id : graph_.nodes(graph_.main_block())) {
      const absl::Span<const BlockId> blocks = graph_.blocks(id);
      if (blocks.size() != 2) continue;
      const Branch first = BranchOf(blocks[0]);
      const Branch second = BranchOf(blocks[1]);
      if (AreOneModel(first, second)) return SplitAt(id, second);
    }
    return {};
  }

 private:
  Branch BranchOf(BlockId block) const {
    Branch branch;
    std::vector<BlockId> open = {block};
    while (!open.empty()) {
      const absl::Span<const NodeId> nodes = graph_.nodes(open.back());
      open.pop_back();
      branch.nodes.insert(branch.nodes.end(), nodes.begin(), nodes.end());
      for (NodeId id : nodes) {
        for (BlockId inner : graph_.blocks(id)) open.push_back(inner);
        NoteParameters(id, branch);
      }
    }
    std::vector<ValueId>& parameters = branch.parameters;
    std::sort(parameters.begin(), parameters.end());
    parameters.erase(std::unique(parameters.begin(), parameters.end()), parameters.end());
    return branch;
  }

  void NoteParameters(NodeId id, Branch& branch) const {
    for (ValueId value : graph_.inputs(id)) {
      if (!value.valid() || graph_.value(value).kind != ValueKind::kInitializer ||
          graph_.value(value).block != graph_.main_block()) {
        continue;
      }
      branch.parameters.push_back(value);
    }
  }

  // Most of what either reads is read by the other.
  bool AreOneModel(const Branch& first, const Branch& second) const {
    if (first.nodes.size() < kLeastInBranch || second.nodes.size() < kLeastInBranch) return false;
    std::vector<ValueId> shared;
    std::set_intersection(first.parameters.begin(), first.parameters.end(),
                          second.parameters.begin(), second.parameters.end(),
                          std::back_inserter(shared));
    const size_t most = std::max(first.parameters.size(), second.parameters.size());
    return !shared.empty() && 2 * shared.size() > most;
  }

  std::vector<JoinedModel> SplitAt(NodeId node, const Branch& branch) const {
    IdSet<NodeId> second(graph_.node_count());
    for (NodeId id : branch.nodes) second.Add(id);
    IdSet<NodeId> first(graph_.node_count());
    for (NodeId id : graph_.node_ids()) {
      if (!second.Has(id)) first.Add(id);
    }
    second.Add(node);
    IdSet<ValueId> unread(graph_.value_count());
    for (ValueId id : graph_.value_ids()) {
      if (graph_.uses(id).empty()) unread.Add(id);
    }
    std::vector<JoinedModel> models;
    models.push_back({"", GraphPart(graph_, first, unread)});
    models.push_back({"", GraphPart(graph_, second, IdSet<ValueId>(graph_.value_count()))});
    return models;
  }

  const Graph& graph_;
};

}  // namespace

std::vector<JoinedModel> SplitByBranches(const Graph& graph) {
  return graph.HasOperator("If") ? BranchSplitter(graph).Split() : std::vector<JoinedModel>();
}

std::vector<JoinedModel> SplitByPrefixes(const Graph& graph,
                                         absl::Span<const absl::string_view> prefixes) {
  if (prefixes.empty() || graph.nodes(graph.main_block()).empty()) return {};
  return ModelSplitter(graph, prefixes).Split();
}

}  // namespace onnx_hier
