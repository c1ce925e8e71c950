#include "lib/resolve/rules.h"

#include "doctest/doctest.h"
#include "lib/resolve/twins.h"
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
  explicit Fixture(std::vector<const char*> modules) : wiring_(TwoLayers(model_)), known_(6) {
    for (Place i = 0; i < 6; ++i) {
      if (modules[i] != nullptr) known_.Settle(i, paths_.Parse(modules[i]));
    }
  }

  Opinions On(Place place) {
    Evidence evidence;
    evidence.nodes.resize(6);
    const Context context(wiring_, evidence, known_, paths_);
    const TwinGroups groups(wiring_.fingerprints(), known_);
    Twins twins(context, groups, &paths_);
    return Rules(context, twins).On(place);
  }
  ModulePaths& paths() { return paths_; }

 private:
  TestGraph model_;
  Wiring wiring_;
  ModulePaths paths_;
  KnownModules known_;
};

TEST_CASE("a twin lends its place, in a module that the file names nowhere") {
  Fixture layers({"layer.0", "layer.0.act", "layer.0", "layer.1", nullptr, "layer.1"});
  const Opinions opinions = layers.On(4);
  CHECK(layers.paths().QualifiedName(opinions.twins) == "layer.1.act");
  CHECK(opinions.twin == 1);
  CHECK(layers.paths().QualifiedName(opinions.order) == "layer.1");
  CHECK(opinions.Best() == opinions.twins);
}

TEST_CASE("a twin across stages of other numbers") {
  Fixture stages(
      {"stages.0.2", "stages.0.2.act", "stages.0.2", "stages.1.0", nullptr, "stages.1.0"});
  CHECK(stages.paths().QualifiedName(stages.On(4).twins) == "stages.1.0.act");
}

TEST_CASE("without a twin: what contains the nodes before and behind") {
  Fixture layers({"layer.0.a", nullptr, "layer.0.b", "layer.1", "layer.1", "layer.1"});
  CHECK(layers.paths().QualifiedName(layers.On(1).order) == "layer.0");
}

}  // namespace
}  // namespace onnx_hier
