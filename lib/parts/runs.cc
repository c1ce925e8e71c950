// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/runs.h"

#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/parts/instances.h"

namespace onnx_hier {

FoldRuns::FoldRuns(const Units& units, const Hierarchy& hierarchy,
                   const std::function<bool(ModuleId)>& is_wanted)
    : of_(units.size()) {
  const ModuleTree& tree = hierarchy.modules();
  IdSet<ModuleId> wanted(tree.size());
  for (ModuleId id : tree.ids()) {
    if (id != tree.root() && is_wanted(id)) wanted.Add(id);
  }
  absl::flat_hash_map<std::tuple<FoldRunId, ModuleId, uint32_t>, FoldRunId> known;
  std::vector<ModuleId> chain;
  Unit last;
  for (Unit unit : units.ids()) {
    const NodeId node = units.node(unit);
    const ModuleId module = hierarchy.ModuleOf(node);
    const auto call_of = [&](Unit other) {
      return hierarchy.annotation().assignments[units.node(other)].call;
    };
    if (last.valid() && module == hierarchy.ModuleOf(units.node(last)) &&
        call_of(unit) == call_of(last)) {
      of_[unit] = of_[last];
    } else {
      chain.clear();
      for (ModuleId m = module; m.valid(); m = tree.module(m).parent) {
        if (wanted.Has(m)) chain.push_back(m);
      }
      FoldRunId run;
      for (size_t i = chain.size(); i-- > 0;) {
        const uint32_t call = CallOf(hierarchy, node, chain[i]);
        const auto [place, is_new] = known.try_emplace({run, chain[i], call}, runs_.next_id());
        if (is_new) {
          const uint32_t depth = run.valid() ? runs_[run].depth + 1 : 1;
          runs_.push_back({chain[i], call, run, depth, 0});
        }
        run = place->second;
      }
      of_[unit] = run;
    }
    for (FoldRunId run = of_[unit]; run.valid(); run = runs_[run].parent) ++runs_[run].units;
    last = unit;
  }
}

}  // namespace onnx_hier
