// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/walk_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/hash.h"
#include "lib/graph/graph_analysis.h"
#include "lib/names/readable_graph.h"
#include "lib/owners/decisions.h"
#include "lib/owners/open_decision.h"
#include "lib/owners/walk.h"
#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/masked_graph.h"

namespace onnx_hier::fit {
namespace {

constexpr uint32_t kCopies = 2;         // that lose names of parameters
constexpr uint64_t kShareLost = 35;     // percent of the groups of these
constexpr size_t kMostStepsKnown = 32;  // of a word's bits
constexpr Setting kAmongNames[] = {{30, 1}, {60, 1}, {60, 12}};

// Which parameters' names a copy loses: all that are alike up to numbers, all of one last word,
// those of modules that are alike up to numbers, those of some modules, or half of the network's
// largest parts.
class Forgets {
 public:
  Forgets(const std::string& name, uint32_t copy) : seed_(MixHash(HashBytes(name), copy)) {}

  bool operator()(absl::string_view name) const {
    if (!absl::StrContains(name, '.')) return false;
    const uint64_t mode = seed_ % 100;
    const bool each = mode >= 55;
    std::string kind;
    for (const char c : name) {
      if (each || !absl::ascii_isdigit(c)) kind += c;
    }
    const absl::string_view all = kind;
    const size_t dot = all.rfind('.');
    if (mode >= 75) {
      const size_t outer = all.find('.', all.find('.') + 1);
      return HashBytes(all.substr(0, mode % 2 == 0 ? all.find('.') : outer), seed_) % 100 < 50;
    }
    const absl::string_view group = mode < 15   ? all.substr(dot + 1)
                                    : mode < 35 ? all.substr(0, dot)
                                    : !each     ? all
                                                : all.substr(0, dot);
    return HashBytes(group, seed_) % 100 < kShareLost;
  }

 private:
  uint64_t seed_;
};

class RunWriter {
 public:
  void Add(uint32_t word) { words_.push_back(word); }
  void AddFloat(float number) {
    uint32_t word = 0;
    std::memcpy(&word, &number, sizeof(word));
    Add(word);
  }
  void Write() {
    std::fwrite(words_.data(), sizeof(uint32_t), words_.size(), stdout);
    words_.clear();
  }

 private:
  std::vector<uint32_t> words_;
};

// The deepest module around one of these that there is a path for.
PathId DeepestKnown(const std::vector<std::string>& names, const ModulePaths& paths) {
  PathId deepest = paths.root();
  for (const std::string& name : names) {
    PathId path = paths.root();
    for (absl::string_view step : absl::StrSplit(name, '.', absl::SkipEmpty())) {
      const PathId child = paths.FindChild(path, step);
      if (!child.valid()) break;
      path = child;
    }
    if (paths.depth(path) > paths.depth(deepest)) deepest = path;
  }
  return deepest;
}

// Writes the runs of each walk that inference asks.
class RunRecorder : public WalkListener {
 public:
  RunRecorder(const KnownExport& source, uint32_t family, const Flow& flow,
              const ModulePaths& paths, RunWriter& writer)
      : source_(source), family_(family), flow_(flow), paths_(paths), writer_(writer) {}

  void Hear(const Walk& walk, std::optional<Walk::Own> own) override {
    for (const WalkRun& run : walk.runs()) {
      if (run.way.size() >= 2 && run.way.size() <= kMostStepsKnown) Record(walk, run, own);
    }
  }

 private:
  void Record(const Walk& walk, const WalkRun& run, std::optional<Walk::Own> own) {
    writer_.Add(family_);
    writer_.Add(static_cast<uint32_t>(run.nodes.size()));
    writer_.Add(static_cast<uint32_t>(run.way.size()));
    for (float temper : walk.TempersOf(run)) writer_.AddFloat(temper);
    for (Rank rank : run.nodes) writer_.Add(RightSteps(run, rank));
    for (Rank rank : run.nodes) {
      for (PathId module : run.way) {
        writer_.AddFloat(own.has_value() ? (*own)(rank, module) : 0);
      }
    }
    const auto write = [this](size_t, size_t, absl::Span<const WalkFeature> features) {
      writer_.Add(static_cast<uint32_t>(features.size()));
      for (WalkFeature feature : features) writer_.Add(feature);
    };
    // By node and step; by step and gap.
    walk.FeaturesOf(run, write, write);
  }

  uint32_t RightSteps(const WalkRun& run, Rank rank) const {
    const std::vector<std::string>& owners = source_.owners[flow_.node(rank).index()];
    if (owners.empty()) return 0;
    const PathId owner = DeepestKnown(owners, paths_);
    uint32_t right = 0;
    for (size_t step = 0; step < run.way.size(); ++step) {
      if (run.way[step] == owner) right |= 1u << step;
    }
    return right;
  }

  const KnownExport& source_;
  const uint32_t family_;
  const Flow& flow_;
  const ModulePaths& paths_;
  RunWriter& writer_;
};

void WriteRuns(const KnownExport& source, uint32_t family, const MaskedGraph& masked,
               RunWriter& writer) {
  const ReadableGraph readable(masked.graph());
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(readable.graph(), {}, paths);
  const GraphAnalysis analysis(readable.graph());
  const Flow& flow = analysis.flow();
  RunRecorder recorder(source, family, flow, paths, writer);
  DecideOpenNodes(analysis, evidence, CollectKnown(flow, evidence, paths), {.listener = &recorder},
                  paths);
  writer.Write();
}

void WriteNameless(const KnownExport& source, uint32_t family, RunWriter& writer) {
  const Graph& original = source.model.graph();
  for (uint32_t copy = 0; copy <= kCopies; ++copy) {
    const Forgets forgets(source.name, copy);
    const MaskedGraph masked(original, std::vector<bool>(original.node_count(), true),
                             [&](absl::string_view name) { return copy > 0 && forgets(name); });
    WriteRuns(source, family, masked, writer);
  }
}

void WriteAmongNames(const KnownExport& source, uint32_t family, RunWriter& writer) {
  const Graph& original = source.model.graph();
  for (const Setting& setting : kAmongNames) {
    const uint64_t seed = MixHash(HashBytes(source.name), setting.percent + setting.run);
    const MaskedGraph masked(original,
                             RandomMask(original.node_count(), setting.percent, setting.run, seed));
    WriteRuns(source, family, masked, writer);
  }
}

}  // namespace

int WriteWalkRuns(const std::vector<std::string>& folders, bool among_names) {
  std::map<std::string, uint32_t> families;
  RunWriter writer;
  for (const std::string& folder : folders) {
    const absl::StatusOr<std::vector<KnownExport>> exports = ReadExports(folder);
    if (!exports.ok()) {
      std::fputs(absl::StrCat(exports.status().message(), "\n").c_str(), stderr);
      return 2;
    }
    for (const KnownExport& source : *exports) {
      const uint32_t family =
          families.emplace(source.family, static_cast<uint32_t>(families.size())).first->second;
      (among_names ? WriteAmongNames : WriteNameless)(source, family, writer);
    }
  }
  return 0;
}

}  // namespace onnx_hier::fit
