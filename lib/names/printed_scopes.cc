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
namespace {

// An operator that was appended to another node's name: "MatMul", "MatMulAddFusion".
bool IsAppendedOperator(absl::string_view component) {
  return IsStandardOperator(WithoutCounter(component)) || absl::EndsWith(component, "Fusion");
}

// "MatMul_Grad", inside of which the gradient of MatMul is computed.
bool IsGradient(absl::string_view component) {
  return absl::EndsWith(component, "_Grad") && BeginsWithCapital(component);
}

}  // namespace

bool IsFunctionScope(absl::string_view component) {
  const absl::string_view name = WithoutCounter(component);
  if (name == "StatefulPartitionedCall" || name == "PartitionedCall") return true;
  return name == "moments" && IsOn(Rule::kFunctionScopes);
}

absl::string_view WithoutBatchNorm(absl::string_view folder, absl::string_view op_name) {
  const absl::string_view around = FolderOf(folder);
  if (around.empty() || op_name.empty() || !IsOn(Rule::kFunctionScopes)) return folder;
  if (WithoutCounter(LastComponent(folder)) != "batchnorm") return folder;
  const bool is_functions = absl::ascii_islower(static_cast<unsigned char>(op_name.front())) ||
                            absl::StartsWith(op_name, "Rsqrt");
  return is_functions ? around : folder;
}

namespace {

// Where a node of that name stands.
absl::string_view FolderIn(absl::string_view name, NameStyle style) {
  const absl::string_view folder = FolderOf(name);
  return style == NameStyle::kPlainSlash ? WithoutBatchNorm(folder, LastComponent(name)) : folder;
}

}  // namespace

PrintedScopes::PrintedScopes() {
  PrintedScope root;
  root.path = paths_.root();
  scopes_.push_back(root);
}

ScopeId PrintedScopes::Child(ScopeId parent, absl::string_view component, NameStyle style) {
  const auto key = std::make_pair(parent, component);
  if (const auto known = children_.find(key); known != children_.end()) return known->second;
  PrintedScope scope;
  scope.parent = parent;
  scope.component = component;
  scope.depth = scopes_[parent].depth + 1;
  scope.may_be_call = style == NameStyle::kLeadingSlash;
  scope.path = style == NameStyle::kPlainSlash
                   ? paths_.Child(scopes_[parent].path, component)
                   : AppendComponent(component, scopes_[parent].path, paths_);
  // At the greatest depth there is no inside any more.
  if (scope.path == scopes_[parent].path) return parent;
  scopes_[parent].has_inner = true;
  const ScopeId id = scopes_.push_back(scope);
  children_.emplace(key, id);
  return id;
}

ScopeId PrintedScopes::Intern(absl::string_view components, NameStyle style) {
  // A module's nodes mostly stand one after the other.
  if (last_.valid() && components == last_text_) return last_;
  last_text_ = components;
  const uint32_t number = texts_.Intern(components);
  if (number < by_text_.size()) return last_ = by_text_[number];
  const auto inner = [&](ScopeId around, absl::string_view component) -> std::optional<ScopeId> {
    if (style == NameStyle::kPlainSlash && IsFunctionScope(component)) return around;
    if (IsGradient(component)) return std::nullopt;
    return Child(around, component, style);
  };
  by_text_.push_back(steps_.Walk(components, '/', root(), inner));
  return last_ = by_text_.back();
}

ScopeId PrintedScopes::OfOriginalName(absl::string_view name, absl::string_view op_type,
                                      NameStyle style) {
  const bool joined = style == NameStyle::kPlainSlash && absl::StrContains(name, ';');
  if (joined) name = PartOfJoinedName(name, op_type);
  bool is_value = false;
  name = NodeOfValueName(name, &is_value);
  if (joined && !absl::StrContains(name, '/')) return root();
  if (style == NameStyle::kLeadingSlash && !absl::StartsWith(name, "/")) return ScopeId();
  if (style == NameStyle::kPlainSlash && !absl::StrContains(name, '/')) return ScopeId();
  absl::string_view folder = FolderIn(name, style);
  const bool own = is_value || OperatorInName(name) == op_type;
  if (!own && style == NameStyle::kLeadingSlash) {
    while (!folder.empty() && (folder.back() == '/' || IsAppendedOperator(LastComponent(folder)))) {
      folder = FolderOf(folder);
    }
  }
  return Intern(folder, style);
}

bool PrintedScopes::IsOwnName(absl::string_view name, absl::string_view op_type, NameStyle style) {
  absl::string_view folder;
  return style == NameStyle::kPlainSlash || EndsWithOperator(name, op_type, &folder);
}

PrintedScopes::NodeScope PrintedScopes::OfNodeName(absl::string_view name,
                                                   absl::string_view op_type, NameStyle style) {
  absl::string_view folder;
  NodeScope result;
  if (style == NameStyle::kPlainSlash) {
    result.is_own_name = true;
    folder = FolderIn(name, style);
  } else {
    result.is_own_name = EndsWithOperator(name, op_type, &folder);
  }
  // Nearly all names are as the exporter wrote them.
  if (result.is_own_name && absl::StartsWith(name, "/")) {
    result.scope = Intern(folder, style);
    return result;
  }
  if (style == NameStyle::kLeadingSlash && !absl::StrContains(name, '/')) return result;
  // A node that was fused from several lies where all of them do.
  for (absl::string_view original : OriginalNames(name)) {
    const ScopeId part = OfOriginalName(original, op_type, style);
    if (!part.valid()) continue;
    result.scope = result.scope.valid() ? CommonAncestor(result.scope, part) : part;
  }
  return result;
}

ScopeId PrintedScopes::OfValueName(absl::string_view name, NameStyle style) {
  if (style == NameStyle::kPlainSlash) {
    const size_t colon = name.rfind(':');
    if (absl::StrContains(name, ';')) return OfOriginalName(name, "", style);
    if (colon == absl::string_view::npos || !IsNumber(name.substr(colon + 1))) return ScopeId();
    return OfOriginalName(name.substr(0, colon), "", style);
  }
  if (!absl::StrContains(name, '/')) return ScopeId();
  bool is_value = false;
  const absl::string_view node = NodeOfValueName(OriginalNames(name).back(), &is_value);
  return is_value && absl::StartsWith(node, "/") ? Intern(FolderOf(node), style) : ScopeId();
}

ScopeId PrintedScopes::Inner(ScopeId id, absl::string_view component) const {
  const auto found = children_.find(std::make_pair(id, component));
  return found == children_.end() ? ScopeId() : found->second;
}

ScopeId PrintedScopes::Sibling(ScopeId id, absl::string_view component) const {
  return id == root() ? ScopeId() : Inner(scopes_[id].parent, component);
}

ScopeId PrintedScopes::AddSibling(ScopeId id, absl::string_view component) {
  return Child(scopes_[id].parent, component, NameStyle::kLeadingSlash);
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
