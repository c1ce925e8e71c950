// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/tree/module_roles.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {
namespace {

bool KnowsClasses(const Hierarchy& hierarchy) {
  const ModuleTree& modules = hierarchy.annotation().modules;
  for (ModuleId id : modules.ids()) {
    if (!modules.module(id).class_name.empty()) return true;
  }
  return false;
}

// Members of lists as Python counts them: "layer[0]" is "layer.0" here.
std::string WithoutIndices(absl::string_view pattern) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const size_t end = pattern.find_first_not_of("0123456789", i + 1);
    const bool is_index =
        pattern[i] == '[' && end > i + 1 && end < pattern.size() && pattern[end] == ']';
    if (!is_index) {
      text += pattern[i];
      continue;
    }
    if (!absl::EndsWith(text, ".")) text += '.';
    absl::StrAppend(&text, pattern.substr(i + 1, end - i - 1));
    i = end;
  }
  return text;
}

// "; '**.layer.1' means /bert/encoder/layer.1", of modules that end as the pattern does or are
// members of the list that it names, or "".
std::string MeantByLonger(const Hierarchy& hierarchy, absl::string_view pattern) {
  if (pattern.empty()) return "";
  std::vector<std::string> longer = {absl::StrCat(pattern, ".*")};
  if (!absl::StartsWith(pattern, "/")) {
    longer.push_back(absl::StrCat("**.", pattern));
    longer.push_back(absl::StrCat("**.", pattern, ".*"));
  }
  for (const std::string& other : longer) {
    const absl::StatusOr<std::vector<ModuleId>> matches = hierarchy.Match(other);
    if (!matches.ok() || matches->empty()) continue;
    const size_t more = matches->size() - 1;
    return absl::StrCat("; '", other, "' means ", hierarchy.annotation().Tag(matches->front()),
                        more == 0 ? "" : absl::StrCat(" and ", more, " more"));
  }
  return "";
}

bool IsRegularExpression(absl::string_view pattern) {
  return absl::StartsWith(pattern, "^") || absl::EndsWith(pattern, "$") ||
         absl::StartsWith(pattern, ".*") || absl::StrContains(pattern, ".+") ||
         absl::StrContains(pattern, "\\") ||
         (absl::StrContains(pattern, "(") && absl::StrContains(pattern, "|"));
}

// "encoder.layer has 0 to 11", of a member that there is not; "": the pattern is no member's.
std::string OtherMembers(const Hierarchy& hierarchy, absl::string_view pattern) {
  const size_t end = pattern.find_last_of("./");
  uint64_t number = 0;
  if (end == absl::string_view::npos || !absl::SimpleAtoi(pattern.substr(end + 1), &number)) {
    return "";
  }
  const absl::string_view list = pattern.substr(0, end);
  const absl::StatusOr<std::vector<ModuleId>> members =
      hierarchy.Match(absl::StrCat(list, ".[0-4294967295]"));
  if (!members.ok() || members->size() < 2) return "";
  const Annotation& annotation = hierarchy.annotation();
  const auto number_of = [&](ModuleId id) {
    return annotation.paths.name(annotation.modules.module(id).path);
  };
  return absl::StrCat(list, " has ", number_of(members->front()), " to ",
                      number_of(members->back()));
}

}  // namespace

std::string NearestModules(const Hierarchy& hierarchy, absl::string_view pattern) {
  constexpr size_t kSuggestions = 3;
  std::vector<std::string> paths;
  for (ModuleId module : hierarchy.Nearest(pattern, kSuggestions)) {
    paths.push_back(hierarchy.annotation().Tag(module));
  }
  return paths.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(paths, ", "));
}

std::string NoSuchModule(const Hierarchy& hierarchy, absl::string_view pattern) {
  const Graph& graph = hierarchy.graph();
  const std::string none = absl::StrCat("no module is meant by '", pattern, "'");
  if (IsRegularExpression(pattern)) {
    return absl::StrCat(none,
                        ": patterns are no regular expressions; '*' is any part of a name, "
                        "'**' any number of names, '{a,b}' either");
  }
  if (const std::string members = OtherMembers(hierarchy, pattern); !members.empty()) {
    return absl::StrCat(none, ": ", members);
  }
  const std::vector<NodeId> named = hierarchy.NodesNamed(pattern);
  if (!named.empty() && !pattern.empty()) {
    const Annotation& annotation = hierarchy.annotation();
    return absl::StrCat(none, ", which is the name of a node in ",
                        annotation.paths.Tag(annotation.assignments[named[0]].primary));
  }
  if (graph.HasOperator(pattern)) {
    return absl::StrCat(none, ", which is an operator ('select' and 'explain' take --op ", pattern,
                        ")");
  }
  const size_t at = pattern.rfind('@');
  if (at != absl::string_view::npos && IsRole(pattern.substr(at + 1))) {
    return absl::StrCat(none, ": no module there is one, as far as its operators tell");
  }
  if (at != absl::string_view::npos && !KnowsClasses(hierarchy)) {
    return absl::StrCat(none, ": no classes are known of this model; --module-map FILE gives them");
  }
  if (const std::string longer = MeantByLonger(hierarchy, pattern); !longer.empty()) {
    return absl::StrCat(none, longer);
  }
  if (const std::string dotted = WithoutIndices(pattern); dotted != pattern) {
    return absl::StrCat(none, " (did you mean '", dotted, "'?)");
  }
  return absl::StrCat(none, NearestModules(hierarchy, pattern));
}

absl::StatusOr<std::vector<ModuleId>> FindModules(const Hierarchy& hierarchy,
                                                  absl::Span<const std::string> patterns) {
  std::vector<ModuleId> modules;
  for (const std::string& pattern : patterns) {
    if (absl::StartsWith(pattern, "!")) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", pattern, "' takes away, which only 'select' and 'explain' do"));
    }
    const absl::StatusOr<std::vector<ModuleId>> matches = hierarchy.Match(pattern);
    if (!matches.ok()) return matches.status();
    if (matches->empty()) return absl::NotFoundError(NoSuchModule(hierarchy, pattern));
    modules.insert(modules.end(), matches->begin(), matches->end());
  }
  std::sort(modules.begin(), modules.end());
  modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
  return modules;
}

std::vector<ModuleId> WithoutInner(const Hierarchy& hierarchy, absl::Span<const ModuleId> modules) {
  std::vector<ModuleId> outer;
  ModuleId inside_until(0);
  for (ModuleId module : modules) {
    if (module < inside_until) continue;
    inside_until = hierarchy.modules().subtree_end(module);
    outer.push_back(module);
  }
  return outer;
}

std::vector<ModuleId> ModulesDownTo(const Hierarchy& hierarchy, absl::Span<const ModuleId> modules,
                                    uint32_t depth) {
  const Annotation& annotation = hierarchy.annotation();
  const ModuleTree& tree = annotation.modules;
  std::vector<ModuleId> all;
  for (ModuleId top : modules) {
    const uint64_t least = annotation.paths.depth(tree.module(top).path);
    for (ModuleId id = top; id < tree.subtree_end(top); id = ModuleId(id.index() + 1)) {
      if (annotation.paths.depth(tree.module(id).path) - least <= depth) all.push_back(id);
    }
  }
  return all;
}

}  // namespace onnx_hier
