// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/rule_places.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/names/scoped_name.h"

namespace onnx_hier {
namespace {

// Where the node says that it is: by names, or by the one module whose parameters it reads.
PathId SaidBy(const Evidence& evidence, NodeId node) {
  const NodeEvidence& said = evidence.nodes[node];
  if (said.place.valid()) return said.is_around ? PathId() : said.place;
  const absl::Span<const PathId> owners = evidence.owners_of(node);
  return owners.size() == 1 ? owners[0] : PathId();
}

void MoveAll(const IdVector<PathId, PathId>& to, Evidence& evidence) {
  const auto move = [&to](PathId& path) {
    if (path.valid()) path = to[path];
  };
  evidence.nodes.Rename(to);
  for (PathId& owner : evidence.owners) move(owner);
  for (PathId& owner : evidence.value_owners) move(owner);
  for (auto& [path, class_name] : evidence.classes) move(path);
  for (ModelEvidence& model : evidence.models) {
    move(model.top);
    MoveAll(to, model.evidence);
  }
}

void MoveSet(const IdVector<PathId, PathId>& to, size_t paths, IdSet<PathId>& set) {
  if (set.size() == 0) return;
  IdSet<PathId> moved(paths);
  for (PathId path : IdRange<PathId>(std::min(set.size(), to.size()))) {
    if (set.Contains(path)) moved.Add(to[path]);
  }
  set = std::move(moved);
}

}  // namespace

void RulePlaces::Place(Evidence& evidence) const {
  for (const AppliedRules::Place& place : rules_.places) {
    const PathId module = PathOfTag(place.module, paths_);
    evidence.nodes.Say(place.node, {.place = module, .method = Method::kRule});
    if (evidence.called.size() == 0) continue;
    if (evidence.called.size() < paths_.size()) evidence.called.Resize(paths_.size());
    evidence.called.Add(module);
  }
}

Least RulePlaces::LeastOf(float everywhere) const {
  if (rules_.least.empty()) return Least(everywhere);
  std::vector<std::pair<PathId, float>> given;
  for (const auto& [tag, least] : rules_.least) given.emplace_back(PathOfTag(tag, paths_), least);
  IdVector<PathId, std::optional<float>> of(paths_.size());
  for (const auto& [path, least] : given) of[path] = least;
  return Least(everywhere, std::move(of), paths_);
}

std::vector<RuledNode> RulePlaces::Keep(const Evidence& evidence, NodeOwners& owners) const {
  IdVector<PathId, PathId> major(paths_.size());  // the innermost such module around; or none
  if (!rules_.majors.empty()) {
    for (PathId path : paths_.ids()) {
      const bool is_major = rules_.majors.contains(paths_.Tag(path));
      const PathId parent = paths_.parent(path);
      major[path] = is_major ? path : parent.valid() ? major[parent] : PathId();
    }
    for (NodeId node : IdRange<NodeId>(owners.size())) {
      const PathId said = SaidBy(evidence, node);
      if (!said.valid() || !major[said].valid()) continue;
      if (paths_.Contains(major[said], owners[node].primary)) continue;
      const NodeEvidence& own = evidence.nodes[node];
      owners.Decide(node, {.primary = said,
                           .confidence = own.confidence,
                           .method = own.place.valid() ? own.method : Method::kParameters,
                           .call = own.call});
    }
  }
  std::vector<RuledNode> ruled;
  for (const AppliedRules::Place& place : rules_.places) {
    owners.Decide(
        place.node,
        {.primary = PathOfTag(place.module, paths_), .confidence = 1, .method = Method::kRule});
    ruled.push_back({place.node, place.line});
  }
  return ruled;
}

RulePlaces::Renamed RulePlaces::RenamePaths() const {
  const size_t count = paths_.size();
  Renamed renamed = {IdVector<PathId, PathId>(count), IdVector<PathId, size_t>(count)};
  IdVector<PathId, size_t> closed(count);  // by the line of the boundary around; 0: there is none
  // Parents are made before their children, and the targets after all of these.
  for (PathId path : IdRange<PathId>(count)) {
    const PathId parent = paths_.parent(path);
    PathId to = path;
    size_t line = 0;
    if (parent.valid() && closed[parent] != 0) {
      renamed.to[path] = renamed.to[parent];
      renamed.line[path] = closed[path] = closed[parent];
      continue;
    }
    const std::string tag = paths_.Tag(path);
    if (const auto move = rules_.moves.find(tag); move != rules_.moves.end()) {
      to = PathOfTag(move->second.to, paths_);
      line = move->second.line;
    } else if (parent.valid() && renamed.to[parent] != parent) {
      to = paths_.Child(renamed.to[parent], std::string(paths_.name(path)));
      line = renamed.line[parent];
    }
    renamed.to[path] = to;
    renamed.line[path] = line;
    const auto boundary = rules_.boundaries.find(tag);
    if (boundary != rules_.boundaries.end()) closed[path] = boundary->second;
  }
  return renamed;
}

RulePlaces::Renamed RulePlaces::Rename(Evidence& evidence) const {
  Renamed renamed = RenamePaths();
  MoveAll(renamed.to, evidence);
  for (IdSet<PathId>* set :
       {&evidence.called, &evidence.mapped_owners, &evidence.mapped_candidates}) {
    MoveSet(renamed.to, paths_.size(), *set);
  }
  return renamed;
}

void RulePlaces::Rename(const Renamed& renamed, NodeOwners& owners, std::vector<RuledNode>& ruled) {
  absl::flat_hash_map<NodeId, size_t> lines;
  for (const RuledNode& node : ruled) lines.emplace(node.node, node.line);
  ruled.clear();
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    const PathId module = owners[node].primary;
    const auto placed = lines.find(node);
    size_t line = placed == lines.end() ? 0 : placed->second;
    if (module.valid()) {
      if (line == 0) line = renamed.line[module];
      owners.Move(node, renamed.to[module]);
    }
    if (line != 0) ruled.push_back({node, line});
  }
}

}  // namespace onnx_hier
