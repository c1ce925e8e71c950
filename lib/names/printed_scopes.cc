// SPDX-License-Identifier: Apache-2.0
#include "lib/names/printed_scopes.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "lib/base/rules.h"
#include "lib/base/slash_path.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"
#include "lib/names/scoped_name.h"
#include "lib/names/standard_operators.h"

namespace onnx_hier {
PrintedScopes::PrintedScopes(const ScopeGrammar& grammar) : grammar_(grammar) {
  PrintedScope root;
  root.path = paths_.root();
  scopes_.push_back(root);
}

ScopeId PrintedScopes::Child(ScopeId parent, absl::string_view component) {
  const auto key = std::make_pair(parent, component);
  if (const auto known = children_.find(key); known != children_.end()) return known->second;
  PrintedScope scope;
  scope.parent = parent;
  scope.component = component;
  scope.depth = scopes_[parent].depth + 1;
  scope.path = grammar_.Append(component, scopes_[parent].path, paths_);
  // At the greatest depth there is no inside any more.
  if (scope.path == scopes_[parent].path) return parent;
  scopes_[parent].has_inner = true;
  const ScopeId id = scopes_.push_back(scope);
  children_.emplace(key, id);
  return id;
}

ScopeId PrintedScopes::Intern(absl::string_view components) {
  // A module's nodes mostly stand one after the other.
  if (last_.valid() && components == last_text_) return last_;
  last_text_ = components;
  const uint32_t number = texts_.Intern(components);
  if (number < by_text_.size()) return last_ = by_text_[number];
  const auto inner = [&](ScopeId around, absl::string_view component) -> std::optional<ScopeId> {
    switch (grammar_.KindOf(component)) {
      case ScopeGrammar::Component::kModule:
        return Child(around, component);
      case ScopeGrammar::Component::kNothing:
        return around;
      case ScopeGrammar::Component::kEnd:
        break;
    }
    return std::nullopt;
  };
  by_text_.push_back(steps_.Walk(components, '/', root(), inner));
  return last_ = by_text_.back();
}

PrintedScopes::NodeScope PrintedScopes::OfNodeName(absl::string_view name,
                                                   absl::string_view op_type) {
  const ScopeGrammar::NodeName read = grammar_.ReadNode(name, op_type);
  NodeScope result;
  result.is_own_name = read.is_own;
  // Nearly all names are as the exporter wrote them.
  if (read.is_own && absl::StartsWith(name, "/")) {
    result.scope = Intern(read.scope);
    return result;
  }
  if (!absl::StrContains(name, '/') && !absl::StrContains(name, ';')) {
    // Only one of layers finds a scope in these.
    if (!read.scope.empty()) result.scope = Intern(read.scope);
    return result;
  }
  // A node that was fused from several lies where all of them do.
  for (absl::string_view original : OriginalNames(name)) {
    const std::optional<absl::string_view> scope = grammar_.ReadOriginal(original, op_type);
    if (!scope.has_value()) continue;
    const ScopeId part = Intern(*scope);
    result.scope = result.scope.valid() ? CommonAncestor(result.scope, part) : part;
  }
  return result;
}

ScopeId PrintedScopes::OfValueName(absl::string_view name) {
  const std::optional<absl::string_view> scope = grammar_.ReadValue(name);
  return scope.has_value() ? Intern(*scope) : ScopeId();
}

IdVector<ScopeId, ScopeId> PrintedScopes::Add(const PrintedScopes& other) {
  IdVector<ScopeId, ScopeId> added(other.size());
  for (ScopeId id : other.ids()) {
    const PrintedScope& scope = other.scopes_[id];
    // Scopes come behind those around them.
    added[id] = id == other.root() ? root() : Child(added[scope.parent], scope.component);
  }
  return added;
}

absl::InlinedVector<absl::string_view, 4> PrintedScopes::OwnNames(ScopeId id) const {
  absl::InlinedVector<absl::string_view, 4> names;
  const PathId end = scopes_[scopes_[id].parent].path;
  for (PathId at = scopes_[id].path; at != end; at = paths_.parent(at)) {
    names.push_back(paths_.name(at));
  }
  return names;
}

ScopeId PrintedScopes::Inner(ScopeId id, absl::string_view component) const {
  const auto found = children_.find(std::make_pair(id, component));
  return found == children_.end() ? ScopeId() : found->second;
}

ScopeId PrintedScopes::Sibling(ScopeId id, absl::string_view component) const {
  return id == root() ? ScopeId() : Inner(scopes_[id].parent, component);
}

ScopeId PrintedScopes::AddSibling(ScopeId id, absl::string_view component) {
  return Child(scopes_[id].parent, component);
}

ScopeId PrintedScopes::CommonAncestor(ScopeId a, ScopeId b) const {
  while (scopes_[a].depth > scopes_[b].depth) a = scopes_[a].parent;
  while (scopes_[b].depth > scopes_[a].depth) b = scopes_[b].parent;
  while (a != b) {
    a = scopes_[a].parent;
    b = scopes_[b].parent;
  }
  return a;
}

bool SplitCallSuffix(absl::string_view component, absl::string_view* base, uint32_t* number) {
  *base = WithoutCounter(component);
  if (base->empty() || base->size() == component.size()) return false;
  const absl::string_view digits = component.substr(base->size() + 1);
  // Counters are written without leading zeros and start at 1.
  return digits[0] != '0' && absl::SimpleAtoi(digits, number);
}

}  // namespace onnx_hier
