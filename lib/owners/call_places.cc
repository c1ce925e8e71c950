// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/call_places.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/names/module_children.h"
#include "lib/owners/known_modules.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kNoRole = 0xFFFFFFFFu;

// Of what is in a call of which nobody says where it is: nodes in calls of other modules are built
// alike, so that comparisons with these say little.
constexpr float kUnknownCallConfidence = 0.5f;

// Whether they lie in different members of the list `around`.
bool AreMembers(PathId a, PathId b, PathId around, const ModulePaths& paths) {
  const uint32_t depth = paths.depth(around) + 1;
  const auto is_in_member = [&](PathId path) {
    return paths.depth(path) >= depth && paths.is_number(paths.AncestorAtDepth(path, depth));
  };
  return is_in_member(a) && is_in_member(b);
}

// The path inside of `to` that `path` is inside of `from`.
PathId Moved(PathId path, PathId from, PathId to, ModulePaths& paths) {
  std::vector<PathId> inside;
  for (; path != from; path = paths.parent(path)) inside.push_back(path);
  for (size_t i = inside.size(); i-- > 0;) to = paths.Child(to, std::string(paths.name(inside[i])));
  return to;
}

}  // namespace

CallPlaces::CallPlaces(const Graph& graph, const FlatOrigins& origins, ModulePaths& paths,
                       Evidence& evidence)
    : graph_(graph),
      origins_(origins),
      call_of_(graph.node_count(), kNoCall),
      role_of_(graph.node_count(), kNoRole),
      places_(origins.calls.size()) {
  FindNodes();
  FindModules(paths, evidence);
  Move(paths, evidence);
}

void CallPlaces::FindNodes() {
  absl::flat_hash_map<BlockId, uint32_t> firsts;
  first_calls_.reserve(origins_.calls.size());
  for (uint32_t call = 0; call < origins_.calls.size(); ++call) {
    first_calls_.push_back(firsts.try_emplace(origins_.calls[call].function, call).first->second);
  }
  // The n-th node in a node of a body is one in all calls, too.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> roles;
  const absl::Span<const NodeId> nodes = graph_.nodes(graph_.main_block());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const FlatOrigin& origin = origins_.nodes[i];
    if (origin.call == kNoCall || !origin.node.valid()) continue;
    const auto body_node = static_cast<uint32_t>(origin.node.index());
    uint32_t inner = 0;
    std::vector<NodeId> members = {nodes[i]};
    for (size_t k = 0; k < members.size(); ++k) {
      call_of_[members[k]] = origin.call;
      role_of_[members[k]] = roles.try_emplace({body_node, inner++}, roles_).first->second;
      roles_ = static_cast<uint32_t>(roles.size());
      for (BlockId block : graph_.blocks(members[k])) {
        const absl::Span<const NodeId> inside = graph_.nodes(block);
        members.insert(members.end(), inside.begin(), inside.end());
      }
    }
  }
}

// What the parameters are of that a call's nodes read.
std::vector<CallPlaces::Read> CallPlaces::FindReads(const ModulePaths& paths,
                                                    const Evidence& evidence) const {
  // What all calls read alike says nothing of a single one: a table that all layers share.
  struct Role {
    PathId anchor;
    uint32_t calls = 0;
    bool is_alike = true;
  };
  std::vector<Role> roles(roles_);
  for (NodeId id : graph_.node_ids()) {
    if (role_of_[id] == kNoRole) continue;
    Role& role = roles[role_of_[id]];
    const PathId anchor = AnchorOf(evidence, id, paths);
    if (role.calls++ > 0 && anchor != role.anchor) role.is_alike = false;
    role.anchor = anchor;
  }
  std::vector<Read> reads(origins_.calls.size());
  for (NodeId id : graph_.node_ids()) {
    if (role_of_[id] == kNoRole) continue;
    const PathId anchor = AnchorOf(evidence, id, paths);
    if (!anchor.valid()) continue;
    Read& read = reads[call_of_[id]];
    const Role& role = roles[role_of_[id]];
    if (role.is_alike && role.calls > 1) continue;
    read.has_several = read.has_several || (read.last.valid() && read.last != anchor);
    read.last = anchor;
    read.all = paths.Join(read.all, anchor);
  }
  for (size_t call = reads.size(); call-- > 0;) {
    const uint32_t around = origins_.calls[call].around;
    if (around != kNoCall) reads[around].all = paths.Join(reads[around].all, reads[call].all);
  }
  return reads;
}

