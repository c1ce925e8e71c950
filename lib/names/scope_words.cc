// SPDX-License-Identifier: Apache-2.0
#include "lib/names/scope_words.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Real ones have 150 letters.
constexpr size_t kLongestModule = 512;

// Whether the first `count` are followed by the same: members of a Sequential repeat its name.
bool IsRepeated(absl::Span<const absl::string_view> texts, size_t count) {
  return texts.size() >= 2 * count && texts.first(count) == texts.subspan(count, count);
}

// Whether a Sequential begins here, and its member: "mlp_mlp_0".
bool BeginsRepeated(absl::Span<const absl::string_view> texts) {
  constexpr size_t kMostRepeated = 4;
  for (size_t count = 1; count <= kMostRepeated && texts.size() > 2 * count; ++count) {
    if (IsNumber(texts[2 * count]) && IsRepeated(texts, count)) return true;
  }
  return false;
}

// "encoder.layer" of "encoder.layer.0"; "" of "encoder".
absl::string_view ModuleAround(absl::string_view module) {
  const size_t dot = module.rfind('.');
  return module.substr(0, dot == absl::string_view::npos ? 0 : dot);
}

}  // namespace

absl::string_view PrintedComponent(absl::string_view module, char separator) {
  size_t begin = module.size();
  while (begin > 0) {
    const size_t joint = module.substr(0, begin).rfind(separator);
    const size_t word = joint == absl::string_view::npos ? 0 : joint + 1;
    const bool is_number = IsNumber(module.substr(word, begin - word));
    if (!is_number || word == 0) return module.substr(word);
    begin = word - 1;
  }
  return module;
}

ScopeWords::Component& ScopeWords::ComponentOf(absl::string_view printed) {
  Component*& known = known_[std::string(printed)];
  if (known != nullptr) return *known;
  Component& component = components_.emplace_back(Component{.printed = std::string(printed)});
  known = &component;
  const std::string flat = absl::StrReplaceAll(printed, {{".", "_"}});
  longest_component_ = std::max(longest_component_, WordsOf(flat).size());
  known_.try_emplace(flat, &component);
  return component;
}

void ScopeWords::Know(absl::string_view owner) {
  if (owner.size() > kLongestModule) return;
  for (absl::string_view module = owner; !module.empty(); module = ModuleAround(module)) {
    Component& component = ComponentOf(PrintedComponent(module, '.'));
    component.is_around = component.is_around || module.size() < owner.size();
    const absl::string_view around = ModuleAround(module);
    const bool is_member = IsNumber(module.substr(std::min(around.size() + 1, module.size())));
    if (is_member && !around.empty()) ComponentOf(PrintedComponent(around, '.')).is_list = true;
  }
}

void ScopeWords::Add(absl::Span<const absl::string_view> words) {
  for (absl::string_view word : words) keeps_dots_ = keeps_dots_ || absl::StrContains(word, '.');
  const Parts parts = PartsOf(words);
  WordPrefix& scope = tree_[tree_.Add(parts.texts)];
  scope.is_module = true;
  const Component* const known = parts.known.back();
  scope.has_parameters = scope.has_parameters || (known != nullptr && !known->is_around);
}

// The module that parameters name and that the most of the words are, from the first on; null if
// there is none. `around`: the one before it, or null.
const ScopeWords::Component* ScopeWords::KnownFrom(absl::Span<const absl::string_view> words,
                                                   const Component* around, size_t* count) const {
  for (*count = std::min(words.size(), longest_component_); *count > 0; --*count) {
    const auto known = known_.find(TextOf(words.first(*count)));
    if (known == known_.end()) continue;
    const Component& component = *known->second;
    // A module that has parameters itself holds no others; but it can be called again.
    const absl::Span<const absl::string_view> rest = words.subspan(*count);
    const bool is_last = rest.empty() || (rest.size() == 1 && IsNumber(rest[0]));
    // A Sequential's member repeats its name.
    const bool is_member = !rest.empty() && IsNumber(rest[0]);
    if (&component == around && !is_member) continue;
    if (component.is_around || is_last) return &component;
  }
  *count = 1;
  return nullptr;
}

// The words, those together that are one module's name that parameters tell.
ScopeWords::Parts ScopeWords::PartsOf(absl::Span<const absl::string_view> words) const {
  Parts parts;
  const Component* around = nullptr;
  while (!words.empty()) {
    size_t count = 0;
    const Component* const known = KnownFrom(words, around, &count);
    parts.texts.push_back(TextOf(words.first(count)));
    parts.known.push_back(known);
    if (!IsNumber(parts.texts.back())) around = known;
    words.remove_prefix(count);
  }
  return parts;
}

// Whether a module's name ends before texts[end], of one that begins at `begin`, where others can
// follow all that stand before: `before`.
bool ScopeWords::Ends(absl::Span<const absl::string_view> texts, size_t begin, size_t end,
                      const WordPrefix& before, bool may_part) {
  if (IsNumber(texts[end])) return false;
  if (IsNumber(texts[end - 1])) return true;
  if (before.has_parameters) return false;
  return IsRepeated(texts.subspan(begin), end - begin) || BeginsRepeated(texts.subspan(end)) ||
         before.is_module || (may_part && before.parts > 1);
}

std::string ScopeWords::ModulesOf(absl::Span<const absl::string_view> words) const {
  std::string modules;
  const Parts parts = PartsOf(words);
  const absl::Span<const absl::string_view> texts = parts.texts;
  WordPrefixId at = WordTree::root();
  bool may_part = true;
  for (size_t begin = 0; begin < texts.size();) {
    const Component* const known = parts.known[begin];
    absl::StrAppend(&modules, "/", known == nullptr ? texts[begin] : known->printed);
    at = tree_.Next(at, texts[begin]);
    // Inside of a module that parameters name they name others.
    may_part = may_part && (names_part_ || known == nullptr);
    size_t end = begin + 1;
    for (; at.valid() && end < texts.size(); ++end) {
      const bool ends =
          known == nullptr ? Ends(texts, begin, end, tree_[at], may_part) : !IsNumber(texts[end]);
      if (ends) break;
      // "layers.0" is a member of a list, which begin with 0; "relu_1" a module's second call.
      const bool is_known_list = known != nullptr && known->is_list && end == begin + 1;
      const bool is_list = is_known_list || (!tree_[at].is_module && tree_.Next(at, "0").valid());
      const bool is_member = IsNumber(texts[end]) && is_list && !keeps_dots_;
      absl::StrAppend(&modules, is_member ? "." : "_", texts[end]);
      at = tree_.Next(at, texts[end]);
    }
    if (!at.valid()) return "";
    begin = end;
  }
  return modules;
}

}  // namespace onnx_hier
