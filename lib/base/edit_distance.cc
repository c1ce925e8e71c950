// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

absl::string_view Closest(absl::string_view typed, absl::Span<const absl::string_view> names) {
  absl::string_view closest;
  // A third of the letters may be wrong: more is another word.
  size_t least = typed.size() / 3 + 1;
  for (absl::string_view name : names) {
    const bool begins = typed.size() >= 3 && absl::StartsWith(name, typed);
    // Letters that changed places are one mistake, not two.
    const bool is_swapped = typed.size() == name.size() &&
                            std::is_permutation(typed.begin(), typed.end(), name.begin());
    const size_t distance = begins ? 0 : EditDistance(typed, name) / (is_swapped ? 2 : 1);
    if (distance >= least) continue;
    least = distance;
    closest = name;
  }
  return closest;
}

}  // namespace onnx_hier
