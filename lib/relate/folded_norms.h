// SPDX-License-Identifier: Apache-2.0

// Which norm of a checkpoint was folded into a weight: the one whose factors the weight's channels
// were multiplied with. Those of a batch norm are weight / sqrt(running_var + epsilon), those of
// others are their weight.
#ifndef ONNX_HIER_LIB_RELATE_FOLDED_NORMS_H_
#define ONNX_HIER_LIB_RELATE_FOLDED_NORMS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/relate/tensor_index.h"
#include "onnx_hier/checkpoint.h"

namespace onnx_hier {

class FoldedNorms {
 public:
  // Both must outlive this.
  FoldedNorms(const Checkpoint& checkpoint, const TensorIndex& index);

  // All tensors of the norm, its weight first; empty: no norm has such factors.
  std::vector<uint32_t> Find(absl::Span<const double> factors);

 private:
  bool HasFactors(uint32_t tensor, absl::Span<const double> factors);
  // Empty: they cannot be read.
  const std::vector<double>& Numbers(uint32_t tensor);

  const Checkpoint& checkpoint_;
  const TensorIndex& index_;
  std::map<uint64_t, std::vector<uint32_t>> vectors_;  // weights and variances, by their sizes
  absl::flat_hash_map<uint32_t, std::vector<double>> numbers_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_FOLDED_NORMS_H_
