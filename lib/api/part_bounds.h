// SPDX-License-Identifier: Apache-2.0

// What the parts of a split may come to together: each has what it calls and reads, also where
// others have that as well, so that a model could be made of which all parts are most.
#ifndef ONNX_HIER_LIB_API_PART_BOUNDS_H_
#define ONNX_HIER_LIB_API_PART_BOUNDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "lib/edits/field_index.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/scanner.h"
#include "lib/parts/kept.h"

namespace onnx_hier {

// Each is a file that is open until all are complete.
constexpr size_t kMostParts = 1000;

// kFailedPrecondition: they are more.
absl::Status CheckPartCount(size_t parts);

// Adds up bytes of the model's file that parts have, before there are tags.
class PartBytes {
 public:
  // So many times the model, and so much for each part; and the same of its data files.
  static constexpr uint64_t kMostTimes = 64;
  static constexpr uint64_t kMostForAPart = 16384;

  // `model` and `layout`, which is of it, must outlive this. Linear.
  PartBytes(const ScannedModel& model, uint64_t file_size, const ModelLayout& layout);

  // Takes as long as the part is large. kFailedPrecondition: with it they are too many.
  absl::Status Add(const Kept& part);

 private:
  uint64_t SizeOf(uint32_t frame) const;

  const ScannedModel& model_;
  FieldIndex index_;
  uint64_t common_ = 0;  // what every part has
  uint64_t most_ = 0;
  uint64_t sum_ = 0;
  uint64_t most_data_ = 0;
  uint64_t data_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_PART_BOUNDS_H_
