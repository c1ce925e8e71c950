// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/kernel_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/names/derived_name.h"

namespace onnx_hier {
namespace {

// Kernels of TensorRT have some hundred parts at most, and two nodes were joined in a name.
constexpr size_t kMostParts = 4096;
constexpr size_t kMostBefore = 16;

// "/q/MatMul/MatMulScaleFusion", "/q/MatMul/MatMulAddFusion_bias_dq" -> "/q/MatMul"
absl::string_view WithoutFusion(absl::string_view name) {
  for (size_t slash = name.rfind('/'); slash != absl::string_view::npos; slash = name.rfind('/')) {
    const absl::string_view last = name.substr(slash + 1);
    if (!last.empty() && !absl::StrContains(last, "Fusion")) break;
    name = name.substr(0, slash);
  }
  return name;
}

// "Reformatting CopyNode for Output Tensor 0 to NAME", "copied_NAME"
absl::string_view WithoutCopyOf(absl::string_view name) {
  for (absl::string_view words : {"Reformatting CopyNode for ", "Reformatted "}) {
    if (!absl::StartsWith(name, words)) continue;
    const size_t target = name.find(" to ");
    return target == absl::string_view::npos ? name : name.substr(target + 4);
  }
  absl::ConsumePrefix(&name, "ShuffledInput copy of ");
  absl::ConsumeSuffix(&name, " copy");
  return name;
}

// "convolution:/a/Conv/WithoutBiases", of OpenVINO
absl::string_view WithoutPrimitive(absl::string_view name) {
  constexpr absl::string_view kPrimitive = "abcdefghijklmnopqrstuvwxyz_";
  const size_t end = name.find_first_not_of(kPrimitive);
  if (end != absl::string_view::npos && end > 0 && name[end] == ':') name.remove_prefix(end + 1);
  absl::ConsumeSuffix(&name, "/WithoutBiases");
  return name;
}

void AddSplit(absl::string_view text, NamedParts& parts);

void AddName(absl::string_view name, NamedParts& parts) {
  name = WithoutCopyOf(absl::StripAsciiWhitespace(name));
  while (absl::ConsumePrefix(&name, "PWN(") || absl::ConsumePrefix(&name, "(")) {
  }
  // Only those that close what was taken off.
  const auto opened = std::count(name.begin(), name.end(), '(');
  auto closed = std::count(name.begin(), name.end(), ')');
  for (; closed > opened && absl::ConsumeSuffix(&name, ")"); --closed) {
  }
  if (!name.empty() && parts.names.size() < kMostParts) parts.names.push_back(name);
}

// "/a/Add.../b/Softmax", each perhaps of several names.
void AddRange(absl::string_view range, NamedParts& parts) {
  const size_t dots = range.find("...");
  if (dots == absl::string_view::npos) return AddSplit(range, parts);
  NamedParts ends;
  AddSplit(range.substr(0, dots), ends);
  const size_t begin = ends.names.size();
  AddSplit(range.substr(dots + 3), ends);
  if (begin == 0 || begin == ends.names.size()) return;
  parts.ranges.emplace_back(ends.names.front(), ends.names.back());
}

void AddSplit(absl::string_view text, NamedParts& parts) {
  for (absl::string_view sum : absl::StrSplit(text, " + ")) {
    for (absl::string_view side : absl::StrSplit(sum, " || ")) {
      for (absl::string_view part : absl::StrSplit(side, ", ")) AddName(part, parts);
    }
  }
}

}  // namespace

NamedParts PartsOf(absl::string_view kernel_name) {
  constexpr absl::string_view kForeign = "ForeignNode[";
  NamedParts parts;
  for (size_t at = 0; at < kernel_name.size();) {
    const size_t foreign = kernel_name.find(kForeign, at);
    if (foreign == absl::string_view::npos) {
      AddSplit(kernel_name.substr(at), parts);
      break;
    }
    absl::string_view before = kernel_name.substr(at, foreign - at);
    absl::ConsumeSuffix(&before, "{");
    AddSplit(before, parts);
    const size_t begin = foreign + kForeign.size();
    const size_t end = std::min(kernel_name.find(']', begin), kernel_name.size());
    AddRange(kernel_name.substr(begin, end - begin), parts);
    at = std::min(end + 1, kernel_name.size());
    if (kernel_name.substr(at, 1) == "}") ++at;
  }
  return parts;
}

std::vector<absl::string_view> NamesBefore(absl::string_view name) {
  std::vector<absl::string_view> names;
  const auto add = [&](absl::string_view before) {
    if (before.empty() || before == name || names.size() == kMostBefore) return;
    if (std::find(names.begin(), names.end(), before) == names.end()) names.push_back(before);
  };
  const absl::string_view layer = WithoutPrimitive(name);
  for (absl::string_view given : {name, layer}) {
    add(given);
    for (absl::string_view original : OriginalNames(given)) {
      if (names.size() == kMostBefore) break;
      add(original);
      absl::string_view before = WithoutFusion(original);
      add(before);
      // A fusion's name is followed by the number that makes it unique, or another tool's suffix.
      for (absl::string_view again : OriginalNames(before)) add(again);
    }
  }
  return names;
}

std::vector<InlinedName> InlinedNames(absl::string_view name) {
  constexpr absl::string_view kPrefix = "_inlfunc_";
  // Either name may hold what stands between them. Longer function names are not tried.
  constexpr size_t kMostSplits = 32;
  std::vector<InlinedName> names;
  const size_t begin = name.rfind(kPrefix);
  if (begin == absl::string_view::npos) return names;
  name.remove_prefix(begin + kPrefix.size());
  for (size_t at = name.find('_'); at != absl::string_view::npos && names.size() < kMostSplits;
       at = name.find('_', at + 1)) {
    const absl::string_view node = name.substr(at + 1);
    names.push_back({name.substr(0, at), node});
    // Of further calls, "token_9_Gemm_51".
    absl::string_view counted = node;
    if (!absl::ConsumePrefix(&counted, "token_")) continue;
    const size_t digits = std::min(counted.find_first_not_of("0123456789"), counted.size());
    counted.remove_prefix(digits);
    if (digits > 0 && absl::ConsumePrefix(&counted, "_")) {
      names.push_back({name.substr(0, at), counted});
    }
  }
  return names;
}

}  // namespace onnx_hier
