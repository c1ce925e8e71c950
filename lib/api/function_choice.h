// SPDX-License-Identifier: Apache-2.0

// Which functions of a model give way to their bodies, and what these need for it.
#ifndef ONNX_HIER_LIB_API_FUNCTION_CHOICE_H_
#define ONNX_HIER_LIB_API_FUNCTION_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/onnx/model_layout.h"
#include "lib/parts/unfolder.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct FunctionChoice {
  UnfoldPlan plan;
  // Functions that are still called where no body can stand: in graphs inside of nodes, and in
  // functions that do not give way. These keep their calls there.
  IdSet<BlockId> stay;
  std::map<std::string, int64_t> opsets;  // that bodies need, and the model does not have
  size_t other_opsets = 0;                // functions left, since their opsets are not the model's
  std::optional<ModelLayout> layout;      // where texts of the plan lie; none: there are none
};

// Those that Fold() made, or all whose opsets are those of the model.
absl::StatusOr<FunctionChoice> ChooseFunctions(const Model& model, const UnfoldRequest& request);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_FUNCTION_CHOICE_H_
