// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/names/scoped_name.h"
#include "lib/tags/method_name.h"
#include "lib/tree/module_pattern.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier_program/nodes_by_name.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// More lines that mean nothing are counted only.
constexpr size_t kMostWarnings = 20;

constexpr absl::string_view kInPatterns = "*[]{}@";

std::vector<absl::string_view> NamesIn(absl::string_view path) {
  return absl::StrSplit(path, absl::ByAnyChar("/."), absl::SkipEmpty());
}

std::string Dotted(absl::string_view path) { return absl::StrJoin(NamesIn(path), "."); }

// The path that such names get, or none: the pattern means others.
std::optional<std::string> RenamedPath(const UserRule& rule,
                                       const std::vector<absl::string_view>& names) {
  const std::vector<absl::string_view> patterns = NamesIn(rule.pattern);
  if (patterns.size() != names.size()) return std::nullopt;
  std::vector<absl::string_view> captured;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!CaptureStars(patterns[i], names[i], captured)) return std::nullopt;
  }
  return FillStars(rule.module, captured);
}

class RuleApplier {
 public:
  RuleApplier(const Hierarchy& hierarchy, const UserRules& rules)
      : hierarchy_(hierarchy),
        annotation_(hierarchy.annotation()),
        rules_(rules),
        place_of_(hierarchy.graph().node_count()) {}

  AppliedRules Apply() && {
    applied_.file = rules_.file;
    for (ModuleId id : hierarchy_.modules().ids()) {
      by_name_[Dotted(annotation_.Tag(id))].push_back(id);
    }
    ApplyOwners();
    ApplyRenames();
    for (const UserRule& rule : rules_.rules) {
      if (rule.kind == UserRule::Kind::kBoundary || rule.kind == UserRule::Kind::kMajor ||
          rule.kind == UserRule::Kind::kLeast) {
        ApplyToModules(rule);
      }
    }
    if (left_out_ > 0) {
      applied_.warnings.push_back(
          absl::StrCat(rules_.file, ": and ", left_out_, " more such lines"));
    }
    return std::move(applied_);
  }

 private:
  void Warn(const UserRule& rule, absl::string_view what) {
    if (applied_.warnings.size() >= kMostWarnings) {
      ++left_out_;
      return;
    }
    applied_.warnings.push_back(absl::StrCat(rules_.file, ":", rule.line, ": ", what));
  }
  // Plain names are looked up, so that rules may be many.
  std::vector<ModuleId> ModulesMeant(absl::string_view pattern) const {
    if (pattern.find_first_of(kInPatterns) == absl::string_view::npos) {
      const auto found = by_name_.find(Dotted(pattern));
      return found == by_name_.end() ? std::vector<ModuleId>() : found->second;
    }
    absl::StatusOr<std::vector<ModuleId>> modules = hierarchy_.Match(pattern);
    return modules.ok() ? *std::move(modules) : std::vector<ModuleId>();
  }

  std::string TagMeant(const UserRule& rule) {
    const std::vector<ModuleId> modules = ModulesMeant(rule.module);
    if (modules.size() == 1) return annotation_.Tag(modules[0]);
    const bool is_new = new_modules_.insert(Dotted(rule.module)).second;
    if (is_new)
      Warn(rule, absl::StrCat("there was no module ", QuotedName(rule.module), " before"));
    return TagOfName(rule.module);
  }
  // Of a tag, or a dotted name.
  static std::string TagOfName(absl::string_view name) {
    if (absl::StartsWith(name, "/")) return std::string(name);
    ModulePaths paths;
    return paths.Tag(paths.Parse(name));
  }

  void ApplyOwners() {
    std::vector<std::string> words;
    for (const UserRule& rule : rules_.rules) {
      if (rule.kind == UserRule::Kind::kOwner) words.push_back(rule.pattern);
    }
    if (words.empty()) return;
    const NodesByName names(hierarchy_.graph(), words);
    for (const UserRule& rule : rules_.rules) {
      if (rule.kind != UserRule::Kind::kOwner) continue;
      std::vector<NodeId> nodes = names.Find(rule.pattern);
      if (nodes.empty()) nodes = NodesMeant(rule.pattern);
      if (nodes.empty()) {
        Warn(rule, absl::StrCat("no node or module is meant by ", QuotedName(rule.pattern)));
      } else {
        Place(rule, nodes);
      }
    }
    for (NodeId node : hierarchy_.graph().node_ids()) {
      const UserRule* const rule = place_of_[node];
      if (rule != nullptr) applied_.places.push_back({node, tags_[rule], rule->line});
    }
  }
  std::vector<NodeId> NodesMeant(const std::string& pattern) const {
    std::vector<NodeId> nodes;
    for (ModuleId module : ModulesMeant(pattern)) {
      const absl::Span<const NodeId> inside = hierarchy_.Nodes(module);
      nodes.insert(nodes.end(), inside.begin(), inside.end());
    }
    if (!nodes.empty() ||
        absl::string_view(pattern).find_first_of(kInPatterns) == absl::string_view::npos)
      return nodes;
    absl::StatusOr<std::vector<NodeId>> like = hierarchy_.MatchNodes(pattern);
    return like.ok() ? *std::move(like) : nodes;
  }
  void Place(const UserRule& rule, const std::vector<NodeId>& nodes) {
    const std::string tag = TagMeant(rule);
    tags_[&rule] = tag;
    size_t elsewhere = 0;
    NodeId first;
    for (NodeId node : nodes) {
      if (place_of_[node] != nullptr) continue;
      place_of_[node] = &rule;
      const Assignment& owner = annotation_.assignments[node];
      const bool says_so = IsByName(owner.method) && owner.confidence == 1;
      if (!says_so || annotation_.paths.Tag(owner.primary) == tag) continue;
      if (elsewhere++ == 0) first = node;
    }
    if (elsewhere == 0) return;
    Warn(rule,
         absl::StrCat(Counted(elsewhere, "node says itself", "nodes say themselves"),
                      " to be elsewhere, such as ", QuotedName(hierarchy_.graph().node(first).name),
                      " in ", annotation_.paths.Tag(annotation_.assignments[first].primary)));
  }

