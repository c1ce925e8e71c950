// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/many_inputs.h"

#include <utility>

#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/input_list.h"

namespace onnx_hier::cli {

absl::Status ManyInputs::ReadList() {
  absl::StatusOr<std::vector<std::string>> inputs = ReadInputs(flags());
  if (!inputs.ok()) return inputs.status();
  inputs_ = *std::move(inputs);
  const absl::StatusOr<uint32_t> at_a_time = ReadJobs(flags(), inputs_);
  if (!at_a_time.ok()) return Misused(at_a_time.status().message());
  at_a_time_ = *at_a_time;
  return absl::OkStatus();
}

absl::Status ManyInputs::ReadOptions() {
  absl::StatusOr<AnnotateOptions> options = ReadAnnotateOptions(flags(), at_a_time_);
  if (!options.ok()) return options.status();
  options_ = *std::move(options);
  return absl::OkStatus();
}

int ManyInputs::ForEach(absl::FunctionRef<ModelOutcome(const std::string& path)> work) const {
  return ModelBatch(flags(), inputs_.size(), at_a_time_).Run([&](size_t index) {
    return work(inputs_[index]);
  });
}

}  // namespace onnx_hier::cli
