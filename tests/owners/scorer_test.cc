// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/scorer.h"

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

constexpr Thresholds kThresholds = {.exact = 0.4f, .inside = 0.5f, .layer = 0.5f};

TEST_CASE("probabilities: softmax of the sums of weights") {
  const FeatureId root = FeatureNumber(FeatureKind::kRoot);
  const Weight weights[] = {{"root", root, 1.0f}};
  ModulePaths paths;
  const Candidates candidates = {{paths.root(), {{root, 1}}}, {paths.Parse("a"), {}}};
  std::vector<float> probabilities;
  Scorer(weights).Score(candidates, probabilities);
  CHECK(probabilities[0] == doctest::Approx(0.7311).epsilon(0.001));
  CHECK(probabilities[1] == doctest::Approx(0.2689).epsilon(0.001));
}

TEST_CASE("a sure candidate is taken, an unsure one gives way to what contains the likely ones") {
  ModulePaths paths;
  const Candidates candidates = {
      {paths.root(), {}}, {paths.Parse("a.b"), {}}, {paths.Parse("a.c"), {}}};
  Decision decision = Decide(candidates, {0.1f, 0.8f, 0.1f}, kThresholds, paths);
  CHECK(decision.path == paths.Parse("a.b"));
  CHECK_FALSE(decision.backed_off);
  decision = Decide(candidates, {0.3f, 0.35f, 0.35f}, kThresholds, paths);
  CHECK(decision.path == paths.Parse("a"));
  CHECK(decision.backed_off);
  CHECK(decision.score == doctest::Approx(0.7));
}

TEST_CASE("no step into a layer that is in doubt") {
  ModulePaths paths;
  const Candidates candidates = {
      {paths.Parse("l.0"), {}}, {paths.Parse("l.1"), {}}, {paths.root(), {}}};
  const Decision decision = Decide(candidates, {0.45f, 0.4f, 0.15f}, kThresholds, paths);
  CHECK(decision.path == paths.Parse("l"));
}

TEST_CASE("what lies inside a module counts for it") {
  ModulePaths paths;
  const Candidates candidates = {
      {paths.Parse("a.b"), {}}, {paths.Parse("a"), {}}, {paths.Parse("c"), {}}};
  const std::vector<float> probabilities = {0.3f, 0.6f, 0.1f};
  CHECK(Decide(candidates, probabilities, kThresholds, paths).inside == doctest::Approx(0.9));
  CHECK(MassInside(paths.Parse("a.b"), candidates, probabilities, paths) == doctest::Approx(0.3));
  CHECK(MassInside(paths.root(), candidates, probabilities, paths) == doctest::Approx(1));
}

TEST_CASE("no kind of decision is as sure as its raw score") {
  const WeightTables& tables = FittedTables();
  for (const auto& points : {tables.calibration, tables.containment}) {
    IdSet<Id<Basis>> measured(kBasisCount);
    for (const CalibrationPoint& point : points) {
      measured.Add(Id<Basis>(static_cast<uint32_t>(point.basis)));
    }
    CHECK(measured.HasAll());
  }
}

TEST_CASE("confidence runs in straight lines between the points of its own kind") {
  const CalibrationPoint points[] = {
      {Basis::kNamed, 0.5f, 0.4f}, {Basis::kNamed, 1.0f, 0.9f}, {Basis::kNameless, 0.7f, 0.2f}};
  CHECK(Calibrated(points, Basis::kNamed, 0.1f) == doctest::Approx(0.4));
  CHECK(Calibrated(points, Basis::kNamed, 0.75f) == doctest::Approx(0.65));
  CHECK(Calibrated(points, Basis::kNameless, 0.9f) == doctest::Approx(0.2));
}

}  // namespace
}  // namespace onnx_hier
