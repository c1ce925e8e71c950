#include "lib/contamination/longest_run.h"

#include <algorithm>

namespace onnx_hier {

// Patience sorting.
std::vector<char> LongestRun(const std::vector<uint32_t>& values) {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  std::vector<uint32_t> tails;  // of the best run of each length: position of its last element
  std::vector<uint32_t> before(values.size(), kNone);
  for (uint32_t i = 0; i < values.size(); ++i) {
    const auto at =
        std::upper_bound(tails.begin(), tails.end(), values[i],
                         [&values](uint32_t value, uint32_t tail) { return value < values[tail]; });
    if (at != tails.begin()) before[i] = *(at - 1);
    if (at == tails.end()) {
      tails.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<char> in_run(values.size(), 0);
  for (uint32_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = before[i]) in_run[i] = 1;
  return in_run;
}

}  // namespace onnx_hier
