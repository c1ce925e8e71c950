// SPDX-License-Identifier: Apache-2.0

// Times as profiles print them, as whole nanoseconds.
#ifndef ONNX_HIER_LIB_PROFILE_TIMES_H_
#define ONNX_HIER_LIB_PROFILE_TIMES_H_

#include <cmath>
#include <cstdint>
#include <optional>

namespace onnx_hier {

// Nanoseconds in a unit of time.
constexpr double kMicrosecond = 1e3;
constexpr double kMillisecond = 1e6;

// None: it is below zero, no number, or longer than a year.
inline std::optional<uint64_t> Nanoseconds(double number, double unit) {
  constexpr double kYear = 3.2e16;
  const double time = number * unit;
  if (!(time >= 0) || time > kYear) return std::nullopt;
  return static_cast<uint64_t>(std::llround(time));
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_TIMES_H_
