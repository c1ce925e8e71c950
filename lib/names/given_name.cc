// SPDX-License-Identifier: Apache-2.0
#include "lib/names/given_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Operators of ONNX have up to 30 letters.
constexpr size_t kLongestStem = 64;

// An operator may be called anything; slashes and dots in a name would be read as modules.
absl::string_view StemFor(absl::string_view op_type) {
  const bool is_plain = !op_type.empty() && op_type.size() <= kLongestStem &&
                        absl::ascii_isalpha(static_cast<unsigned char>(op_type[0])) &&
                        std::all_of(op_type.begin(), op_type.end(), [](char c) {
                          return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
                        });
  return is_plain ? op_type : "Node";
}

}  // namespace

std::string GivenName(absl::string_view op_type, uint64_t number) {
  return absl::StrCat(StemFor(op_type), "_", number);
}

std::string UniqueName(absl::string_view name, uint64_t number) {
  return absl::StrCat(name, "_", number);
}

std::optional<absl::string_view> NameBeforeGiven(NameBefore before, absl::string_view name,
                                                 absl::string_view op_type) {
  if (before != NameBefore::kShared) {
    return LooksGiven(name, op_type) ? std::optional<absl::string_view>("") : std::nullopt;
  }
  const size_t end = name.rfind('_');
  if (end == absl::string_view::npos || !IsNumber(name.substr(end + 1))) return std::nullopt;
  return name.substr(0, end);
}

bool LooksGiven(absl::string_view name, absl::string_view op_type) {
  return absl::ConsumePrefix(&name, StemFor(op_type)) && absl::ConsumePrefix(&name, "_") &&
         IsNumber(name);
}

// Inside of a text in JSON the quotes would have backslashes, so that the marks stand for
// themselves wherever they are found.
bool IsGiven(absl::string_view name, absl::string_view op_type, absl::string_view doc_string) {
  return LooksGiven(name, op_type) && (absl::StrContains(doc_string, MarkOf(NameBefore::kNone)) ||
                                       absl::StrContains(doc_string, MarkOf(NameBefore::kEmpty)));
}

}  // namespace onnx_hier