  void ApplyRenames() {
    std::vector<const UserRule*> with_stars;
    absl::flat_hash_map<std::string, const UserRule*> plain;  // by what they mean
    for (const UserRule& rule : rules_.rules) {
      if (rule.kind != UserRule::Kind::kRename) continue;
      if (absl::StrContains(rule.pattern, '*')) {
        with_stars.push_back(&rule);
      } else {
        plain.try_emplace(Dotted(rule.pattern), &rule);
      }
    }
    if (with_stars.empty() && plain.empty()) return;
    absl::flat_hash_set<const UserRule*> used;
    const ModulePaths& paths = annotation_.paths;
    for (PathId path : PathsOfModules()) {
      const std::string tag = paths.Tag(path);
      const std::vector<absl::string_view> names = NamesIn(tag);
      const auto found = plain.find(absl::StrJoin(names, "."));
      const UserRule* rule = found == plain.end() ? nullptr : found->second;
      std::optional<std::string> to;
      if (rule != nullptr) to = rule->module;
      for (const UserRule* other : with_stars) {
        if (rule != nullptr && rule->line < other->line) break;
        std::optional<std::string> path_by_other = RenamedPath(*other, names);
        if (!path_by_other.has_value()) continue;
        rule = other;
        to = std::move(path_by_other);
        break;
      }
      if (!to.has_value()) continue;
      used.insert(rule);
      applied_.moves.emplace(tag, AppliedRules::Move{TagOfName(*to), rule->line});
    }
    for (const UserRule& rule : rules_.rules) {
      if (rule.kind == UserRule::Kind::kRename && !used.contains(&rule)) {
        Warn(rule, absl::StrCat("no module is meant by ", QuotedName(rule.pattern)));
      }
    }
  }
  // Lists among them, which are no modules of their own.
  std::vector<PathId> PathsOfModules() const {
    const ModulePaths& paths = annotation_.paths;
    IdSet<PathId> used(paths.size());
    for (ModuleId id : hierarchy_.modules().ids()) {
      paths.AddWithAround(hierarchy_.modules().module(id).path, used);
    }
    std::vector<PathId> list;
    for (PathId path : paths.ids()) {
      if (used.Has(path) && path != paths.root()) list.push_back(path);
    }
    return list;
  }

  void ApplyToModules(const UserRule& rule) {
    const std::vector<ModuleId> modules = ModulesMeant(rule.pattern);
    if (modules.empty())
      Warn(rule, absl::StrCat("no module is meant by ", QuotedName(rule.pattern)));
    for (ModuleId module : modules) {
      if (rule.kind == UserRule::Kind::kBoundary) {
        applied_.boundaries.emplace(annotation_.Tag(module), rule.line);
      } else if (rule.kind == UserRule::Kind::kMajor) {
        applied_.majors.insert(annotation_.Tag(module));
      } else {
        SetLeast(rule, module);
      }
    }
  }
  void SetLeast(const UserRule& rule, ModuleId module) {
    const ModuleId end = hierarchy_.modules().subtree_end(module);
    for (ModuleId id = module; id != end; id = ModuleId(id.index() + 1)) {
      applied_.least.emplace(annotation_.Tag(id), rule.least);
    }
  }

  const Hierarchy& hierarchy_;
  const Annotation& annotation_;
  const UserRules& rules_;
  AppliedRules applied_;
  absl::flat_hash_map<std::string, std::vector<ModuleId>> by_name_;  // of names with dots between
  IdVector<NodeId, const UserRule*> place_of_;
  absl::flat_hash_map<const UserRule*, std::string> tags_;  // of the modules that they give
  absl::flat_hash_set<std::string> new_modules_;
  size_t left_out_ = 0;  // warnings
};

}  // namespace

AppliedRules ApplyRules(const Hierarchy& without, const UserRules& rules) {
  return RuleApplier(without, rules).Apply();
}

}  // namespace onnx_hier
