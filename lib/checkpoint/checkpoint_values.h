// SPDX-License-Identifier: Apache-2.0

// What the tensors of a checkpoint hold, read through a buffer. Ids are positions in its tensors().
#ifndef ONNX_HIER_LIB_CHECKPOINT_CHECKPOINT_VALUES_H_
#define ONNX_HIER_LIB_CHECKPOINT_CHECKPOINT_VALUES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/checkpoint/tensor_layout.h"
#include "lib/graph/tensor_values.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class CheckpointValues : public TensorValues {
 public:
  // `checkpoint` must outlive this.
  explicit CheckpointValues(const Checkpoint& checkpoint);
  ~CheckpointValues() override;

  absl::StatusOr<bool> Begin(TensorId tensor) override;
  absl::Status Read(absl::Span<double> values) override;
  absl::Status Skip(uint64_t count) override;

 private:
  absl::Status ReadBlocks(absl::Span<double> values);

  const Checkpoint::State& state_;
  // Of those files that are models.
  std::vector<std::unique_ptr<TensorValues>> models_;
  TensorValues* model_ = nullptr;  // of the tensor that is being read; null: it is none of a model
  const TensorLayout* layout_ = nullptr;
  int fd_ = -1;
  uint64_t next_ = 0;  // the number that is read next
  std::string bytes_;
  std::vector<double> block_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECKPOINT_CHECKPOINT_VALUES_H_
