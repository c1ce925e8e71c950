// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/left_out.h"

#include "tools/fit-weights/softmax_fit.h"

namespace onnx_hier::fit {
namespace {

constexpr FitOptions kNamedOptions = {.l2 = 5, .keep = 200};

}  // namespace

FittedModel Fit(const Samples& samples, absl::FunctionRef<bool(const std::string&)> use) {
  std::vector<bool> used;
  used.reserve(samples.families.size());
  for (const std::string& family : samples.families) used.push_back(use(family));
  return FittedModel(FitWeights(samples, used, kNamedOptions));
}

LeftOutTables::LeftOutTables(const std::vector<KnownExport>& exports, const Samples& samples) {
  for (const KnownExport& source : exports) folds_[source.family] = 0;
  size_t next = 0;  // in alphabetical order
  for (auto& [family, fold] : folds_) fold = next++ % kFolds;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    models_.push_back(
        Fit(samples, [&](const std::string& family) { return folds_.at(family) != fold; }));
  }
}

WeightTables LeftOutTables::Of(const std::string& family) const {
  const auto fold = folds_.find(family);
  return models_[fold == folds_.end() ? 0 : fold->second].tables();
}

}  // namespace onnx_hier::fit
