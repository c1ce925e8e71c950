// SPDX-License-Identifier: Apache-2.0

// Tables fitted without families of models, for those that decide about these.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_LEFT_OUT_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_LEFT_OUT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/owners/features.h"
#include "lib/owners/scorer.h"
#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/samples.h"
#include "tools/fit-weights/table_text.h"

namespace onnx_hier::fit {

// `use`: whether samples of a family count.
FittedModel Fit(const Samples& samples, absl::FunctionRef<bool(const std::string&)> use);

class LeftOutTables {
 public:
  // The families are dealt to so many folds, each of which the others are fitted for.
  static constexpr size_t kFolds = 5;

  // `exports`: those that `samples` were made from.
  LeftOutTables(const std::vector<KnownExport>& exports, const Samples& samples);

  size_t family_count() const { return folds_.size(); }
  // Without calibration. Must not outlive this.
  WeightTables Of(const std::string& family) const;

 private:
  std::map<std::string, size_t> folds_;
  std::vector<FittedModel> models_;  // by fold
};

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_LEFT_OUT_H_
