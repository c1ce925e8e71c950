// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/folded_norms.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "lib/graph/parameter_parts.h"
#include "lib/relate/weight_likeness.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// Of factors, as far as rounding of the weight lets them be known.
constexpr double kNormError = 0.02;

bool AreAlike(absl::Span<const double> expected, absl::Span<const double> factors) {
  double all = 0;
  double rest = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    all += expected[i] * expected[i];
    rest += (expected[i] - factors[i]) * (expected[i] - factors[i]);
  }
  return all > 0 && std::sqrt(rest / all) < kNormError;
}

}  // namespace

FoldedNorms::FoldedNorms(const Checkpoint& checkpoint, const TensorIndex& index)
    : checkpoint_(checkpoint), index_(index) {
  for (uint32_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const CheckpointTensor& tensor = checkpoint.tensors()[i];
    const absl::string_view leaf = LeafOfParameterName(tensor.name);
    if (leaf != "weight" && leaf != "running_var") continue;
    if (Squeezed(tensor.dims).size() == 1) vectors_[tensor.elements].push_back(i);
  }
}

const std::vector<double>& FoldedNorms::Numbers(uint32_t tensor) {
  std::vector<double>& numbers = numbers_[tensor];
  if (!numbers.empty()) return numbers;
  CheckpointValues stored(checkpoint_);
  const absl::StatusOr<bool> is_there = stored.Begin(TensorId(tensor));
  if (!is_there.ok() || !*is_there) return numbers;
  numbers.resize(checkpoint_.tensors()[tensor].elements);
  if (!stored.Read(absl::MakeSpan(numbers)).ok()) numbers.clear();
  return numbers;
}

bool FoldedNorms::HasFactors(uint32_t tensor, absl::Span<const double> factors) {
  const std::string& name = checkpoint_.tensors()[tensor].name;
  const absl::string_view module = ModuleOfParameterName(name);
  const std::vector<double> own = Numbers(tensor);
  if (own.size() != factors.size()) return false;
  if (LeafOfParameterName(name) == "weight") {
    return !index_.InModule(module, "running_var", factors.size()) && AreAlike(own, factors);
  }
  const auto weight = index_.InModule(module, "weight", factors.size());
  const std::vector<double> times = weight ? Numbers(*weight) : std::vector<double>();
  // Those that frameworks have.
  for (const double epsilon : {1e-5, 1e-3, 1e-6, 1e-12}) {
    std::vector<double> expected(own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      expected[i] = (i < times.size() ? times[i] : 1) / std::sqrt(own[i] + epsilon);
    }
    if (AreAlike(expected, factors)) return true;
  }
  return false;
}

std::vector<uint32_t> FoldedNorms::Find(absl::Span<const double> factors) {
  const auto vectors = vectors_.find(factors.size());
  if (vectors == vectors_.end()) return {};
  const auto found = std::find_if(vectors->second.begin(), vectors->second.end(),
                                  [&](uint32_t tensor) { return HasFactors(tensor, factors); });
  if (found == vectors->second.end()) return {};
  const absl::string_view module = ModuleOfParameterName(checkpoint_.tensors()[*found].name);
  std::vector<uint32_t> folded;
  for (const absl::string_view leaf : {"weight", "bias", "running_mean", "running_var"}) {
    if (const auto tensor = index_.InModule(module, leaf, factors.size()))
      folded.push_back(*tensor);
  }
  return folded;
}

}  // namespace onnx_hier
