// SPDX-License-Identifier: Apache-2.0

// The longest run of numbers that never decreases.
#ifndef ONNX_HIER_LIB_AUDIT_LONGEST_RUN_H_
#define ONNX_HIER_LIB_AUDIT_LONGEST_RUN_H_

#include <cstdint>
#include <vector>

namespace onnx_hier {

// For each number, whether it is in the run: {0, 0, 1, 0, 1} -> {1, 1, 0, 1, 1} or
// {1, 1, 1, 0, 1}, always the same of these. n log n.
std::vector<char> LongestRun(const std::vector<uint32_t>& values);

// For each number, whether it is in any run of that length: {0, 0, 1, 0, 1} -> {1, 1, 1, 1, 1}.
std::vector<char> InSomeLongestRun(const std::vector<uint32_t>& values);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_LONGEST_RUN_H_
