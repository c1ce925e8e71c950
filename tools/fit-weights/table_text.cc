// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/table_text.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace onnx_hier::fit {
namespace {

constexpr const char* kBasisNames[] = {
    "kNamed",       "kNamedBack",      "kNamedWalk",    "kNamedWalkInLeaf", "kNameless",
    "kNamelessOwn", "kNamelessInLeaf", "kNamelessBack", "kAnchor",          "kAnchorMatrix",
    "kLentMatrix",  "kReaders",        "kBeforeAnchor"};
static_assert(std::size(kBasisNames) == kBasisCount);

std::vector<Weight> ListWeights(const Weights& weights) {
  std::vector<Weight> list;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) list.push_back({"", static_cast<FeatureId>(i), weights[i]});
  }
  return list;
}

void AppendWeights(const char* name, const std::vector<Weight>& weights, std::string* text) {
  absl::StrAppend(text, "constexpr Weight ", name, "[] = {\n");
  for (const Weight& weight : weights) {
    absl::StrAppendFormat(text, "    {\"%s\", %d, %.3ff},\n", FeatureName(weight.feature),
                          weight.feature, weight.weight);
  }
  absl::StrAppend(text, "};\n\n");
}

}  // namespace

FittedModel::FittedModel(const Weights& named) : named_(ListWeights(named)) {}

std::string FittedModel::Text(const std::string& comment) const {
  std::string text = CommentText(comment);
  absl::StrAppend(&text, "\n// clang-format off\n");
  AppendWeights("kNamedWeights", named_, &text);
  absl::StrAppend(&text, "// clang-format on\n");
  return text;
}

std::string CalibrationText(const char* name, const std::vector<CalibrationPoint>& points) {
  std::string text = absl::StrCat("constexpr CalibrationPoint ", name, "[] = {\n");
  for (const CalibrationPoint& point : points) {
    absl::StrAppendFormat(&text, "    {Basis::%s, %.4ff, %.4ff},\n",
                          kBasisNames[static_cast<size_t>(point.basis)], point.score,
                          point.probability);
  }
  absl::StrAppend(&text, "};\n");
  return text;
}

std::string CommentText(const std::string& comment) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(comment, '\n')) {
    absl::StrAppend(&text, line.empty() ? "//" : "// ", line, "\n");
  }
  return text;
}

}  // namespace onnx_hier::fit
