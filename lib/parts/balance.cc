#include "lib/parts/balance.h"

#include <algorithm>
#include <utility>

namespace onnx_hier {
namespace {

// For each unit, how many values that are made before it are read by it or behind it. Those of
// repeatable units do not cross a cut.
IdVector<Unit, uint32_t> CountCrossing(const Units& units, const Repeatable& repeatable) {
  IdVector<Unit, int64_t> change(units.size() + 1, 0);
  for (Unit unit : units.ids()) {
    if (repeatable.Has(unit)) continue;
    for (ValueId value : units.makes(unit)) {
      if (!value.valid() || units.readers(value).empty()) continue;
      const Unit last = units.readers(value).back();
      ++change[Unit(unit.index() + 1)];
      --change[Unit(last.index() + 1)];
    }
  }
  IdVector<Unit, uint32_t> crossing(units.size(), 0);
  int64_t live = 0;
  for (Unit unit : units.ids()) {
    live += change[unit];
    crossing[unit] = static_cast<uint32_t>(live);
  }
  return crossing;
}

// Near where `goal` of the weight lies before it; none: nothing near would do.
Unit BestCut(const Units& units, const IdVector<Unit, uint64_t>& before,
             const IdVector<Unit, uint32_t>& crossing, const CutFit& fit, double goal,
             double share) {
  // How far off it may be, of a part's fair share.
  constexpr double kSlack = 0.3;
  Unit best;
  std::pair<uint64_t, double> best_cost;
  for (Unit unit : units.ids()) {
    const auto at = static_cast<double>(before[unit]);
    const double away = at < goal ? goal - at : at - goal;
    if (away > share * kSlack) continue;
    const uint32_t rank = fit(unit);
    if (rank == 0) continue;
    // A value more is worse than modules that lie less far out; then the fairest place counts.
    constexpr uint32_t kRanks = 512;
    const std::pair<uint64_t, double> cost(
        uint64_t{crossing[unit]} * kRanks + (kRanks - std::min(rank, kRanks)), away);
    if (best.valid() && !(cost < best_cost)) continue;
    best = unit;
    best_cost = cost;
  }
  return best;
}

Stages CutAt(const Units& units, std::vector<Unit> cuts) {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Stages stages;
  stages.of.assign(units.size(), 0);
  stages.count = static_cast<uint32_t>(cuts.size()) + 1;
  uint32_t stage = 0;
  for (Unit unit : units.ids()) {
    while (stage < cuts.size() && !(unit < cuts[stage])) ++stage;
    stages.of[unit] = stage;
  }
  return stages;
}

}  // namespace

Stages BalancedStages(const Units& units, const Repeatable& repeatable,
                      const IdVector<Unit, uint64_t>& weights, const CutFit& fit, uint32_t parts) {
  IdVector<Unit, uint64_t> before(units.size() + 1, 0);
  for (Unit unit : units.ids()) before[Unit(unit.index() + 1)] = before[unit] + weights[unit];
  const auto total = static_cast<double>(before[Unit(units.size())]);
  const IdVector<Unit, uint32_t> crossing = CountCrossing(units, repeatable);
  std::vector<Unit> cuts;
  for (uint32_t part = 1; part < parts; ++part) {
    const double goal = total * part / parts;
    const Unit cut = BestCut(units, before, crossing, fit, goal, total / parts);
    if (cut.valid()) cuts.push_back(cut);
  }
  return CutAt(units, std::move(cuts));
}

Stages PackedStages(const Units& units, const Repeatable& repeatable, const CutFit& fit,
                    uint64_t max_bytes) {
  const Graph& graph = units.graph();
  std::vector<Unit> cuts;
  std::vector<Unit> misplaced;
  size_t begin = 0;
  while (begin < units.size()) {
    absl::flat_hash_set<Unit> seen;
    absl::flat_hash_set<ValueId> held;
    uint64_t bytes = 0;
    size_t cut = begin;  // the last place that would do
    size_t at = begin;
    for (; at < units.size(); ++at) {
      if (repeatable.Has(Unit(at))) continue;
      const uint64_t before = bytes;
      for (ValueId value : ParametersOf(units, repeatable, Unit(at), seen)) {
        if (held.insert(value).second) bytes += graph.tensor(graph.value(value).tensor).bytes;
      }
      if (at > begin && fit(Unit(at)) > 0) cut = at;
      if (bytes <= max_bytes) continue;
      if (before > 0 || at == begin) break;
      misplaced.push_back(Unit(at));
    }
    if (at == units.size()) break;
    if (at == begin) {
      misplaced.push_back(Unit(at));
      ++at;
    }
    begin = cut > begin ? cut : at;
    cuts.push_back(Unit(begin));
  }
  Stages stages = CutAt(units, std::move(cuts));
  stages.misplaced = std::move(misplaced);
  return stages;
}

std::vector<ValueId> ParametersOf(const Units& units, const Repeatable& repeatable, Unit unit,
                                  absl::flat_hash_set<Unit>& seen) {
  std::vector<ValueId> parameters;
  std::vector<Unit> open = {unit};
  while (!open.empty()) {
    const Unit reader = open.back();
    open.pop_back();
    for (ValueId value : units.reads(reader)) {
      if (units.graph().value(value).kind == ValueKind::kInitializer) parameters.push_back(value);
      const Unit maker = units.maker(value);
      if (maker.valid() && repeatable.Has(maker) && seen.insert(maker).second) {
        open.push_back(maker);
      }
    }
  }
  return parameters;
}

}  // namespace onnx_hier
