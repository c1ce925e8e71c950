// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/measure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_format.h"
#include "lib/owners/decisions.h"
#include "lib/owners/open_decision.h"

namespace onnx_hier::fit {
namespace {

constexpr uint64_t kSeed = 5;
// A file counts by the root of its size: more than a small one, but none outweighs all others.
constexpr float kScaleOfWeights = 5;

constexpr Setting kSettings[] = {{10, 1}, {30, 1}, {60, 1}, {60, 12}, {100, 1}};

double CalibrationGap(const std::vector<Outcome>& outcomes) {
  struct Bucket {
    double said = 0, exact = 0;
  };
  std::array<Bucket, 10> buckets;
  for (const Outcome& outcome : outcomes) {
    Bucket& bucket = buckets[static_cast<size_t>(std::min(9.0f, outcome.confidence * 10))];
    bucket.said += outcome.confidence;
    bucket.exact += outcome.exact;
  }
  double gap = 0;
  for (const Bucket& bucket : buckets) gap += std::abs(bucket.said - bucket.exact);
  return outcomes.empty() ? 0 : gap / static_cast<double>(outcomes.size());
}

// Modules that a name or a parameter of the scene names, and all around them.
IdSet<PathId> NamedModules(const Scene& scene) {
  IdSet<PathId> named(scene.paths.size());
  for (const NodeEvidence& node : scene.evidence.nodes) {
    scene.paths.AddWithAround(node.place, named);
  }
  for (PathId owner : scene.evidence.value_owners) scene.paths.AddWithAround(owner, named);
  return named;
}

void Judge(const Scene& scene, const IdSet<PathId>& named, const WeightTables& tables,
           const OpenDecision& decision, Figures& figures, std::vector<Outcome>& outcomes) {
  const std::vector<PathId>& owners = scene.owners[scene.flow().node(decision.rank).index()];
  if (owners.empty()) return;
  bool cross = false;
  const Verdict verdict = Compare(decision.path, owners, scene.paths, &cross);
  ++figures.nodes;
  figures.exact += verdict == Verdict::kExact;
  figures.ancestor += verdict == Verdict::kAncestor;
  figures.deeper += verdict == Verdict::kDeeper;
  figures.wrong += verdict == Verdict::kWrong;
  figures.cross += cross;
  figures.reachable +=
      std::any_of(owners.begin(), owners.end(), [&](PathId owner) { return named.Has(owner); });
  const bool exact = verdict == Verdict::kExact;
  outcomes.push_back({decision.basis, decision.score, decision.inside,
                      Calibrated(tables.calibration, decision.basis, decision.score), exact,
                      exact || verdict == Verdict::kAncestor});
}

}  // namespace

Measurement Measure(const KnownExport& source, const WeightTables& tables) {
  Measurement measurement;
  for (const Setting& setting : kSettings) {
    Scene scene = MakeScene(source, setting, kSeed);
    // A file that had no names before counts as one without, not as one with a few gone.
    if (setting.percent < 100 && IsNameless(scene.flow(), scene.Known())) continue;
    const IdSet<PathId> named = NamedModules(scene);
    Figures& figures = measurement.by_setting[scene.setting];
    std::vector<Outcome>& outcomes = measurement.outcomes[scene.setting];
    for (const OpenDecision& decision : DecideOpenNodes(
             *scene.analysis, scene.evidence, scene.Known(), {.tables = tables}, scene.paths)) {
      if (!scene.masked[scene.flow().node(decision.rank).index()]) continue;
      Judge(scene, named, tables, decision, figures, outcomes);
    }
    for (Outcome& outcome : outcomes) {
      outcome.weight = kScaleOfWeights / std::sqrt(static_cast<float>(outcomes.size()));
    }
  }
  return measurement;
}

void Measurement::Add(const Measurement& other) {
  for (const auto& [setting, more] : other.by_setting) {
    Figures& figures = by_setting[setting];
    figures.nodes += more.nodes;
    figures.exact += more.exact;
    figures.ancestor += more.ancestor;
    figures.deeper += more.deeper;
    figures.wrong += more.wrong;
    figures.cross += more.cross;
    figures.reachable += more.reachable;
  }
  for (const auto& [setting, more] : other.outcomes) {
    outcomes[setting].insert(outcomes[setting].end(), more.begin(), more.end());
  }
}

void Measurement::Weigh(float factor) {
  for (auto& [setting, some] : outcomes) {
    for (Outcome& outcome : some) outcome.weight *= factor;
  }
}

std::string FiguresText(Measurement measurement) {
  std::string text =
      absl::StrFormat("%-12s %6s %6s %6s %6s %6s %5s %6s %9s\n", "masked %", "nodes", "exact",
                      "ances", "deeper", "wrong", "cross", "ece", "reachable");
  for (auto& [setting, figures] : measurement.by_setting) {
    const auto percent = [&, n = static_cast<double>(std::max<size_t>(figures.nodes, 1))](
                             size_t count) { return 100.0 * static_cast<double>(count) / n; };
    absl::StrAppendFormat(&text, "%-12s %6d %6.2f %6.2f %6.2f %6.2f %5d %6.3f %9.2f\n", setting,
                          figures.nodes, percent(figures.exact), percent(figures.ancestor),
                          percent(figures.deeper), percent(figures.wrong), figures.cross,
                          CalibrationGap(measurement.outcomes[setting]),
                          percent(figures.reachable));
  }
  return text;
}

}  // namespace onnx_hier::fit
