// SPDX-License-Identifier: Apache-2.0

// A module map that tells of all modules is believed.
#include "doctest/doctest.h"
#include "lib/names/mapped_modules.h"
#include "onnx_hier/module_paths.h"
#include "tests/owners/place_text.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Places;
using testing::TestGraph;

// Names as after a pass that prints what it moved in modules of its own.
const Graph& Network(TestGraph& model) {
  model.Initializer("layers.0.fc.weight", {4, 4});
  model.Initializer("layers.1.fc.weight", {4, 4});
  model.Node("MatMul", {"x", "layers.0.fc.weight"}, {"a"}, "/layers.0/fc/MatMul");
  model.Node("Relu", {"a"}, {"b"}, "/layers.0/moved/Relu");
  model.Node("MatMul", {"b", "layers.1.fc.weight"}, {"c"}, "/layers.1/fc/MatMul");
  model.Node("Add", {"c", "x"}, {"y"}, "/layers/Add");
  return model.Build();
}

const ModuleMap kWhole = {
    {"", "Net"},           {"layers", "torch.nn.modules.container.ModuleList"},
    {"layers.0", "Block"}, {"layers.0.fc", "torch.nn.modules.linear.Linear"},
    {"layers.1", "Block"}, {"layers.1.fc", "torch.nn.modules.linear.Linear"}};

TEST_CASE("no module outside of a whole map owns a node, nor does a list") {
  TestGraph without;
  CHECK(Places(Network(without)) == "layers.0.fc | layers.0.moved | layers.1.fc | layers");
  TestGraph with;
  CHECK(Places(Network(with), kWhole) == "layers.0.fc | layers.0 | layers.1.fc | ");
}

TEST_CASE("a map that tells of some modules leaves room for others") {
  TestGraph model;
  CHECK(Places(Network(model), {kWhole.begin() + 1, kWhole.end()}) ==
        "layers.0.fc | layers.0.moved | layers.1.fc | layers");
}

TEST_CASE("the map of another network is not believed") {
  TestGraph model;
  CHECK(Places(Network(model), {{"", "Other"}, {"stem", "Conv"}, {"stem.bn", "Norm"}}) ==
        "layers.0.fc | layers.0.moved | layers.1.fc | layers");
}

TEST_CASE("what a network derives from a container may own nodes") {
  ModulePaths paths;
  const MappedModules mapped = PathsOf({{"", "Net"},
                                        {"list", "ModuleList"},
                                        {"own", "project.blocks.ModuleList"},
                                        {"chain", "torch.nn.modules.container.Sequential"}},
                                       paths);
  const auto may_own = [&](const char* name) { return mapped.owners.Has(paths.Parse(name)); };
  CHECK_FALSE(may_own("list"));
  CHECK(may_own("own"));
  CHECK(may_own("chain"));
  CHECK_FALSE(mapped.computing.Has(paths.Parse("chain")));
  CHECK(may_own(""));
}

}  // namespace
}  // namespace onnx_hier
