// SPDX-License-Identifier: Apache-2.0

// Fits the weights of lib/owners.
//
//   fit-weights FOLDER            fits on all exports of the folder, prints the table
//   fit-weights --calibration FOLDER  the tables of how surely nodes are in their modules, and in
//                                 something that these hold, where names tell nothing
//   fit-weights --check FOLDER    how tables fitted without a family decide that family
//   fit-weights --ablate FOLDER...  what is lost without each rule of inference and each family of
//                                 features: see ablation.h
//   fit-weights --without NAME,... FOLDER...  what is lost without several at a time
//   fit-weights --walk FOLDER...  what the walk's weights are fitted to: see walk_runs.h
//   fit-weights --walk-among-names FOLDER...  ... those that count where some names are left
//
// Figures go to standard error, tables and losses to standard output.
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/fit-weights/ablation.h"
#include "tools/fit-weights/calibration.h"
#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/left_out.h"
#include "tools/fit-weights/measure.h"
#include "tools/fit-weights/samples.h"
#include "tools/fit-weights/table_text.h"
#include "tools/fit-weights/walk_runs.h"

namespace onnx_hier::fit {
namespace {

// A family counts by the root of the number of its exports, which are much alike.
Measurement MeasureAll(const std::vector<KnownExport>& exports,
                       absl::FunctionRef<WeightTables(const KnownExport&)> tables_of) {
  std::map<std::string, size_t> sizes;
  for (const KnownExport& source : exports) ++sizes[source.family];
  Measurement measurement;
  for (const KnownExport& source : exports) {
    Measurement one = Measure(source, tables_of(source));
    one.Weigh(1 / std::sqrt(static_cast<float>(sizes[source.family])));
    measurement.Add(one);
  }
  return measurement;
}

// Every export decided by tables that were fitted without its family; confidence is what
// the weights say, not calibrated.
Measurement MeasureLeftOut(const std::vector<KnownExport>& exports, const LeftOutTables& tables) {
  return MeasureAll(exports, [&](const KnownExport& source) { return tables.Of(source.family); });
}

std::vector<Outcome> AllOutcomes(const Measurement& measurement) {
  std::vector<Outcome> outcomes;
  for (const auto& [setting, some] : measurement.outcomes) {
    outcomes.insert(outcomes.end(), some.begin(), some.end());
  }
  return outcomes;
}

// The same with what is to be calibrated exchanged.
std::vector<Outcome> ByContainment(std::vector<Outcome> outcomes) {
  for (Outcome& outcome : outcomes) {
    outcome.score = outcome.inside;
    outcome.exact = outcome.contained;
  }
  return outcomes;
}

bool IsNamed(const CalibrationPoint& point) { return point.basis <= Basis::kNamedWalkInLeaf; }

// Where names are left, what was measured on more families than are at hand stays.
std::vector<CalibrationPoint> WithNamedOf(absl::Span<const CalibrationPoint> named,
                                          const std::vector<CalibrationPoint>& fitted) {
  std::vector<CalibrationPoint> points;
  absl::c_copy_if(named, std::back_inserter(points), IsNamed);
  absl::c_copy_if(fitted, std::back_inserter(points), std::not_fn(IsNamed));
  return points;
}

std::string CalibrationTexts(const Measurement& both, size_t exports, size_t families) {
  const WeightTables& today = FittedTables();
  const std::vector<CalibrationPoint> exact =
      WithNamedOf(today.calibration, FitCalibration(AllOutcomes(both)));
  const std::vector<CalibrationPoint> contained =
      WithNamedOf(today.containment, FitCalibration(ByContainment(AllOutcomes(both))));
  const std::string comment = absl::StrCat(
      "Written by tools/fit-weights; do not edit:\n",
      "    fit-weights --calibration FOLDER > lib/owners/calibration_tables.inc\n",
      "How often a node was in its module, by the score of that, and how often the module held\n",
      "it, by the share of the candidates that it was or contained. Measured on ", exports,
      "\nexports of ", families, " families whose nodes had no names;\n",
      "where names are left, on 130 exports of 80 families (66 for what holds it).");
  return absl::StrCat(CommentText(comment), "\n// clang-format off\n",
                      CalibrationText("kCalibration", exact), "\n",
                      CalibrationText("kContainment", contained), "// clang-format on\n");
}

void Say(const std::string& text) { std::fputs(text.c_str(), stderr); }

Measurement MeasureIn(const std::vector<KnownExport>& exports, const WeightTables& tables) {
  return MeasureAll(exports, [&](const KnownExport&) { return tables; });
}

std::string FitTable(const std::vector<KnownExport>& exports, const Samples& samples,
                     size_t families, const Measurement& left_out) {
  const FittedModel model = Fit(samples, [](const std::string&) { return true; });
  const Measurement own = MeasureIn(exports, model.tables());
  Say("families in the fit\n" + FiguresText(own));
  return model.Text(absl::StrCat(
      "Written by tools/fit-weights; do not edit. To refit: build with\n"
      "-DONNX_HIER_BUILD_FIT=ON and run\n"
      "    fit-weights FOLDER > lib/owners/weights_table.inc\n"
      "on a folder of exports with known owners (NAME.onnx with NAME.truth.json).\n\n",
      "Fitted on ", exports.size(), " exports of ", families,
      " families: 10, 30, 60 and 90 % of the names taken away, each node for\n"
      "itself and in runs of about 12; ",
      samples.size(), " nodes.\n\nFamilies left out of the fit (", LeftOutTables::kFolds,
      " folds):\n", FiguresText(left_out), "\nFamilies in the fit:\n", FiguresText(own)));
}

// What names tell less of than parameters is calibrated: the walk's weights do not depend on these
// exports, of which the half is to be of families that they were fitted without.
void Calibrate(const std::vector<KnownExport>& exports) {
  std::set<std::string> families;
  for (const KnownExport& source : exports) families.insert(source.family);
  const Measurement measured = MeasureIn(exports, FittedTables());
  Say(FiguresText(measured));
  std::fputs(CalibrationTexts(measured, exports.size(), families.size()).c_str(), stdout);
}

void RunOnSamples(absl::string_view mode, const std::vector<KnownExport>& exports) {
  const Samples samples = MakeSamples(exports);
  Say(absl::StrCat(samples.size(), " samples\n"));
  const LeftOutTables tables(exports, samples);
  const Measurement left_out = MeasureLeftOut(exports, tables);
  Say("families left out of the fit (confidence: uncalibrated)\n" + FiguresText(left_out));
  if (mode == "--check") return;
  std::fputs(FitTable(exports, samples, tables.family_count(), left_out).c_str(), stdout);
}

int Run(const std::vector<std::string>& words) {
  const bool has_mode = !words.empty() && absl::StartsWith(words[0], "--");
  const absl::string_view mode = has_mode ? absl::string_view(words[0]) : "";
  const std::vector<std::string> rest(words.begin() + (has_mode ? 1 : 0), words.end());
  const bool among_names = mode == "--walk-among-names";
  if ((mode == "--walk" || among_names) && !rest.empty()) return WriteWalkRuns(rest, among_names);
  if (mode == "--ablate" && !rest.empty()) return Ablate(rest);
  if (mode == "--without" && rest.size() > 1)
    return Without(rest[0], {rest.begin() + 1, rest.end()});
  if (rest.size() != 1 || (has_mode && mode != "--calibration" && mode != "--check")) {
    Say("usage: fit-weights [--calibration | --check] FOLDER\n"
        "       fit-weights --ablate FOLDER...\n"
        "       fit-weights --without NAME,... FOLDER...\n"
        "       fit-weights --walk FOLDER... > RUNS\n"
        "       fit-weights --walk-among-names FOLDER... > RUNS\n");
    return 2;
  }
  const absl::StatusOr<std::vector<KnownExport>> exports = ReadExports(rest[0]);
  if (!exports.ok()) {
    Say(absl::StrCat(exports.status().message(), "\n"));
    return 2;
  }
  if (mode == "--calibration") {
    Calibrate(*exports);
  } else {
    RunOnSamples(mode, *exports);
  }
  return 0;
}

}  // namespace
}  // namespace onnx_hier::fit

int main(int argc, char** argv) {
  return onnx_hier::fit::Run(std::vector<std::string>(argv + 1, argv + argc));
}
