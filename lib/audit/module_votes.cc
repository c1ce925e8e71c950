// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/module_votes.h"

#include <algorithm>

namespace onnx_hier {
namespace {

constexpr double kRule = 0.6;
constexpr size_t kLeastVoters = 3;
constexpr double kGroupRule = 0.65;
constexpr size_t kLeastScopes = 3;
// Scopes that are looked at for one outside a group.
constexpr size_t kMostHomes = 16;

double Share(size_t part, size_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

void ModuleVotes::Majority::Add(PathId candidate, size_t count) {
  total += count;
  tie = count == votes || (tie && count < votes);
  if (count <= votes) return;
  votes = count;
  tag = candidate;
}

void ModuleVotes::Count() {
  std::vector<PathId> scopes;
  for (const auto& [key, nodes] : counts_) {
    if (scopes.empty() || scopes.back() != key.first) scopes.push_back(key.first);
    by_scope_[key.first].Add(key.second, nodes);
  }
  std::map<std::pair<PathId, PathId>, size_t> votes;  // (module around, tag)
  for (PathId scope : scopes) {
    const Majority& majority = by_scope_[scope];
    if (majority.tie) continue;
    ++votes[{scope, majority.tag}];
    if (scope != scopes_.root()) ++votes[{scopes_.parent(scope), majority.tag}];
    std::vector<PathId>& homes = homes_[majority.tag];
    if (homes.size() < kMostHomes) homes.push_back(scope);
  }
  for (const auto& [key, count] : votes) by_group_[key.first].Add(key.second, count);
}

ModuleVotes::Answer ModuleVotes::OfScope(PathId scope) const {
  const auto found = by_scope_.find(scope);
  if (found == by_scope_.end()) return {};
  const Majority& majority = found->second;
  const double share = Share(majority.votes, majority.total);
  if (majority.total < kLeastVoters || share < kRule) return {};
  return {majority.tag, share};
}

ModuleVotes::Answer ModuleVotes::OfGroupIn(PathId module, PathId tag) const {
  const auto found = by_group_.find(module);
  if (found == by_group_.end()) return {};
  const Majority& majority = found->second;
  const double share = Share(majority.votes, majority.total);
  if (majority.total < kLeastScopes || share < kGroupRule || Compatible(majority.tag, tag))
    return {};
  const auto homes = homes_.find(tag);
  const bool at_home_elsewhere =
      homes != homes_.end() &&
      std::any_of(homes->second.begin(), homes->second.end(),
                  [&](PathId home) { return !scopes_.Contains(module, home); });
  return at_home_elsewhere ? Answer{majority.tag, share} : Answer{};
}

ModuleVotes::Answer ModuleVotes::OfGroup(PathId scope, PathId tag) const {
  const Answer inside = OfGroupIn(scope, tag);
  if (inside.tag.valid() || scope == scopes_.root()) return inside;
  return OfGroupIn(scopes_.parent(scope), tag);
}

}  // namespace onnx_hier
