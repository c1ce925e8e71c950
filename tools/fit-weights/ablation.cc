// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/ablation.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/api/annotate.h"
#include "lib/base/rules.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/check.h"
#include "onnx_hier/tags.h"
#include "tools/fit-weights/left_out.h"
#include "tools/fit-weights/samples.h"

namespace onnx_hier::fit {
namespace {

constexpr uint64_t kSeed = 5;
constexpr size_t kMostFamilies = 6;  // that a line names
constexpr float kSure = 0.9f;

constexpr Setting kSettings[] = {{0, 1}, {30, 1}, {60, 1}, {60, 12}, {100, 1}};

// Nodes as they are tagged in the end, of one family of models or of all, and what `check` finds.
struct FamilyTally {
  int64_t nodes = 0, exact = 0, wrong = 0, cross = 0;
  int64_t sure = 0;  // not exact, and said to be with more than kSure
  int64_t found = 0, false_alarms = 0;

  void Add(const FamilyTally& more) {
    nodes += more.nodes;
    exact += more.exact;
    wrong += more.wrong;
    cross += more.cross;
    sure += more.sure;
    found += more.found;
    false_alarms += more.false_alarms;
  }
  int64_t merit() const { return exact - wrong + found - false_alarms; }
};
using Tallies = std::map<std::string, FamilyTally>;  // by family

struct KnownTags {
  std::string family;
  Model model;
  std::map<std::string, bool> is_wrong;  // of nodes where it is known, by their paths
};

absl::StatusOr<std::vector<KnownTags>> ReadKnownTags(const std::string& folder) {
  const std::string ending = ".contam.json";
  std::vector<KnownTags> files;
  for (const std::string& stem : StemsIn(folder, ending)) {
    absl::StatusOr<Model> model = Model::Open(absl::StrCat(folder, "/", stem, ".onnx"));
    if (!model.ok()) return model.status();
    KnownTags known{FamilyOf(stem), *std::move(model), {}};
    std::ifstream file(absl::StrCat(folder, "/", stem, ending));
    const nlohmann::json truth = nlohmann::json::parse(file);
    for (const nlohmann::json& node : truth.at("nodes")) {
      const std::string status = node.at("status");
      const bool is_wrong = status == "cross_layer" || status == "cross_module";
      // An auxiliary tag of another layer, or an owner that only follows from others: nobody knows.
      const bool is_open = node.value("derived", false) || node.contains("aux_cross_layer");
      if (!is_open && (is_wrong || status == "ok")) known.is_wrong[node.at("key")] = is_wrong;
    }
    files.push_back(std::move(known));
  }
  return files;
}

void TallyOwners(const Scene& scene, const NodeOwners& owners, bool only_masked,
                 FamilyTally& tally) {
  for (NodeId node : scene.flow().graph().node_ids()) {
    const std::vector<PathId>& right = scene.owners[node.index()];
    if (right.empty() || (only_masked && !scene.masked[node.index()])) continue;
    bool cross = false;
    const Verdict verdict = Compare(owners[node].primary, right, scene.paths, &cross);
    ++tally.nodes;
    tally.exact += verdict == Verdict::kExact;
    tally.wrong += verdict == Verdict::kWrong;
    tally.cross += cross;
    tally.sure += verdict != Verdict::kExact && owners[node].confidence > kSure;
  }
}

void TallyExport(const KnownExport& source, bool masked, const WeightTables& tables,
                 FamilyTally& tally) {
  for (const Setting& setting : kSettings) {
    const bool as_it_is = setting.percent == 0;
    if (!as_it_is && !masked) continue;
    Scene scene = MakeScene(source, setting, kSeed);
    ContaminationCount contamination;
    const NodeOwners owners = DecideOwners(*scene.analysis, scene.evidence, scene.Known(),
                                           {.tables = tables}, scene.paths, contamination);
    TallyOwners(scene, owners, !as_it_is, tally);
  }
}

void TallyCheck(const KnownTags& source, FamilyTally& tally) {
  const Graph& graph = source.model.graph();
  ReadTagsResult read = ReadTags(graph);
  for (const Finding& finding : FindContamination(graph, {}, read.tags)) {
    const auto known = source.is_wrong.find(graph.NodePath(finding.node));
    if (known == source.is_wrong.end()) continue;
    ++(known->second ? tally.found : tally.false_alarms);
  }
}

FamilyTally Sum(const Tallies& tallies) {
  FamilyTally sum;
  for (const auto& [family, tally] : tallies) sum.Add(tally);
  return sum;
}

std::string FamiliesText(const Tallies& with, const Tallies& without) {
  std::vector<std::pair<int64_t, std::string>> changes;
  for (const auto& [family, tally] : with) {
    const int64_t change = without.at(family).merit() - tally.merit();
    if (change != 0) changes.emplace_back(change, family);
  }
  std::sort(changes.begin(), changes.end(), [](const auto& one, const auto& other) {
    return std::pair(-std::abs(one.first), one.second) <
           std::pair(-std::abs(other.first), other.second);
  });
  const auto better = std::count_if(changes.begin(), changes.end(),
                                    [](const auto& change) { return change.first > 0; });
  std::string text = absl::StrFormat("%4d %4d", better, changes.size() - better);
  for (size_t i = 0; i < std::min(changes.size(), kMostFamilies); ++i) {
    absl::StrAppendFormat(&text, "  %s %+d", changes[i].second, changes[i].first);
  }
  return text;
}

// These families of features get no weights.
Samples WithoutFamilies(Samples samples, const std::vector<FeatureKind>& families) {
  for (Feature& feature : samples.features) {
    if (absl::c_linear_search(families, KindOf(feature.id))) feature.value = 0;
  }
  return samples;
}

class Ablation {
 public:
  // False: a message was printed.
  bool Read(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      absl::StatusOr<std::vector<KnownExport>> exports = ReadExports(folder);
      absl::StatusOr<std::vector<KnownTags>> tags = ReadKnownTags(folder);
      if (!exports.ok() || !tags.ok()) {
        const absl::Status& failed = exports.ok() ? tags.status() : exports.status();
        std::fputs(absl::StrCat(failed.message(), "\n").c_str(), stderr);
        return false;
      }
      exports_.push_back(*std::move(exports));
      std::move(tags->begin(), tags->end(), std::back_inserter(tags_));
    }
    samples_ = MakeSamples(exports_[0]);
    with_ = Measure(samples_);
    const FamilyTally sum = Sum(with_);
    std::printf("%s",
                absl::StrFormat("with all: %d nodes, %d exact, %d wrong, %d of these in another "
                                "layer, %d sure and not exact; check finds %d, falsely %d\n"
                                "%-26s %6s %6s %6s %6s %6s %6s %4s %4s\n",
                                sum.nodes, sum.exact, sum.wrong, sum.cross, sum.sure, sum.found,
                                sum.false_alarms, "without", "exact", "wrong", "cross", "sure",
                                "found", "false", "fam+", "fam-")
                    .c_str());
    return true;
  }

