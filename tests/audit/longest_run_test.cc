// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/longest_run.h"

#include <algorithm>
#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("the longest run never decreases and is as long as can be") {
  const auto length = [](const std::vector<uint32_t>& values) {
    const std::vector<char> in_run = LongestRun(values);
    uint32_t last = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (in_run[i] == 0) continue;
      CHECK(values[i] >= last);
      last = values[i];
    }
    return std::count(in_run.begin(), in_run.end(), 1);
  };
  CHECK(length({}) == 0);
  CHECK(length({7}) == 1);
  CHECK(length({0, 0, 1, 1, 2}) == 5);
  CHECK(length({0, 0, 1, 0, 1}) == 4);
  CHECK(length({3, 2, 1, 0}) == 1);
  CHECK(length({0, 0, 0, 2, 0, 1, 1, 2, 1, 2}) == 8);
}

TEST_CASE("a number may be in another run that is as long") {
  const auto some = [](const std::vector<uint32_t>& values) {
    std::string text;
    for (char in_run : InSomeLongestRun(values)) text += in_run != 0 ? 'x' : '-';
    return text;
  };
  CHECK(some({}) == "");
  CHECK(some({0, 0, 1, 0, 1}) == "xxxxx");
  CHECK(some({0, 0, 1, 0, 0, 1, 1}) == "xx-xxxx");
  CHECK(some({0, 2, 1, 1, 2}) == "x-xxx");
  CHECK(some({1, 0}) == "xx");
}

}  // namespace
}  // namespace onnx_hier
