// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/carried_owners.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "lib/base/distinct_tail.h"
#include "lib/owners/node_owners.h"
#include "lib/tree/module_tree.h"

namespace onnx_hier {
namespace {

// What a function or training graph is known by in both models; "" for other blocks.
std::string BlockKey(const Block& block) {
  if (block.kind == BlockKind::kMain || block.kind == BlockKind::kSubgraph) return "";
  return absl::StrCat(static_cast<int>(block.kind), "\n", block.domain, "\n", block.name, "\n",
                      block.overload, "\n", block.attribute, "\n", block.position);
}

// Calls `found` for each node of the flat model that is one of the folded model or is made of one,
// those of earlier calls first.
class TwinFinder {
 public:
  TwinFinder(const Graph& flat, const Graph& folded, const FlatOrigins& origins,
             absl::FunctionRef<void(NodeId flat, NodeId folded)> found)
      : flat_(flat), folded_(folded), found_(found) {
    PairMain(origins);
    PairOthers();
  }

 private:
  void PairMain(const FlatOrigins& origins);
  void PairOthers();
  void Pair(NodeId flat, NodeId folded);
  void PairAll(absl::Span<const NodeId> flat, absl::Span<const NodeId> folded) {
    for (size_t i = 0; i < std::min(flat.size(), folded.size()); ++i) Pair(flat[i], folded[i]);
  }

  const Graph& flat_;
  const Graph& folded_;
  const absl::FunctionRef<void(NodeId, NodeId)> found_;
};

void TwinFinder::PairMain(const FlatOrigins& origins) {
  const absl::Span<const NodeId> nodes = flat_.nodes(flat_.main_block());
  std::vector<size_t> order;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (origins.nodes[i].node.valid()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return origins.nodes[a].call < origins.nodes[b].call;
  });
  for (size_t i : order) Pair(nodes[i], origins.nodes[i].node);
}

// Functions of others, and training graphs.
void TwinFinder::PairOthers() {
  absl::flat_hash_map<std::string, BlockId> others;
  for (BlockId id : folded_.block_ids()) {
    const std::string key = BlockKey(folded_.block(id));
    if (!key.empty()) others.try_emplace(key, id);
  }
  for (BlockId id : flat_.block_ids()) {
    const auto other = others.find(BlockKey(flat_.block(id)));
    if (other != others.end()) PairAll(flat_.nodes(id), folded_.nodes(other->second));
  }
}

// With the graphs inside of them.
void TwinFinder::Pair(NodeId flat, NodeId folded) {
  std::vector<std::pair<NodeId, NodeId>> open = {{flat, folded}};
  while (!open.empty()) {
    const auto [ours, theirs] = open.back();
    open.pop_back();
    found_(ours, theirs);
    const absl::Span<const BlockId> graphs = flat_.blocks(ours);
    const absl::Span<const BlockId> twins = folded_.blocks(theirs);
    for (size_t i = 0; i < std::min(graphs.size(), twins.size()); ++i) {
      const absl::Span<const NodeId> inner = flat_.nodes(graphs[i]);
      const absl::Span<const NodeId> inner_twins = folded_.nodes(twins[i]);
      for (size_t k = 0; k < std::min(inner.size(), inner_twins.size()); ++k) {
        open.emplace_back(inner[k], inner_twins[k]);
      }
    }
  }
}

class OwnerCarrier {
 public:
  OwnerCarrier(const Graph& flat, Annotation annotation, const Graph& folded,
               const FlatOrigins& origins)
      : flat_(flat),
        from_(std::move(annotation)),
        folded_(folded),
        origins_(origins),
        owners_(folded.node_count()),
        twins_(flat.node_count()) {}

  Annotation Carry() && {
    TwinFinder(flat_, folded_, origins_, [this](NodeId flat, NodeId folded) {
      owners_[folded].push_back(from_.assignments[flat]);
      twins_[flat] = folded;
    });
    PlaceCalls();
    TakeOwners();
    TakeParameters();
    to_.modules = WithNodesOf(from_.modules, from_.paths.size(), to_.assignments);
    if (from_.network.size() > 0) {
      to_.network = WithNodesOf(from_.network, from_.paths.size(), to_.assignments);
    }
    to_.dialect = std::move(from_.dialect);
    to_.contamination = from_.contamination;
    to_.paths = std::move(from_.paths);
    return std::move(to_);
  }

 private:
  // What a call stands for.
  struct Inside {
    PathId around;     // all nodes of it
    float surely = 1;  // the least of their containments
  };

