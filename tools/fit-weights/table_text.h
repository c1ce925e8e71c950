// SPDX-License-Identifier: Apache-2.0

// The tables as C++ text, for lib/owners/weights_table.inc.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_TABLE_TEXT_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_TABLE_TEXT_H_

#include <string>
#include <vector>

#include "lib/owners/scorer.h"
#include "tools/fit-weights/softmax_fit.h"

namespace onnx_hier::fit {

// What the compiler would make of the text. Names live as long as this.
class FittedModel {
 public:
  explicit FittedModel(const Weights& named);

  // With the walk's weights as they are.
  WeightTables tables() const {
    return {named_, FittedTables().walk, FittedTables().walk_among_names, {}, {}};
  }
  // `comment`: lines without slashes that say what it was fitted on.
  std::string Text(const std::string& comment) const;

 private:
  std::vector<Weight> named_;
};

// A table of probabilities, for lib/owners/calibration_tables.inc.
std::string CalibrationText(const char* name, const std::vector<CalibrationPoint>& points);
// Comment lines of such a text.
std::string CommentText(const std::string& comment);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_TABLE_TEXT_H_
