// SPDX-License-Identifier: Apache-2.0

// Random numbers that are the same everywhere: the standard's distributions are not.
#ifndef ONNX_HIER_TESTS_SUPPORT_RANDOM_H_
#define ONNX_HIER_TESTS_SUPPORT_RANDOM_H_

#include <cstdint>
#include <cstdlib>
#include <random>

namespace onnx_hier::testing {

// How many rounds of something random: so many, or ONNX_HIER_ROUNDS times as many.
inline uint64_t Rounds(uint64_t usual) {
  const char* const times = std::getenv("ONNX_HIER_ROUNDS");
  return times == nullptr ? usual : usual * std::strtoull(times, nullptr, 10);
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // From 0 to limit - 1; nearly even.
  uint64_t Below(uint64_t limit) { return engine_() % limit; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_RANDOM_H_
