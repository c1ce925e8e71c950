// SPDX-License-Identifier: Apache-2.0

// Softmax regression over candidates: fits weights so that the right candidate of each sample gets
// the most.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_SOFTMAX_FIT_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_SOFTMAX_FIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/owners/features.h"

namespace onnx_hier::fit {

// Samples, flat: sample s has the candidates [first_candidate[s], first_candidate[s + 1]),
// candidate c the features [first_feature[c], first_feature[c + 1]).
struct Samples {
  std::vector<uint32_t> first_candidate = {0};
  std::vector<uint32_t> first_feature = {0};
  std::vector<Feature> features;
  std::vector<uint32_t> right;        // by sample: number of the right candidate among its own
  std::vector<std::string> families;  // by sample

  size_t size() const { return right.size(); }
  void Add(absl::Span<const Candidate> candidates, uint32_t right_one, const std::string& family);
};

struct FitOptions {
  float l2 = 8;          // of the sum over all samples
  int steps = 300;       // of Adam, on all samples at a time
  uint32_t seldom = 30;  // features met in fewer candidates get no weight
  size_t keep = 80;      // weights that are left in the end
};

using Weights = std::vector<float>;  // by feature

// `used`: which samples count.
Weights FitWeights(const Samples& samples, const std::vector<bool>& used,
                   const FitOptions& options);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_SOFTMAX_FIT_H_
