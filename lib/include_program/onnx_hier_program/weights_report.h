// SPDX-License-Identifier: Apache-2.0

// What is told of a model's weights and of the checkpoint that they come from.
#ifndef ONNX_HIER_PROGRAM_WEIGHTS_REPORT_H_
#define ONNX_HIER_PROGRAM_WEIGHTS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/weights.h"

namespace onnx_hier {

enum class WeightOrder : uint8_t { kModel, kError, kProbability };

struct WeightsReport {
  static constexpr size_t kAll = static_cast<size_t>(-1);

  std::string input;           // as reports call it
  const Hierarchy& hierarchy;  // annotated with the checkpoint's names
  const Checkpoint& checkpoint;
  const WeightMatches& matches;
  std::vector<ModuleId> modules = {};  // only weights of these, and of what is inside; none: all
  WeightOrder order = WeightOrder::kModel;
  size_t most_rows = kAll;
  bool is_required = false;          // whether anything was
  std::vector<uint32_t> unmet = {};  // tensors that the model should hold and does not
};

// Of each tensor, whether such words mean it: "all", or patterns of modules with what is inside.
// `names`: as the model spells them. kInvalidArgument: a pattern cannot be read; kNotFound: it
// means no tensor.
absl::StatusOr<std::vector<bool>> TensorsMeant(absl::Span<const std::string> names,
                                               absl::Span<const std::string> words);
// Tensors that are not in the model as they are asked for: missing, with other numbers, or further
// off than `tolerance`; none: only those that were trained on or are not known by what they hold.
// `asked`: by tensors.
std::vector<uint32_t> UnmetTensors(const WeightMatches& matches, const std::vector<bool>& asked,
                                   std::optional<double> tolerance);

std::string WeightsText(const WeightsReport& report);
std::string WeightsMarkdown(const WeightsReport& report);
std::string WeightsCsv(const WeightsReport& report);
// schemas/weights.schema.json
std::string WeightsJson(const WeightsReport& report);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_WEIGHTS_REPORT_H_
