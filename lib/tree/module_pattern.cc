// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/module_pattern.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/tree/module_roles.h"

namespace onnx_hier {
namespace {

// Patterns are written by people, or by scripts for a handful of modules.
constexpr size_t kMostAlternatives = 1000;
constexpr size_t kLongestPattern = 10000;

absl::Status Malformed(absl::string_view pattern, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("pattern '", pattern, "': ", why));
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// The range that begins behind "[" at `begin`. False: it is none.
bool ReadRange(absl::string_view text, size_t begin, uint64_t& low, uint64_t& high, size_t& end) {
  const size_t close = text.find(']', begin);
  if (close == absl::string_view::npos) return false;
  const absl::string_view range = text.substr(begin, close - begin);
  const size_t dash = range.find('-');
  end = close + 1;
  if (dash == absl::string_view::npos) {
    high = 0;
    const bool good = absl::SimpleAtoi(range, &low);
    high = low;
    return good;
  }
  return absl::SimpleAtoi(range.substr(0, dash), &low) &&
         absl::SimpleAtoi(range.substr(dash + 1), &high) && low <= high;
}

absl::Status CheckRanges(absl::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == ']') return Malformed(pattern, "a ']' without its '['");
    if (pattern[i] != '[') continue;
    uint64_t low = 0;
    uint64_t high = 0;
    size_t end = 0;
    if (!ReadRange(pattern, i + 1, low, high, end)) {
      return Malformed(pattern, "brackets hold numbers, as in [2-5]");
    }
    i = end - 1;
  }
  return absl::OkStatus();
}

// Writes out the first braces of each text until there are none: "{a,b}.c" is "a.c" and "b.c".
absl::StatusOr<std::vector<std::string>> Expand(absl::string_view pattern) {
  std::vector<std::string> open = {std::string(pattern)};
  std::vector<std::string> done;
  while (!open.empty()) {
    const std::string text = std::move(open.back());
    open.pop_back();
    const size_t first = text.find_first_of("{}");
    if (first == std::string::npos) {
      done.push_back(text);
      continue;
    }
    int depth = 0;
    std::vector<size_t> cuts;  // the braces and the commas between them
    for (size_t i = first; i < text.size(); ++i) {
      depth += (text[i] == '{' ? 1 : 0) - (text[i] == '}' ? 1 : 0);
      if (depth < 0) break;
      if (i == first || depth == 0 || (depth == 1 && text[i] == ',')) cuts.push_back(i);
      if (depth == 0) break;
    }
    if (depth != 0) return Malformed(pattern, "a brace without its other half");
    const absl::string_view view = text;
    for (size_t i = cuts.size() - 1; i > 0; --i) {
      open.push_back(absl::StrCat(view.substr(0, first),
                                  view.substr(cuts[i - 1] + 1, cuts[i] - cuts[i - 1] - 1),
                                  view.substr(cuts.back() + 1)));
    }
    if (open.size() + done.size() > kMostAlternatives) {
      return Malformed(pattern, absl::StrCat("more than ", kMostAlternatives, " alternatives"));
    }
  }
  return done;
}

}  // namespace

// The usual way with stars: remember the last one, and let it take one character more when what
// follows does not fit. Time is bounded by the product of the lengths.
bool MatchesName(absl::string_view pattern, absl::string_view name) {
  constexpr size_t kNone = absl::string_view::npos;
  size_t p = 0;
  size_t n = 0;
  size_t star = kNone;
  size_t star_end = 0;  // of what the star has taken
  while (n < name.size() || p < pattern.size()) {
    uint64_t low = 0;
    uint64_t high = 0;
    size_t end = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = n;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '[' && ReadRange(pattern, p + 1, low, high, end)) {
      size_t digits = n;
      while (digits < name.size() && IsDigit(name[digits])) ++digits;
      uint64_t number = 0;
      const bool whole = n == 0 || !IsDigit(name[n - 1]);
      if (whole && absl::SimpleAtoi(name.substr(n, digits - n), &number) && low <= number &&
          number <= high) {
        p = end;
        n = digits;
        continue;
      }
    } else if (p < pattern.size() && n < name.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
      continue;
    }
    if (star == kNone || star_end == name.size()) return false;
    p = star + 1;
    n = ++star_end;
  }
  return true;
}

