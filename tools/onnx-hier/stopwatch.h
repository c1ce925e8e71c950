// SPDX-License-Identifier: Apache-2.0

// How long something takes.
#ifndef ONNX_HIER_TOOLS_STOPWATCH_H_
#define ONNX_HIER_TOOLS_STOPWATCH_H_

#include <chrono>

namespace onnx_hier::cli {

// Runs from its making on.
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_STOPWATCH_H_
