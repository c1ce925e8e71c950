// SPDX-License-Identifier: Apache-2.0

// What weights were fitted to is what they are asked about.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/context.h"
#include "lib/owners/decisions.h"
#include "lib/owners/named_features.h"
#include "lib/owners/walk.h"
#include "onnx_hier/model.h"
#include "tests/support/digest.h"
#include "tests/support/model_files.h"
#include "tests/support/status.h"
#include "tools/fit-weights/masked_graph.h"

namespace onnx_hier {
namespace {

using testing::Digest;

// A model as it is where this share of its nodes has no names.
class Scene {
 public:
  Scene(const Graph& original, uint32_t percent)
      : masked_(original, fit::RandomMask(original.node_count(), percent, 4, 1)),
        readable_(masked_.graph()),
        evidence_(CollectEvidence(readable_.graph(), {}, paths_)),
        analysis_(readable_.graph()),
        known_(CollectKnown(analysis_.flow(), evidence_, paths_)),
        context_(analysis_, evidence_, known_, paths_) {}

  void AddWalk(Digest& features, Digest& tempers) const {
    const Walk walk(context_);
    for (size_t i = 0; i < walk.runs().size(); ++i) {
      const WalkRun& run = walk.runs()[i];
      const auto adder = [&](uint64_t kind) {
        return [&features, i, kind](size_t a, size_t b, absl::Span<const WalkFeature> all) {
          for (WalkFeature feature : all) {
            features.Add(((i * 1000 + a) * 1000 + b) * 2 + kind, feature);
          }
        };
      };
      walk.FeaturesOf(run, adder(0), adder(1));
      const std::vector<float> all = walk.TempersOf(run);
      for (size_t node = 0; node < all.size(); ++node) {
        tempers.Add(i * 1000 + node, static_cast<uint64_t>(1e4F * all[node] + 0.5F));
      }
    }
  }

  void AddNamed(Digest& features) {
    if (IsNameless(analysis_.flow(), known_)) return;
    const NamedIndex index(context_, /*parallel=*/false);
    NamedFeatures named(context_, index, &paths_);
    for (Rank rank : analysis_.flow().ranks()) {
      if (!known_.is_open(rank)) continue;
      for (const Candidate& candidate : named.Of(rank)) {
        const uint64_t place =
            MixHash(rank.index(), HashBytes(paths_.QualifiedName(candidate.path)));
        for (const Feature& feature : candidate.features) {
          features.Add(place,
                       feature.id * 100000 + static_cast<uint64_t>(1e3F * feature.value + 0.5F));
        }
      }
    }
  }

 private:
  const fit::MaskedGraph masked_;
  const ReadableGraph readable_;
  ModulePaths paths_;
  const Evidence evidence_;
  const GraphAnalysis analysis_;
  const KnownModules known_;
  const Context context_;
};

// If these differ, features are other ones than those that the weights were fitted to: fit them
// anew (CONTRIBUTING.md), then the new digests belong here.
TEST_CASE("the features are those that weights were fitted to") {
  Digest walk;
  Digest tempers;
  Digest named;
  for (const std::string& path : testing::ModelFiles("drawn")) {
    const Model model = testing::Value(Model::Open(path));
    Scene(model.graph(), 100).AddWalk(walk, tempers);
    Scene(model.graph(), 40).AddWalk(walk, tempers);
    Scene(model.graph(), 40).AddNamed(named);
  }
  CHECK(walk.Text() == "227293 of 17345496589205172016");
  CHECK(tempers.Text() == "1104 of 6911949541827599101");
  CHECK(named.Text() == "32801 of 460179672814567945");
}

}  // namespace
}  // namespace onnx_hier
