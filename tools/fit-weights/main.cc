// Fits the weights of lib/infer.
//
//   fit-weights FOLDER            fits on all exports of the folder, prints the table
//   fit-weights --containment FOLDER  the table of how surely modules hold their nodes, as decided
//                                 half by the program's own tables, half by those fitted without
//                                 the node's family
//   fit-weights --check FOLDER    how tables fitted without a family decide that family
//   fit-weights --rules FOLDER    how plain rules decide, which tables must do better than
//   fit-weights --joins FOLDER    rules for residual joins, compared
//
// Figures go to standard error, the table to standard output.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/fit-weights/calibration.h"
#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/joins.h"
#include "tools/fit-weights/measure.h"
#include "tools/fit-weights/samples.h"
#include "tools/fit-weights/softmax_fit.h"
#include "tools/fit-weights/table_text.h"

namespace onnx_hier::fit {
namespace {

constexpr size_t kFolds = 5;
constexpr FitOptions kNamedOptions = {.l2 = 5, .keep = 200};
constexpr FitOptions kNamelessOptions = {.l2 = 100, .keep = 150};

// Families in alphabetical order are dealt to the folds one by one.
std::map<std::string, size_t> FoldsOf(const std::vector<KnownExport>& exports) {
  std::map<std::string, size_t> folds;
  for (const KnownExport& source : exports) folds[source.family] = 0;
  size_t next = 0;
  for (auto& [family, fold] : folds) fold = next++ % kFolds;
  return folds;
}

template <class Use>
FittedModel Fit(const AllSamples& samples, const Use& use) {
  const auto fit = [&](const Samples& part, const FitOptions& options) {
    std::vector<bool> used;
    used.reserve(part.families.size());
    for (const std::string& family : part.families) used.push_back(use(family));
    return FitWeights(part, used, options);
  };
  return FittedModel(fit(samples.named, kNamedOptions), fit(samples.nameless, kNamelessOptions));
}

// Every export decided by tables that were fitted without its family.
Measurement MeasureLeftOut(const std::vector<KnownExport>& exports, const AllSamples& samples,
                           const std::vector<CalibrationPoint>& calibration) {
  const std::map<std::string, size_t> folds = FoldsOf(exports);
  Measurement measurement;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    FittedModel model =
        Fit(samples, [&](const std::string& family) { return folds.at(family) != fold; });
    model.calibration = calibration;
    for (const KnownExport& source : exports) {
      if (folds.at(source.family) == fold) measurement.Add(Measure(source, model.tables()));
    }
  }
  return measurement;
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

std::string ContainmentText(const Measurement& both, size_t exports) {
  const std::string comment = absl::StrCat(
      "Written by tools/fit-weights; do not edit:\n",
      "    fit-weights --containment FOLDER > lib/infer/containment_table.inc\n",
      "How often a module held its node, by the share of the candidates that it was or\n",
      "contained. Measured on ", exports, " exports as in weights_table.inc.");
  return absl::StrCat(
      CommentText(comment), "\n// clang-format off\n",
      CalibrationText("kContainment", FitCalibration(ByContainment(AllOutcomes(both)))),
      "// clang-format on\n");
}

void Say(const std::string& text) { std::fputs(text.c_str(), stderr); }

Measurement MeasureIn(const std::vector<KnownExport>& exports, const WeightTables& tables) {
  Measurement measurement;
  for (const KnownExport& source : exports) measurement.Add(Measure(source, tables));
  return measurement;
}

std::string FitTable(const std::vector<KnownExport>& exports, const AllSamples& samples,
                     const Measurement& left_out) {
  FittedModel model = Fit(samples, [](const std::string&) { return true; });
  const Measurement own = MeasureIn(exports, model.tables());
  Say("families in the fit\n" + FiguresText(own));
  // Confidence is measured half on families that the weights have seen, half on others: what users
  // bring is like the one or the other.
  Measurement both = left_out;
  both.Add(own);
  model.calibration = FitCalibration(AllOutcomes(both));
  return model.Text(
      absl::StrCat("Written by tools/fit-weights; do not edit. To refit: build with\n"
                   "-DONNX_HIER_BUILD_FIT=ON and run\n"
                   "    fit-weights FOLDER > lib/infer/weights_table.inc\n"
                   "on a folder of exports with known owners (NAME.onnx with NAME.truth.json).\n\n",
                   "Fitted on ", exports.size(), " exports of ", FoldsOf(exports).size(),
                   " families: 10, 30, 60 and 90 % of the names taken away, each node for\n"
                   "itself and in runs of about 12, and all names; ",
                   samples.named.size(), " and ", samples.nameless.size(),
                   " nodes. Confidence is measured\n"
                   "with other masks, on families in the fit and on families left out of it (",
                   kFolds, " folds).\n\nFamilies left out of the fit:\n", FiguresText(left_out),
                   "\nFamilies in the fit:\n", FiguresText(own)));
}

// What is fitted or checked on samples: all but rules.
void RunOnSamples(absl::string_view mode, const std::vector<KnownExport>& exports) {
  const AllSamples samples = MakeSamples(exports);
  Say(absl::StrCat(samples.named.size(), " named and ", samples.nameless.size(),
                   " nameless samples\n"));
  const Measurement left_out = MeasureLeftOut(exports, samples, {});
  Say("families left out of the fit (confidence: uncalibrated)\n" + FiguresText(left_out));
  if (mode == "--containment") {
    Measurement both = left_out;
    both.Add(MeasureIn(exports, FittedTables()));
    std::fputs(ContainmentText(both, exports.size()).c_str(), stdout);
  } else if (mode != "--check") {
    std::fputs(FitTable(exports, samples, left_out).c_str(), stdout);
  }
}

int Run(const std::vector<std::string>& words) {
  constexpr absl::string_view kModes[] = {"--containment", "--check", "--rules", "--joins"};
  const absl::string_view mode = words.size() == 2 ? absl::string_view(words[0]) : "";
  const bool known =
      mode.empty() || std::find(std::begin(kModes), std::end(kModes), mode) != std::end(kModes);
  if (words.empty() || words.size() > 2 || !known) {
    Say("usage: fit-weights [--containment | --check | --rules | --joins] FOLDER\n");
    return 2;
  }
  const absl::StatusOr<std::vector<KnownExport>> exports = ReadExports(words.back());
  if (!exports.ok()) {
    Say(absl::StrCat(exports.status().message(), "\n"));
    return 2;
  }
  if (mode == "--joins") {
    Say(CompareJoinRules(*exports));
  } else if (mode == "--rules") {
    Measurement measurement;
    for (const KnownExport& source : *exports) measurement.Add(MeasureRules(source));
    Say(FiguresText(measurement));
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
