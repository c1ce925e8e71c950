// Whether the parameters of two modules hold the same.
#ifndef ONNX_HIER_LIB_DIFF_WEIGHT_DIFF_H_
#define ONNX_HIER_LIB_DIFF_WEIGHT_DIFF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/diff/module_groups.h"
#include "lib/graph/tensor_hashes.h"

namespace onnx_hier {

class WeightDiff {
 public:
  // All must outlive this.
  WeightDiff(const ModuleGroups& a, TensorHashes& hashes_a, const ModuleGroups& b,
             TensorHashes& hashes_b)
      : a_(a), hashes_a_(hashes_a), b_(b), hashes_b_(hashes_b) {}

  // Of two modules with as many parameters of each kind. With `in_order`, which reads what is the
  // same in both, and parameters are compared one by one; else as they come.
  absl::StatusOr<bool> Differ(GroupId a, GroupId b, bool in_order);
  // Parameters of which it could not be told.
  uint64_t unread() const { return unread_; }

 private:
  struct Pair {
    uint64_t a;
    uint64_t b;
  };

  // Of all that two tensors hold; large ones are read side by side.
  absl::StatusOr<Pair> ReadWhole(TensorId a, TensorId b);
  absl::StatusOr<bool> DifferOneByOne(const std::vector<TensorId>& a,
                                      const std::vector<TensorId>& b);
  absl::StatusOr<bool> DifferAsTheyCome(const std::vector<TensorId>& a,
                                        const std::vector<TensorId>& b);

  const ModuleGroups& a_;
  TensorHashes& hashes_a_;
  const ModuleGroups& b_;
  TensorHashes& hashes_b_;
  uint64_t unread_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_DIFF_WEIGHT_DIFF_H_
