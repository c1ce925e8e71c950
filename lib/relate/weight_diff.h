// SPDX-License-Identifier: Apache-2.0

// Whether the parameters of two modules hold the same, and how far they are apart.
#ifndef ONNX_HIER_LIB_RELATE_WEIGHT_DIFF_H_
#define ONNX_HIER_LIB_RELATE_WEIGHT_DIFF_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/graph/tensor_values.h"
#include "lib/relate/flow_comparison.h"
#include "lib/relate/module_groups.h"
#include "onnx_hier/diff.h"

namespace onnx_hier {

// What a model's tensors hold.
struct ReadableTensors {
  TensorHashes& hashes;
  TensorValues& values;
};

class WeightDiff {
 public:
  struct Keyed {
    ParameterKey key;
    TensorId tensor;
  };

  // All must outlive this.
  WeightDiff(const FlowComparison& flow, const ModuleGroups& a, ReadableTensors tensors_a,
             const ModuleGroups& b, ReadableTensors tensors_b)
      : flow_(flow),
        a_(a),
        hashes_a_(tensors_a.hashes),
        values_a_(tensors_a.values),
        b_(b),
        hashes_b_(tensors_b.hashes),
        values_b_(tensors_b.values) {}

  // Of two modules with as many parameters of each kind. With `in_order`, which reads what is the
  // same in both, and parameters are compared one by one; else as they come.
  absl::StatusOr<bool> Differ(GroupId a, GroupId b, bool in_order);
  // Of two modules that are wired alike. None: some of their numbers cannot
  // be compared.
  absl::StatusOr<std::optional<WeightDifference>> Measure(GroupId a, GroupId b);
  // Parameters of which it could not be told.
  uint64_t unread() const { return unread_; }

 private:
  struct Pair {
    uint64_t a;
    uint64_t b;
  };

  // In an order that does not depend on the file's: by what reads them.
  std::vector<Keyed> OfA(GroupId group) const;
  std::vector<Keyed> OfB(GroupId group) const;
  // Of all that two tensors hold; large ones are read side by side.
  absl::StatusOr<Pair> ReadWhole(TensorId a, TensorId b);
  absl::StatusOr<bool> DifferInOrder(absl::Span<const Keyed> a, absl::Span<const Keyed> b);
  // By a sample of each, or by all that they hold.
  absl::StatusOr<bool> DifferAlone(TensorId a, TensorId b, bool whole);
  absl::StatusOr<bool> DifferAsTheyCome(absl::Span<const Keyed> a, absl::Span<const Keyed> b);

  const FlowComparison& flow_;
  const ModuleGroups& a_;
  TensorHashes& hashes_a_;
  TensorValues& values_a_;
  const ModuleGroups& b_;
  TensorHashes& hashes_b_;
  TensorValues& values_b_;
  uint64_t unread_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_WEIGHT_DIFF_H_
