// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/hierarchy.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/tree/module_pattern.h"
#include "lib/tree/module_roles.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// "BertLayer" of "transformers.models.bert.modeling_bert.BertLayer".
absl::string_view ShortClassName(absl::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

// A path as it is compared with another: however it was separated, and no longer than is worth
// comparing with every module of a large model.
std::string Spelled(absl::string_view path) {
  constexpr size_t kLongest = 128;
  while (absl::ConsumePrefix(&path, "/") || absl::ConsumePrefix(&path, "!")) {
  }
  return absl::StrReplaceAll(path.substr(0, kLongest), {{"/", "."}});
}

}  // namespace

Hierarchy::Hierarchy(const Graph& graph, const Annotation& annotation)
    : graph_(graph),
      annotation_(annotation),
      nodes_(annotation.modules.size(),
             [this](const auto& visit) {
               for (NodeId node : graph_.node_ids()) {
                 if (const ModuleId module = ModuleOf(node); module.valid()) visit(module, node);
               }
             }),
      parameters_(annotation.modules.size(), [this](const auto& visit) {
        for (const OwnedParameter& parameter : annotation_.parameters) {
          visit(modules().Find(parameter.owner), parameter.value);
        }
      }) {}

ModuleId Hierarchy::Find(absl::string_view name) const {
  const ModulePaths& paths = annotation_.paths;
  PathId path = paths.root();
  const char* const separators = absl::StartsWith(name, "/") ? "/" : ".";
  for (absl::string_view part : absl::StrSplit(name, absl::ByAnyChar(separators))) {
    if (part.empty()) continue;
    // A tag joins numbers to the names before them: "/layer.1".
    const PathId whole = paths.FindChild(path, part);
    for (absl::string_view piece : absl::StrSplit(whole.valid() ? "" : part, '.')) {
      if (!piece.empty() && path.valid()) path = paths.FindChild(path, piece);
    }
    if (whole.valid()) path = whole;
    if (!path.valid()) return ModuleId();
  }
  return modules().Find(path);
}

std::vector<ModuleId> Hierarchy::ModulesInFurtherCalls(NodeId node) const {
  std::vector<ModuleId> further;
  if (!annotation_.assignments[node].is_by_call) return further;
  for (PathId path : annotation_.auxiliary_of(node)) further.push_back(modules().Find(path));
  return further;
}

std::vector<ModuleId> Hierarchy::Children(ModuleId module) const {
  std::vector<ModuleId> children;
  const ModuleTree& tree = annotation_.modules;
  for (ModuleId id(module.index() + 1); id != tree.subtree_end(module); id = tree.subtree_end(id)) {
    children.push_back(id);
  }
  return children;
}

std::vector<NodeId> Hierarchy::NodesNamed(absl::string_view name) const {
  std::vector<NodeId> nodes;
  for (NodeId node : graph_.node_ids()) {
    if (graph_.node(node).name == name) nodes.push_back(node);
  }
  return nodes;
}

absl::StatusOr<std::vector<ModuleId>> Hierarchy::Match(absl::string_view pattern) const {
  OH_ASSIGN_OR_RETURN(const ModulePattern parsed, ModulePattern::Parse(pattern));
  const ModuleTree& tree = annotation_.modules;
  const ModulePaths& paths = annotation_.paths;
  IdVector<ModuleId, absl::string_view> roles;
  if (parsed.has_roles()) roles = FindRoles(*this);
  std::vector<ModuleId> matches;
  std::vector<ModuleId> members;  // of lists that are meant
  // Of the modules around the one that is looked at, and of this one.
  std::vector<std::pair<ModuleId, ModulePattern::State>> states;
  for (ModuleId id : tree.ids()) {
    const Module& module = tree.module(id);
    while (!states.empty() && states.back().first != module.parent) states.pop_back();
    ModulePattern::State state = states.empty() ? parsed.Start() : states.back().second;
    // Lists between the two are no modules of their own.
    std::vector<PathId> way;
    const PathId around = module.parent.valid() ? tree.module(module.parent).path : paths.root();
    for (PathId at = module.path; at != around; at = paths.parent(at)) way.push_back(at);
    for (size_t i = way.size(); i-- > 0;) {
      const std::vector<absl::string_view> names =
          absl::StrSplit(paths.name(way[i]), absl::ByAnyChar("/."), absl::SkipEmpty());
      for (size_t k = 0; k < names.size(); ++k) {
        const bool is_end = i == 0 && k + 1 == names.size();
        state = parsed.Enter(state, names[k], is_end ? ShortClassName(module.class_name) : "",
                             is_end && parsed.has_roles() ? roles[id] : "");
      }
      const bool is_new = members.empty() || members.back() != id;
      if (i > 0 && is_new && parsed.Accepts(state)) members.push_back(id);
    }
    if (parsed.Accepts(state)) matches.push_back(id);
    states.emplace_back(id, std::move(state));
  }
  return matches.empty() ? members : matches;
}

absl::StatusOr<std::vector<NodeId>> Hierarchy::MatchNodes(absl::string_view pattern) const {
  OH_ASSIGN_OR_RETURN(const ModulePattern parsed, ModulePattern::Parse(pattern));
  std::vector<NodeId> matches;
  for (NodeId node : graph_.node_ids()) {
    const absl::string_view name = graph_.node(node).name;
    ModulePattern::State state = parsed.Start();
    for (absl::string_view part : absl::StrSplit(name, absl::ByAnyChar("/."), absl::SkipEmpty())) {
      state = parsed.Enter(state, part, "", "");
    }
    if (!name.empty() && parsed.Accepts(state)) matches.push_back(node);
  }
  return matches;
}

std::vector<ModuleId> Hierarchy::Nearest(absl::string_view pattern, size_t count) const {
  const std::string typed = Spelled(pattern);
  const std::string end = absl::StrCat(".", typed);
  // Those that end as the pattern does come first.
  std::vector<std::tuple<bool, size_t, ModuleId>> ranking;
  for (ModuleId id : annotation_.modules.ids()) {
    const PathId path = annotation_.modules.module(id).path;
    if (path == annotation_.paths.root()) continue;
    const std::string name = Spelled(annotation_.paths.QualifiedName(path));
    const bool is_end = !typed.empty() && absl::EndsWithIgnoreCase(name, end);
    ranking.emplace_back(!is_end, EditDistance(typed, name), id);
  }
  count = std::min(count, ranking.size());
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<ptrdiff_t>(count),
                    ranking.end());
  std::vector<ModuleId> nearest;
  for (size_t i = 0; i < count; ++i) nearest.push_back(std::get<ModuleId>(ranking[i]));
  return nearest;
}

}  // namespace onnx_hier
