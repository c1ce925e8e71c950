// SPDX-License-Identifier: Apache-2.0
#include "lib/show/row_times.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace onnx_hier {

RowTimes TimesOfRow(const TreeRow& row, const ModuleTimes& times) {
  RowTimes sums;
  std::vector<uint64_t> totals;
  absl::flat_hash_map<absl::string_view, size_t> places;  // of operators
  for (ModuleId id : row.modules) {
    const ModuleTime& time = times.modules[id];
    sums.sum.own += time.own;
    sums.sum.total += time.total;
    sums.sum.own_calls += time.own_calls;
    sums.sum.total_calls += time.total_calls;
    totals.push_back(time.total);
    for (const OperatorTime& entry : time.operators) {
      const auto [place, is_new] = places.emplace(entry.op_type, sums.sum.operators.size());
      if (is_new) sums.sum.operators.push_back({entry.op_type, 0});
      sums.sum.operators[place->second].time += entry.time;
    }
  }
  std::stable_sort(sums.sum.operators.begin(), sums.sum.operators.end(),
                   [](const OperatorTime& a, const OperatorTime& b) { return a.time > b.time; });
  std::sort(totals.begin(), totals.end());
  sums.least = totals.front();
  sums.most = totals.back();
  sums.median = totals[totals.size() / 2];
  return sums;
}

std::vector<ModuleId> OutliersOf(const TreeRow& row, const RowTimes& sums,
                                 const ModuleTimes& times) {
  constexpr size_t kFewest = 4;
  std::vector<ModuleId> outliers;
  if (row.members > 0 || row.modules.size() < kFewest) return outliers;
  for (ModuleId id : row.modules) {
    const uint64_t total = times.modules[id].total;
    const uint64_t least = std::min(total, sums.median);
    const uint64_t most = std::max(total, sums.median);
    if (most - least > least / 2 && most - least > times.total / 100) outliers.push_back(id);
  }
  return outliers;
}

}  // namespace onnx_hier
