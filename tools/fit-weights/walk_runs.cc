// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/walk_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/hash.h"
#include "lib/graph/graph_analysis.h"
#include "lib/names/readable_graph.h"
#include "lib/owners/context.h"
#include "lib/owners/walk.h"
#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/masked_graph.h"

namespace onnx_hier::fit {
namespace {

constexpr uint32_t kCopies = 2;         // that lose names of parameters
constexpr uint64_t kShareLost = 35;     // percent of the groups of these
constexpr size_t kMostStepsKnown = 32;  // of a word's bits

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

void WriteRuns(const KnownExport& source, uint32_t family, uint32_t copy, RunWriter& writer) {
  const Graph& original = source.model.graph();
  const Forgets forgets(source.name, copy);
  const MaskedGraph masked(original, std::vector<bool>(original.node_count(), true),
                           [&](absl::string_view name) { return copy > 0 && forgets(name); });
  const ReadableGraph readable(masked.graph());
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(readable.graph(), {}, paths);
  const GraphAnalysis analysis(readable.graph());
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  const Context context(analysis, evidence, known, paths);
  const Walk walk(context);
  for (const WalkRun& run : walk.runs()) {
    if (run.way.size() < 2 || run.way.size() > kMostStepsKnown) continue;
    writer.Add(family);
    writer.Add(static_cast<uint32_t>(run.nodes.size()));
    writer.Add(static_cast<uint32_t>(run.way.size()));
    for (float temper : walk.TempersOf(run)) writer.AddFloat(temper);
    for (Rank rank : run.nodes) {
      const std::vector<std::string>& owners = source.owners[analysis.flow().node(rank).index()];
      uint32_t right = 0;
      if (!owners.empty()) {
        const PathId owner = DeepestKnown(owners, paths);
        for (size_t step = 0; step < run.way.size(); ++step) {
          if (run.way[step] == owner) right |= 1u << step;
        }
      }
      writer.Add(right);
    }
    const auto write = [&](size_t, size_t, absl::Span<const WalkFeature> features) {
      writer.Add(static_cast<uint32_t>(features.size()));
      for (WalkFeature feature : features) writer.Add(feature);
    };
    // By node and step; by step and gap.
    walk.FeaturesOf(run, write, write);
  }
  writer.Write();
}

}  // namespace

int WriteWalkRuns(const std::vector<std::string>& folders) {
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
      for (uint32_t copy = 0; copy <= kCopies; ++copy) WriteRuns(source, family, copy, writer);
    }
  }
  return 0;
}

}  // namespace onnx_hier::fit
