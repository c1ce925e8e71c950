// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/samples.h"

#include <algorithm>
#include <random>

#include "lib/owners/decisions.h"
#include "lib/owners/named_features.h"

namespace onnx_hier::fit {
namespace {

// No file may outweigh the others by its size.
constexpr size_t kNamedNodesOfScene = 50;
constexpr uint64_t kSeed = 77;

// The open nodes with known owners, at most `most` of them, picked at random.
std::vector<Rank> Pick(const Scene& scene, const KnownModules& known, size_t most) {
  std::vector<Rank> picked;
  for (Rank i : scene.flow().ranks()) {
    if (!known.is_open(i) || scene.owners[scene.flow().node(i).index()].empty()) continue;
    picked.push_back(i);
  }
  std::mt19937_64 random(kSeed);
  for (size_t i = picked.size(); i > 1; --i) std::swap(picked[i - 1], picked[random() % i]);
  picked.resize(std::min(picked.size(), most));
  std::sort(picked.begin(), picked.end());
  return picked;
}

// The owner itself, or the deepest candidate that contains it; none: no candidate does.
void AddSample(const Scene& scene, Rank rank, absl::Span<const Candidate> candidates,
               Samples& samples) {
  size_t right = candidates.size();
  for (PathId owner : scene.owners[scene.flow().node(rank).index()]) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!scene.paths.Contains(candidates[c].path, owner)) continue;
      if (right == candidates.size() ||
          scene.paths.depth(candidates[c].path) > scene.paths.depth(candidates[right].path)) {
        right = c;
      }
    }
  }
  if (right == candidates.size()) return;
  samples.Add(candidates, static_cast<uint32_t>(right), scene.source->family);
}

void AddNamed(Scene& scene, Samples& samples) {
  const KnownModules known = scene.Known();
  if (IsNameless(scene.flow(), known)) return;
  const Context context(*scene.analysis, scene.evidence, known, scene.paths);
  const NamedIndex index(context, /*parallel=*/false);
  NamedFeatures features(context, index, &scene.paths);
  for (Rank rank : Pick(scene, known, kNamedNodesOfScene)) {
    AddSample(scene, rank, features.Of(rank), samples);
  }
}

}  // namespace

Samples MakeSamples(const std::vector<KnownExport>& exports) {
  Samples samples;
  for (const KnownExport& source : exports) {
    for (uint32_t percent : {10, 30, 60, 90}) {
      for (uint32_t run : {1, 12}) {
        Scene scene = MakeScene(source, {percent, run}, kSeed);
        AddNamed(scene, samples);
      }
    }
  }
  return samples;
}

}  // namespace onnx_hier::fit
