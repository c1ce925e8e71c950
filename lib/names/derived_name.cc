// SPDX-License-Identifier: Apache-2.0
#include "lib/names/derived_name.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/standard_operators.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kPrefixes[] = {"fused ", "InsertedCast_", "InsertedPrecisionFreeCast_",
                                           "FusedBack_"};
// Longer ones first where one ends with another.
constexpr absl::string_view kSuffixes[] = {
    "_QuantizeLinear", "_DequantizeLinear", "_bn_nchwc", "_nchwc", "_new_reshape",
    "_pre_reshape",    "_post_reshape",     "_quant",    "_Q4",    "_quantized",
};
// These are followed by a number.
constexpr absl::string_view kNumberedSuffixes[] = {"_token_", "_input_cast", "_output_cast",
                                                   "/qdq_utils_dup_"};

// What a value's name has behind its node's, before a number.
constexpr absl::string_view kOutput = "_output_";
// Between names that were put together.
constexpr absl::string_view kInlined = "Inline_";
constexpr absl::string_view kCast = "_cast_to_";
constexpr absl::string_view kJoint = "_/";

// Takes "<suffix><digits>" off the end.
bool ConsumeNumberedSuffix(absl::string_view* name, absl::string_view suffix) {
  size_t digits = name->size();
  while (digits > 0 && absl::ascii_isdigit(static_cast<unsigned char>((*name)[digits - 1]))) {
    --digits;
  }
  if (digits == name->size() || !absl::EndsWith(name->substr(0, digits), suffix)) return false;
  *name = name->substr(0, digits - suffix.size());
  return true;
}

bool ConsumePrefixOnce(absl::string_view* name) {
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](absl::string_view prefix) { return absl::ConsumePrefix(name, prefix); });
}

bool StripOnce(absl::string_view* name) {
  if (ConsumePrefixOnce(name)) return true;
  for (absl::string_view suffix : kSuffixes) {
    if (absl::ConsumeSuffix(name, suffix)) return true;
  }
  for (absl::string_view suffix : kNumberedSuffixes) {
    if (ConsumeNumberedSuffix(name, suffix)) return true;
  }
  return absl::ConsumeSuffix(name, "/");
}

// "/encoder/MatMul_output_0", as nearly all names of values are: nothing was put in front of it,
// behind it or into it. Whoever asks for the original names of all values waits for this.
bool IsExportersValue(absl::string_view name) {
  return absl::StartsWith(name, "/") && ConsumeNumberedSuffix(&name, kOutput) &&
         !absl::StrContains(name, kInlined) && !absl::StrContains(name, kJoint) &&
         !absl::StrContains(name, kCast);
}

}  // namespace

absl::string_view WithoutOptimiserPrefixes(absl::string_view name) {
  while (ConsumePrefixOnce(&name)) {
  }
  return name;
}

absl::string_view WithoutInlinePrefix(absl::string_view name) {
  // Hardly any name holds the mark, and looking for it forwards is many times faster.
  if (!absl::StrContains(name, kInlined)) return name;
  const size_t mark = name.rfind(kInlined);
  absl::string_view rest = name.substr(mark + kInlined.size());
  const size_t digits = static_cast<size_t>(
      std::find_if_not(rest.begin(), rest.end(), absl::ascii_isdigit) - rest.begin());
  if (digits == 0 || rest.substr(digits, 2) != "__") return name;
  return rest.substr(digits + 2);
}

absl::string_view WithoutDecorations(absl::string_view name) {
  while (StripOnce(&name)) {
  }
  return name;
}

absl::string_view WithoutFusions(absl::string_view name) {
  absl::string_view rest = absl::StripSuffix(name, "/");
  while (absl::EndsWith(rest, "Fusion")) {
    const size_t slash = rest.rfind('/');
    if (slash == absl::string_view::npos) break;
    rest = absl::StripSuffix(rest.substr(0, slash), "/");
    name = rest;
  }
  return name;
}

bool IsInsideOperator(absl::string_view value_name) {
  if (!absl::ConsumePrefix(&value_name, "_inlfunc_")) return false;
  return IsStandardOperator(value_name.substr(0, value_name.find('_')));
}

absl::InlinedVector<absl::string_view, 2> OriginalNames(absl::string_view name) {
  if (IsExportersValue(name) || !IsOn(Rule::kOriginalNames)) return {name};
  name = WithoutDecorations(WithoutInlinePrefix(name));
  absl::InlinedVector<absl::string_view, 2> names;
  // "<value>_cast_to_<node>" or "<node>_cast_to_<value>": the half that has a scope tells more.
  if (const size_t cast = name.find(kCast); cast != absl::string_view::npos) {
    const absl::string_view after = name.substr(cast + kCast.size());
    names.push_back(absl::StartsWith(after, "/") ? after : name.substr(0, cast));
    return names;
  }
  while (absl::StartsWith(name, "/")) {
    const size_t joint = name.find(kJoint);
    if (joint == absl::string_view::npos) break;
    names.push_back(name.substr(0, joint));
    name.remove_prefix(joint + 1);
  }
  names.push_back(name);
  return names;
}

absl::string_view NodeOfValueName(absl::string_view name, bool* is_value) {
  *is_value = ConsumeNumberedSuffix(&name, kOutput);
  return name;
}

absl::string_view WithoutSuffixOfValue(absl::string_view name) {
  const size_t mark = name.rfind(kOutput);
  if (mark == absl::string_view::npos) return name;
  size_t end = mark + kOutput.size();
  const size_t digits = end;
  while (end < name.size() && absl::ascii_isdigit(static_cast<unsigned char>(name[end]))) ++end;
  const absl::string_view rest = name.substr(end);
  // The gradient of a value is made by its readers.
  const bool is_suffix = end > digits && absl::StartsWith(rest, "_") &&
                         !absl::StartsWith(rest, "_grad") && !absl::StrContains(rest, '/');
  return is_suffix ? name.substr(0, end) : name;
}

}  // namespace onnx_hier
