// SPDX-License-Identifier: Apache-2.0

// Times as people read them, all in one unit.
//
//   const TimeFigures figures(total);        // of what they are parts of
//   figures.unit()                           // "ms"
//   figures.Text(1234567)                    // "1.235"
#ifndef ONNX_HIER_LIB_SHOW_TIME_FIGURES_H_
#define ONNX_HIER_LIB_SHOW_TIME_FIGURES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

class TimeFigures {
 public:
  // Nanoseconds.
  explicit TimeFigures(uint64_t total) : in_ms_(total >= kLeastInMilliseconds) {}

  absl::string_view unit() const { return in_ms_ ? "ms" : "µs"; }
  std::string Text(uint64_t time) const;
  // With the unit.
  std::string Whole(uint64_t time) const;
  // After less before: "+1.5", "-0.2", "0".
  std::string Difference(uint64_t before, uint64_t after) const;

 private:
  static constexpr uint64_t kLeastInMilliseconds = 10'000'000;
  const bool in_ms_;
};

// "12.3 %" of the whole; of none, "-".
std::string Percent(uint64_t part, uint64_t whole);

// "19 runs after 1 to warm up, the median of each kernel: 10.1 ms in 219 calls of kernels\n", and
// how these were placed.
std::string ProfileSummary(const Profile& profile, const ModuleTimes& times);

// "MatMul 60 %, Add 20 %": those that took most.
std::string OperatorsText(absl::Span<const OperatorTime> operators);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TIME_FIGURES_H_
