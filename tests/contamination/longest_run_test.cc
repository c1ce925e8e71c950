#include "lib/contamination/longest_run.h"

#include <algorithm>

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

}  // namespace
}  // namespace onnx_hier
