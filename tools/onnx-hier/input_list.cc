// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/input_list.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// As 'find' prints them, or 'find -print0'; those of an editor of another system end in "\r\n".
absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& list, absl::string_view text) {
  const char end = absl::StrContains(text, '\0') ? '\0' : '\n';
  std::vector<std::string> names;
  size_t place = 0;
  for (absl::string_view name : absl::StrSplit(text, end)) {
    ++place;
    if (end == '\n') name = absl::StripSuffix(name, "\r");
    if (name.empty()) continue;
    if (name == "-") {
      return absl::InvalidArgumentError(
          absl::StrCat(InputName(list), ": entry ", place,
                       " is '-', which names no file; a file of this name is './-'"));
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

bool IsForSeveral(const ParsedFlags& flags) {
  return flags.Has("files-from") || flags.arguments().size() > 1;
}

std::string CheckInputs(const ParsedFlags& flags, absl::Span<const char* const> alone) {
  const std::vector<std::string>& named = flags.arguments();
  if (named.empty() && !flags.Has("files-from")) return "name at least one model";
  if (flags.Value("files-from") == "-" && std::count(named.begin(), named.end(), "-") > 0) {
    return "the list and a model cannot both be standard input";
  }
  if (!IsForSeveral(flags)) return "";
  for (const char* flag : alone) {
    if (flags.Has(flag)) return absl::StrCat("--", flag, " is for one model");
  }
  return "";
}

absl::StatusOr<std::vector<std::string>> ReadInputs(const ParsedFlags& flags) {
  std::vector<std::string> inputs = flags.arguments();
  if (!flags.Has("files-from")) return inputs;
  const std::string list = flags.Value("files-from");
  const absl::StatusOr<std::string> text = ReadText(list);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<std::string>> names = NamesIn(list, *text);
  if (!names.ok()) return names.status();
  inputs.insert(inputs.end(), names->begin(), names->end());
  return inputs;
}

}  // namespace onnx_hier::cli
