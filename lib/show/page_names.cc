// SPDX-License-Identifier: Apache-2.0
#include "lib/show/page_names.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr char kSigns[] = "@~%#&\\";

void AppendLiteral(absl::string_view text, std::string* pattern) {
  const std::string shown = ShownText(text);
  size_t from = 0;
  for (size_t sign; (sign = shown.find_first_of(kSigns, from)) != std::string::npos;) {
    pattern->append(shown, from, sign - from);
    *pattern += {'\\', shown[sign]};
    from = sign + 1;
  }
  pattern->append(shown, from);
}

// Takes `part` from the front of what is left of a name, if `behind` comes next, and puts its sign
// in its place.
bool Take(absl::string_view part, absl::string_view behind, char sign, absl::string_view* rest,
          std::string* pattern) {
  if (part.empty() || !absl::StartsWith(*rest, part)) return false;
  if (!absl::StartsWith(rest->substr(part.size()), behind)) return false;
  rest->remove_prefix(part.size() + behind.size());
  absl::StrAppend(pattern, absl::string_view(&sign, 1), behind);
  return true;
}

}  // namespace

NameScope::NameScope(absl::string_view tag) : path(tag == "/" ? "" : tag) {
  dotted = absl::StrReplaceAll(path.substr(std::min<size_t>(path.size(), 1)), {{"/", "."}});
}

std::string NamePattern(absl::string_view text, const NameParts& parts) {
  std::string pattern;
  if (!Take(parts.name, "", '&', &text, &pattern) &&
      !Take(parts.scope.dotted, ".", '~', &text, &pattern)) {
    Take(parts.scope.path, "/", '@', &text, &pattern);
    if (Take(parts.op_type, "", '%', &text, &pattern) && text == absl::StrCat("_", parts.number)) {
      return pattern + "_#";
    }
  }
  AppendLiteral(text, &pattern);
  return pattern;
}

std::string ShownText(absl::string_view text) {
  // Nearly all are plain, and short.
  if (text.size() <= kLongestShownName && PlainJsonPrefix(text) == text.size()) {
    return std::string(text);
  }
  return SafeForTerminal(text, kLongestShownName);
}

}  // namespace onnx_hier