  // With the rules as they are now.
  Samples Resample() const { return MakeSamples(exports_[0]); }
  // With all rules on.
  const Samples& samples() const { return samples_; }

  void Report(const std::string& name, const Samples& samples) const {
    const Tallies without = Measure(samples);
    const FamilyTally a = Sum(with_);
    const FamilyTally b = Sum(without);
    const std::string line =
        absl::StrFormat("%-26s %+6d %+6d %+6d %+6d %+6d %+6d %s\n", name, b.exact - a.exact,
                        b.wrong - a.wrong, b.cross - a.cross, b.sure - a.sure, b.found - a.found,
                        b.false_alarms - a.false_alarms, FamiliesText(with_, without));
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  Tallies Measure(const Samples& samples) const {
    const LeftOutTables tables(exports_[0], samples);
    Tallies tallies;
    for (const std::vector<KnownExport>& some : exports_) {
      const bool masked = &some == exports_.data();
      for (const KnownExport& source : some) {
        WeightTables without_family = tables.Of(source.family);
        // Confidence is as in the program's own tables.
        without_family.calibration = FittedTables().calibration;
        without_family.containment = FittedTables().containment;
        TallyExport(source, masked, without_family, tallies[source.family]);
      }
    }
    for (const KnownTags& source : tags_) TallyCheck(source, tallies[source.family]);
    return tallies;
  }

  std::vector<std::vector<KnownExport>> exports_;  // by folder
  std::vector<KnownTags> tags_;
  Samples samples_;
  Tallies with_;
};

}  // namespace

int Ablate(const std::vector<std::string>& folders) {
  Ablation ablation;
  if (!ablation.Read(folders)) return 2;
  for (size_t rule = 0; rule < kRuleCount; ++rule) {
    RulesOff()[rule] = true;
    ablation.Report(std::string(kRuleNames[rule]), ablation.Resample());
    RulesOff()[rule] = false;
  }
  for (size_t kind = 0; kind < kFeatureKindCount; ++kind) {
    const auto family = static_cast<FeatureKind>(kind);
    ablation.Report(FeatureFamilyName(family), WithoutFamilies(ablation.samples(), {family}));
  }
  return 0;
}

int Without(const std::string& names, const std::vector<std::string>& folders) {
  Ablation ablation;
  if (!ablation.Read(folders)) return 2;
  std::vector<FeatureKind> dropped;
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    bool known = false;
    for (size_t rule = 0; rule < kRuleCount; ++rule) {
      if (kRuleNames[rule] == name) known = RulesOff()[rule] = true;
    }
    for (size_t kind = 0; kind < kFeatureKindCount; ++kind) {
      if (FeatureFamilyName(static_cast<FeatureKind>(kind)) != name) continue;
      dropped.push_back(static_cast<FeatureKind>(kind));
      known = true;
    }
    if (!known) {
      std::fputs(absl::StrCat(name, ": neither a rule nor a family\n").c_str(), stderr);
      return 2;
    }
  }
  ablation.Report(names, WithoutFamilies(ablation.Resample(), dropped));
  return 0;
}

}  // namespace onnx_hier::fit
