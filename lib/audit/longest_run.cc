// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/longest_run.h"

#include <algorithm>

namespace onnx_hier {

namespace {

constexpr uint32_t kNone = 0xFFFFFFFFu;

// Patience sorting.
struct Runs {
  std::vector<uint32_t> tails;    // of the best run of each length: position of its last element
  std::vector<uint32_t> before;   // for each element the one before it in the best run that it ends
  std::vector<uint32_t> lengths;  // of that run
};

Runs FindRuns(const std::vector<uint32_t>& values) {
  Runs runs;
  runs.before.assign(values.size(), kNone);
  for (uint32_t i = 0; i < values.size(); ++i) {
    const auto at =
        std::upper_bound(runs.tails.begin(), runs.tails.end(), values[i],
                         [&values](uint32_t value, uint32_t tail) { return value < values[tail]; });
    runs.lengths.push_back(static_cast<uint32_t>(at - runs.tails.begin()) + 1);
    if (at != runs.tails.begin()) runs.before[i] = *(at - 1);
    if (at == runs.tails.end()) {
      runs.tails.push_back(i);
    } else {
      *at = i;
    }
  }
  return runs;
}

}  // namespace

std::vector<char> LongestRun(const std::vector<uint32_t>& values) {
  const Runs runs = FindRuns(values);
  std::vector<char> in_run(values.size(), 0);
  for (uint32_t i = runs.tails.empty() ? kNone : runs.tails.back(); i != kNone;
       i = runs.before[i]) {
    in_run[i] = 1;
  }
  return in_run;
}

std::vector<char> InSomeLongestRun(const std::vector<uint32_t>& values) {
  const Runs forward = FindRuns(values);
  // Backwards and with the order turned round, a run that starts here ends here.
  std::vector<uint32_t> mirrored(values.rbegin(), values.rend());
  for (uint32_t& value : mirrored) value = ~value;
  const Runs backward = FindRuns(mirrored);
  std::vector<char> in_run(values.size(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t through = forward.lengths[i] + backward.lengths[values.size() - 1 - i] - 1;
    in_run[i] = through == forward.tails.size() ? 1 : 0;
  }
  return in_run;
}

}  // namespace onnx_hier
