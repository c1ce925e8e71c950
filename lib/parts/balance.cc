// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/balance.h"

#include <algorithm>
#include <utility>

#include "lib/parts/part_sizes.h"
#include "lib/parts/partition.h"

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

// Fills in what cuts cost, and where they are of all that the pieces hold: a value more that
// crosses is worse than modules that lie less far out.
void PriceCuts(const Units& units, const Repeatable& repeatable, const CutFit& fit,
               const std::vector<Unit>& begins, Pieces& pieces) {
  constexpr uint32_t kRanks = 512;
  const IdVector<Unit, uint32_t> crossing = CountCrossing(units, repeatable);
  std::vector<bool> counted(pieces.weights.size(), false);
  uint64_t at = 0;
  for (size_t piece = 0; piece < pieces.size(); ++piece) {
    const Unit begin = begins[piece];
    const size_t end = piece + 1 < begins.size() ? begins[piece + 1].index() : units.size();
    pieces.costs.push_back(uint64_t{crossing[begin]} * kRanks + kRanks -
                           std::min(fit(begin), kRanks));
    pieces.starts.push_back(at);
    at += end - begin.index();
    for (uint32_t i = pieces.first[piece]; i < pieces.first[piece + 1]; ++i) {
      const uint32_t item = pieces.items[i];
      if (!counted[item]) at += pieces.weights[item];
      counted[item] = true;
    }
  }
  pieces.end = at;
}

// `cuts` are in order, each once.
Stages CutAt(const Units& units, const std::vector<Unit>& cuts) {
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

Balance BalancedStages(const Units& units, const Repeatable& repeatable,
                       const SplitRequest& request, const CutFit& fit) {
  std::vector<Unit> begins;
  for (Unit unit : units.ids()) {
    if (begins.empty() || fit(unit) > 0) begins.push_back(unit);
  }
  Balance balance;
  Pieces pieces = MeasurePieces(units, repeatable, request, begins);
  PriceCuts(units, repeatable, fit, begins, pieces);
  std::vector<Unit> cuts;
  for (const size_t piece : Partition(pieces, request.parts)) cuts.push_back(begins[piece]);
  if (begins.size() < request.parts && !begins.empty())
    balance.largest = begins[LargestPiece(pieces)];
  balance.stages = CutAt(units, cuts);
  return balance;
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
  Stages stages = CutAt(units, cuts);
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