  void PlaceCalls();
  std::vector<Inside> LookInside() const;
  std::vector<std::string> CallNames() const;
  void TakeOwners();
  Assignment Merged(absl::Span<const Assignment> owners);
  void TakeParameters();
  OwnedParameter InFolded(
      const OwnedParameter& parameter,
      const absl::flat_hash_map<absl::string_view, ValueId>& initializers) const;

  const Graph& flat_;
  Annotation from_;
  const Graph& folded_;
  const FlatOrigins& origins_;
  // Of a folded node, in all nodes of the flat model that it stands for, those of earlier calls
  // first.
  IdVector<NodeId, std::vector<Assignment>> owners_;
  IdVector<NodeId, NodeId> twins_;  // of flat nodes: the folded one
  Annotation to_;
};

std::vector<OwnerCarrier::Inside> OwnerCarrier::LookInside() const {
  std::vector<Inside> inside(origins_.calls.size());
  const auto add = [&](uint32_t call, const Inside& part) {
    if (call == kNoCall || !part.around.valid()) return;
    inside[call].around = from_.paths.Join(inside[call].around, part.around);
    inside[call].surely = std::min(inside[call].surely, part.surely);
  };
  const absl::Span<const NodeId> nodes = flat_.nodes(flat_.main_block());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Assignment& owner = from_.assignments[nodes[i]];
    add(origins_.nodes[i].call, {owner.primary, owner.containment});
  }
  // Calls come behind those around them.
  for (size_t i = inside.size(); i-- > 0;) add(origins_.calls[i].around, inside[i]);
  return inside;
}

// From the main graph on: names in bodies are relative to the call's.
std::vector<std::string> OwnerCarrier::CallNames() const {
  std::vector<std::string> names;
  names.reserve(origins_.calls.size());
  for (const UnfoldedCall& call : origins_.calls) {
    const absl::string_view name = folded_.node(call.node).name;
    // Where a name is missing, nothing is named after the call.
    const bool is_whole = name.empty() || call.around == kNoCall || name[0] == '/';
    names.push_back(is_whole ? std::string(name) : absl::StrCat(names[call.around], "/", name));
  }
  return names;
}

void OwnerCarrier::PlaceCalls() {
  const ModuleTree& modules = from_.modules;
  absl::flat_hash_map<std::string, ModuleId> tags;
  IdVector<PathId, ModuleId> listed(from_.paths.size());
  for (ModuleId id : modules.ids()) {
    tags.emplace(from_.paths.Tag(modules.module(id).path), id);
    listed[modules.module(id).path] = id;
  }
  const std::vector<Inside> inside = LookInside();
  const std::vector<std::string> names = CallNames();
  IdVector<ModuleId, uint32_t> runs(modules.size(), 0);
  for (size_t i = 0; i < inside.size(); ++i) {
    PathId path = inside[i].around.valid() ? inside[i].around : from_.paths.root();
    while (!listed[path].valid()) path = from_.paths.parent(path);
    const auto named = tags.find(names[i]);
    const ModuleId module = named == tags.end() ? listed[path] : named->second;
    Assignment owner;
    owner.primary = modules.module(module).path;
    owner.method = Method::kFunction;
    owner.confidence = inside[i].surely;
    if (modules.module(module).calls > 1) owner.call = runs[module]++;
    owners_[origins_.calls[i].node].push_back(owner);
  }
}

void OwnerCarrier::TakeOwners() {
  NodeOwners owners(folded_.node_count(), from_.paths.root());
  for (NodeId id : folded_.node_ids()) {
    if (!owners_[id].empty()) owners.Decide(id, Merged(owners_[id]));
  }
  to_.assignments = std::move(owners).Take();
}

// As sure as the least sure of them.
Assignment OwnerCarrier::Merged(absl::Span<const Assignment> owners) {
  Assignment merged = owners[0];
  if (merged.witness.valid()) merged.witness = twins_[merged.witness];
  const auto begin = static_cast<uint32_t>(to_.auxiliary.size());
  DistinctTail<PathId> tail(to_.auxiliary);
  const auto add = [&](PathId path) {
    if (path != merged.primary) tail.Add(path);
  };
  if (owners.size() == 1) {
    for (uint32_t i = merged.auxiliary.begin; i < merged.auxiliary.end; ++i) {
      add(from_.auxiliary[i]);
    }
  }
  for (const Assignment& other : owners.subspan(1)) {
    add(other.primary);
    merged.confidence = std::min(merged.confidence, other.confidence);
    merged.containment = std::min(merged.containment, other.containment);
  }
  merged.auxiliary = {begin, static_cast<uint32_t>(to_.auxiliary.size())};
  merged.is_by_call = owners.size() > 1;
  return merged;
}

