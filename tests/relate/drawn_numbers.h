// SPDX-License-Identifier: Apache-2.0

// Numbers of weights that were never trained.
#ifndef ONNX_HIER_TESTS_RELATE_DRAWN_NUMBERS_H_
#define ONNX_HIER_TESTS_RELATE_DRAWN_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/random.h"

namespace onnx_hier::testing {

// From -1 to 1, as a float holds them.
template <class Number>
std::vector<Number> DrawnNumbers(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<Number> numbers(count);
  for (Number& number : numbers) {
    number = static_cast<float>(static_cast<double>(random.Below(2'000'001)) / 1e6 - 1);
  }
  return numbers;
}

// Of a matrix of so many rows.
template <class Number>
std::vector<Number> Transposed(const std::vector<Number>& numbers, size_t rows) {
  std::vector<Number> made;
  const size_t columns = numbers.size() / rows;
  for (size_t i = 0; i < columns; ++i) {
    for (size_t j = 0; j < rows; ++j) made.push_back(numbers[j * columns + i]);
  }
  return made;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_RELATE_DRAWN_NUMBERS_H_
