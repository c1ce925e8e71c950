// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/twins.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/owners/named_features.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Two alike layers: Abs in the layer itself, Relu in its `act`, Neg in the layer again.
const Graph& TwoLayers(TestGraph& model) {
  model.Node("Abs", {"x"}, {"a0"});
  model.Node("Relu", {"a0"}, {"b0"});
  model.Node("Neg", {"b0"}, {"c0"});
  model.Node("Abs", {"c0"}, {"a1"});
  model.Node("Relu", {"a1"}, {"b1"});
  model.Node("Neg", {"b1"}, {"c1"});
  return model.Build();
}

class Fixture {
 public:
  explicit Fixture(std::vector<const char*> modules) : analysis_(TwoLayers(model_)), known_(6) {
    for (Rank i : known_.ranks()) {
      if (modules[i.index()] != nullptr) known_.Settle(i, paths_.Parse(modules[i.index()]));
    }
  }

  // Where the most telling twins put the node if they agree, the nearest of them, and where its
  // neighbours in the file do: "layer.1.act by 1, in layer.1".
  std::string On(Rank rank) {
    Evidence evidence;
    evidence.nodes.resize(6);
    const Context context(analysis_, evidence, known_, paths_);
    const TwinGroups groups(analysis_.fingerprints(), known_);
    const Siblings siblings(analysis_.flow(), analysis_.fingerprints());
    const std::vector<TwinVote> votes = Twins(context, groups, siblings, &paths_).VotesOn(rank);
    const PathId order = DescribeNeighbourhood(rank, context).order_ancestor;
    std::string text;
    if (!votes.empty() && votes[0].candidates.size() == 1) {
      const TwinVote::Candidate& said = votes[0].candidates[0];
      text = absl::StrCat(paths_.QualifiedName(said.path), " by ", said.twin.index(), ", ");
    }
    return absl::StrCat(text, "in ", paths_.QualifiedName(order));
  }

 private:
  TestGraph model_;
  GraphAnalysis analysis_;
  ModulePaths paths_;
  KnownModules known_;
};

TEST_CASE("a twin lends its place, in a module that the file names nowhere") {
  Fixture layers({"layer.0", "layer.0.act", "layer.0", "layer.1", nullptr, "layer.1"});
  CHECK(layers.On(Rank(4)) == "layer.1.act by 1, in layer.1");
}

TEST_CASE("a twin across stages of other numbers") {
  Fixture stages(
      {"stages.0.2", "stages.0.2.act", "stages.0.2", "stages.1.0", nullptr, "stages.1.0"});
  CHECK(stages.On(Rank(4)) == "stages.1.0.act by 1, in stages.1.0");
}

TEST_CASE("without a twin: what contains the nodes before and behind") {
  Fixture layers({"layer.0.a", nullptr, "layer.0.b", "layer.1", "layer.1", "layer.1"});
  CHECK(layers.On(Rank(1)) == "in layer.0");
}

}  // namespace
}  // namespace onnx_hier