// A parameter of the flat model in the folded one; no value: it is not there.
OwnedParameter OwnerCarrier::InFolded(
    const OwnedParameter& parameter,
    const absl::flat_hash_map<absl::string_view, ValueId>& initializers) const {
  const Value& value = flat_.value(parameter.value);
  if (value.kind == ValueKind::kInitializer) {
    const auto same = initializers.find(value.name);
    if (same == initializers.end() || value.block != flat_.main_block()) return {};
    return {same->second, folded_.value(same->second).tensor, parameter.owner};
  }
  const NodeId node = twins_[value.producer];
  if (!node.valid() || folded_.tensors(node).empty() || folded_.outputs(node).empty()) return {};
  return {folded_.outputs(node)[0], folded_.tensors(node)[0], parameter.owner};
}

// What several calls hold is one tensor of their function.
void OwnerCarrier::TakeParameters() {
  absl::flat_hash_map<absl::string_view, ValueId> initializers;
  for (ValueId id : folded_.value_ids()) {
    const Value& value = folded_.value(id);
    if (value.kind == ValueKind::kInitializer && value.block == folded_.main_block()) {
      initializers.emplace(value.name, id);
    }
  }
  IdVector<ValueId, OwnedParameter> taken(folded_.value_count());
  for (const OwnedParameter& parameter : from_.parameters) {
    const OwnedParameter ours = InFolded(parameter, initializers);
    if (ours.value.valid() && !taken[ours.value].value.valid()) taken[ours.value] = ours;
  }
  for (ValueId id : folded_.value_ids()) {
    if (taken[id].value.valid()) to_.parameters.push_back(taken[id]);
  }
}

}  // namespace

IdVector<NodeId, NodeId> FindTwins(const Graph& flat, const Graph& folded,
                                   const FlatOrigins& origins) {
  IdVector<NodeId, NodeId> twins(flat.node_count());
  TwinFinder(flat, folded, origins, [&](NodeId ours, NodeId theirs) { twins[ours] = theirs; });
  return twins;
}

Assignments SpreadOwners(const Graph& flat, const Annotation& annotation, const Graph& folded,
                         const FlatOrigins& origins) {
  const ModulePaths& paths = annotation.paths;
  // Of the owners that a node has in all calls, the one in this one.
  const auto in_call = [&](NodeId node, PathId around) {
    Assignment owner = annotation.assignments[node];
    if (!around.valid() || paths.Contains(around, owner.primary)) return owner;
    const absl::Span<const PathId> further = annotation.auxiliary_of(node);
    const auto inside = std::find_if(further.begin(), further.end(), [&](PathId path) {
      return owner.is_by_call && paths.Contains(around, path);
    });
    owner.primary = inside == further.end() ? around : *inside;
    return owner;
  };
  std::vector<PathId> modules;  // of calls, in order
  modules.reserve(origins.calls.size());
  for (const UnfoldedCall& call : origins.calls) {
    const PathId around = call.around == kNoCall ? PathId() : modules[call.around];
    modules.push_back(in_call(call.node, around).primary);
  }
  NodeOwners owners(flat.node_count(), paths.root());
  IdVector<NodeId, uint32_t> calls(flat.node_count(), kNoCall);
  const absl::Span<const NodeId> nodes = flat.nodes(flat.main_block());
  for (size_t i = 0; i < nodes.size(); ++i) calls[nodes[i]] = origins.nodes[i].call;
  const IdVector<NodeId, NodeId> twins = FindTwins(flat, folded, origins);
  // Nodes come before those inside of them.
  for (NodeId id : flat.node_ids()) {
    const NodeId outer = flat.block(flat.node(id).block).owner;
    if (outer.valid()) calls[id] = calls[outer];
    if (!twins[id].valid()) continue;
    Assignment owner = in_call(twins[id], calls[id] == kNoCall ? PathId() : modules[calls[id]]);
    owner.auxiliary = {};
    owner.is_by_call = false;
    owners.Decide(id, owner);
  }
  return std::move(owners).Take();
}

Annotation CarryOwners(const Graph& flat, Annotation annotation, const Graph& folded,
                       const FlatOrigins& origins) {
  return OwnerCarrier(flat, std::move(annotation), folded, origins).Carry();
}

}  // namespace onnx_hier