bool CaptureStars(absl::string_view pattern, absl::string_view name,
                  std::vector<absl::string_view>& captured) {
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, '*');
  if (parts.size() == 1) return pattern == name;
  if (!absl::ConsumePrefix(&name, parts.front())) return false;
  for (size_t i = 1; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    if (is_last && !absl::EndsWith(name, parts[i])) return false;
    const size_t at = is_last ? name.size() - parts[i].size() : name.find(parts[i]);
    if (at == absl::string_view::npos) return false;
    captured.push_back(name.substr(0, at));
    name.remove_prefix(at + parts[i].size());
  }
  return true;
}

std::string FillStars(absl::string_view pattern, absl::Span<const absl::string_view> captured) {
  std::string filled;
  size_t next = 0;
  for (const char c : pattern) {
    if (c == '*' && next < captured.size()) {
      absl::StrAppend(&filled, captured[next++]);
    } else {
      filled.push_back(c);
    }
  }
  return filled;
}

absl::StatusOr<ModulePattern> ModulePattern::Parse(absl::string_view pattern) {
  if (pattern.size() > kLongestPattern) {
    return Malformed(pattern.substr(0, 40), "and so on is too long");
  }
  OH_RETURN_IF_ERROR(CheckRanges(pattern));
  OH_ASSIGN_OR_RETURN(const std::vector<std::string> alternatives, Expand(pattern));
  ModulePattern result;
  for (const std::string& text : alternatives) result.AddAlternative(text);
  return result;
}

void ModulePattern::AddAlternative(absl::string_view text) {
  starts_.push_back(steps_.size());
  // A role alone means all modules that have it.
  if (absl::StartsWith(text, "@") && IsRole(text.substr(1))) {
    steps_.push_back({Step::Kind::kAnyNames, ""});
  }
  for (absl::string_view name : absl::StrSplit(text, absl::ByAnyChar("/."), absl::SkipEmpty())) {
    if (name == "**") {
      steps_.push_back({Step::Kind::kAnyNames, ""});
    } else if (absl::ConsumePrefix(&name, "@")) {
      has_roles_ = has_roles_ || IsRole(name);
      steps_.push_back({IsRole(name) ? Step::Kind::kRole : Step::Kind::kClass, std::string(name)});
    } else {
      steps_.push_back({Step::Kind::kName, std::string(name)});
    }
  }
  steps_.push_back({Step::Kind::kEnd, ""});
}

ModulePattern::State ModulePattern::Start() const {
  State state(steps_.size(), false);
  for (size_t start : starts_) state[start] = true;
  Close(state);
  return state;
}

void ModulePattern::Close(State& state) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (state[i] && steps_[i].kind == Step::Kind::kAnyNames) state[i + 1] = true;
  }
}

ModulePattern::State ModulePattern::Enter(const State& state, absl::string_view name,
                                          absl::string_view class_name,
                                          absl::string_view role) const {
  State next(steps_.size(), false);
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (!state[i]) continue;
    switch (steps_[i].kind) {
      case Step::Kind::kAnyNames:
        next[i] = true;
        break;
      case Step::Kind::kName:
        if (MatchesName(steps_[i].text, name)) next[i + 1] = true;
        break;
      case Step::Kind::kClass:
        if (!class_name.empty() && MatchesName(steps_[i].text, class_name)) next[i + 1] = true;
        break;
      case Step::Kind::kRole:
        if (steps_[i].text == role) next[i + 1] = true;
        break;
      case Step::Kind::kEnd:
        break;
    }
  }
  Close(next);
  return next;
}

bool ModulePattern::Accepts(const State& state) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (state[i] && steps_[i].kind == Step::Kind::kEnd) return true;
  }
  return false;
}

}  // namespace onnx_hier
