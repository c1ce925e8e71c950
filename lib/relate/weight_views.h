// SPDX-License-Identifier: Apache-2.0

// A model's weights as the numbers that they stand for: those that are quantised, dequantised.
//
//   w_quantized (int8, DequantizeLinear), scale, zero point   -> one float matrix
//   MatMul.weight_Q4 (MatMulNBits), scales, zero points       -> one, of N rows and K columns
#ifndef ONNX_HIER_LIB_RELATE_WEIGHT_VIEWS_H_
#define ONNX_HIER_LIB_RELATE_WEIGHT_VIEWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/graph/tensor_values.h"
#include "lib/onnx/stored_tensor_values.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct WeightView {
  ValueId value;  // an initializer, or what a Constant makes
  TensorId tensor;
  std::vector<uint64_t> dims;
  uint64_t elements = 0;
  bool is_quantised = false;
  // Of what is quantised; none: 1, and 0.
  TensorId scale;
  TensorId zero;
  double usual_zero = 0;   // where there is no tensor of them
  bool are_pairs = false;  // bytes of two numbers each
  bool are_zeros_pairs = false;
  // A scale is for `block` numbers along `axis`; 0: for all that have one index there, or for all.
  bool has_axis = false;
  uint32_t axis = 0;
  uint64_t block = 0;
  uint64_t zeros_in_row = 0;  // in bytes that hold pairs: rows begin with a whole one
};

// Of all weights, in order of their values; scales and zero points are none. Errors of reading
// attributes.
absl::StatusOr<std::vector<WeightView>> WeightViewsOf(const Model& model);

// What views stand for; ids are their positions.
class ViewValues : public TensorValues {
 public:
  // Both must outlive this.
  ViewValues(const Model& model, const std::vector<WeightView>& views);

  absl::StatusOr<bool> Begin(TensorId view) override;
  absl::Status Read(absl::Span<double> values) override;
  absl::Status Skip(uint64_t count) override;

 private:
  // Numbers of a small tensor, or of a part of a large one that is read front to back.
  class Window {
   public:
    explicit Window(StoredTensorValues stored) : stored_(std::move(stored)) {}
    // `cycle`: how many are asked for again and again.
    absl::StatusOr<bool> Begin(TensorId tensor, uint64_t size, uint64_t cycle, bool are_pairs);
    absl::StatusOr<double> At(uint64_t index);

   private:
    StoredTensorValues stored_;
    TensorId tensor_;
    std::vector<double> numbers_;
    uint64_t begin_ = 0;
    uint64_t size_ = 0;
    uint64_t length_ = 0;  // of the window
    bool are_pairs_ = false;
  };

  absl::Status ReadStored(absl::Span<double> values);
  uint64_t ScaleOf(uint64_t index) const;

  const Graph& graph_;
  const std::vector<WeightView>& views_;
  StoredTensorValues stored_;
  Window scales_;
  Window zeros_;
  const WeightView* view_ = nullptr;
  uint64_t next_ = 0;
  uint64_t inner_ = 1;   // numbers of one index of the axis
  uint64_t length_ = 1;  // of the axis
  uint64_t blocks_ = 1;  // along it
  bool has_scale_ = false;
  bool has_zero_ = false;
  double odd_ = 0;  // the second number of a byte of which the first was read
  std::vector<double> bytes_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_WEIGHT_VIEWS_H_