void CallPlaces::FindModules(ModulePaths& paths, const Evidence& evidence) {
  for (NodeId id : graph_.node_ids()) {
    if (call_of_[id] == kNoCall) continue;
    Place& place = places_[call_of_[id]];
    const NodeEvidence& node = evidence.nodes[id];
    if (node.place.valid()) place.named = paths.Join(place.named, node.place);
    if (node.method == Method::kMetadata) place.has_metadata = true;
  }
  std::vector<PathId> holders;
  for (PathId owner : evidence.value_owners) {
    if (owner.valid()) holders.push_back(owner);
  }
  const ModuleChildren children(paths, holders);
  const std::vector<Read> reads = FindReads(paths, evidence);
  for (uint32_t call = 0; call < places_.size(); ++call) {
    Place& place = places_[call];
    const UnfoldedCall& unfolded = origins_.calls[call];
    if (unfolded.module.has_value()) {
      place.module = InCall(paths.Parse(*unfolded.module), unfolded.around, paths);
      continue;
    }
    PathId read = reads[call].all;
    while (read.valid() && read != paths.root() && children.is_list(read)) {
      read = paths.parent(read);
    }
    if (!read.valid()) continue;
    // The name of a call may say more of where it is than what it reads.
    const bool is_around =
        place.named.valid() && !reads[call].has_several && paths.Contains(place.named, read);
    const uint32_t first = first_calls_[call];
    if (call == first && place.named.valid()) {
      // Names that are right in the first call tell of a module around what it reads, and others
      // are as far around what they read; names that share nothing with it are no scopes of it.
      const PathId around = paths.CommonAncestor(read, place.named);
      const bool tells = around != paths.root() &&
                         (around == place.named ||
                          (place.has_metadata && !AreMembers(read, place.named, around, paths)));
      if (tells) place.raised = paths.depth(read) - paths.depth(around);
    }
    const uint32_t depth = paths.depth(read);
    place.module =
        is_around ? place.named
                  : paths.AncestorAtDepth(read, depth - std::min(depth, places_[first].raised));
  }
}

// What is said of a body's node, and is so in the first call, in this one.
PathId CallPlaces::InCall(PathId path, uint32_t call, ModulePaths& paths) const {
  const PathId here = call == kNoCall ? PathId() : ModuleAround(call);
  if (!here.valid() || paths.Contains(here, path)) return path;
  const PathId first = ModuleAround(first_calls_[call]);
  if (first.valid() && paths.Contains(first, path)) return Moved(path, first, here, paths);
  const PathId named = places_[call].named;
  return named.valid() && paths.Contains(named, path) ? Moved(path, named, here, paths) : here;
}

PathId CallPlaces::ModuleAround(uint32_t call) const {
  while (call != kNoCall && !places_[call].module.valid()) call = origins_.calls[call].around;
  return call == kNoCall ? PathId() : places_[call].module;
}

void CallPlaces::Move(ModulePaths& paths, Evidence& evidence) const {
  for (NodeId id : graph_.node_ids()) {
    const uint32_t call = call_of_[id];
    Statement said = evidence.nodes[id];
    if (call == kNoCall || !said.place.valid()) continue;
    said.call = 0;
    const PathId here = places_[call].module;
    if (!here.valid()) {
      // What is said of the first call says nothing of another one, and what lies outside of the
      // call around is said of something else.
      const PathId around = ModuleAround(call);
      const bool is_inside = !around.valid() || paths.Contains(around, said.place);
      if (call != first_calls_[call] || !is_inside) said.place = PathId();
    } else if (said.method != Method::kMetadata && said.place == places_[call].named) {
      // The call's own scope says nothing more of a single node.
      const PathId anchor = AnchorOf(evidence, id, paths);
      const bool is_inside = anchor.valid() && paths.Contains(here, anchor);
      said.place = is_inside ? anchor : here;
      said.method = is_inside ? Method::kParameters : Method::kFunction;
    } else {
      said.place = InCall(said.place, call, paths);
    }
    evidence.nodes.Say(id, said);
  }
}

void CallPlaces::Keep(ModulePaths& paths, NodeOwners& owners) const {
  struct Vote {
    PathId path;  // inside of the first call
    float sum = 0;
  };
  std::vector<Vote> best(roles_);
  absl::flat_hash_map<std::pair<uint32_t, PathId>, float> sums;
  const auto modules = [&](NodeId id) {
    const uint32_t call = call_of_[id];
    if (call == kNoCall) return std::make_pair(PathId(), PathId());
    return std::make_pair(places_[call].module, places_[first_calls_[call]].module);
  };
  for (NodeId id : graph_.node_ids()) {
    const auto [here, first] = modules(id);
    const Assignment& owner = owners[id];
    if (!here.valid() || !first.valid() || !paths.Contains(here, owner.primary)) continue;
    const PathId path = Moved(owner.primary, here, first, paths);
    const float sum = sums[{role_of_[id], path}] += owner.confidence;
    Vote& most = best[role_of_[id]];
    if (!most.path.valid() || sum > most.sum) most = {path, sum};
  }
  for (NodeId id : graph_.node_ids()) {
    if (call_of_[id] == kNoCall) continue;
    const auto [here, first] = modules(id);
    if (!here.valid() || !first.valid()) {
      const PathId around = ModuleAround(call_of_[id]);
      if (around.valid() && !paths.Contains(around, owners[id].primary)) owners.Move(id, around);
      // That it is built like the first call is no sign of where it is.
      if (call_of_[id] == first_calls_[call_of_[id]]) continue;
      owners.Doubt(id, kUnknownCallConfidence, kUnknownCallConfidence);
    } else {
      const PathId path = best[role_of_[id]].path;
      owners.Move(id, path.valid() ? Moved(path, first, here, paths) : here);
    }
  }
}

}  // namespace onnx_hier
