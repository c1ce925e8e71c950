// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/input_code.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

std::string Text(const std::vector<InputCodePlace>& placed, const ModulePaths& paths) {
  std::string text;
  for (const InputCodePlace& place : placed) {
    absl::StrAppend(&text, place.rank.index(), ": ", paths.QualifiedName(place.module), " for ",
                    place.reader.index(), "\n");
  }
  return text;
}

struct Scene {
  // A mask for both layers, and positions for the embedding.
  Scene() {
    model.Input("ids");
    model.Node("Not", {"ids"}, {"mask"});
    model.Node("CumSum", {"ids"}, {"positions"});
    model.Node("Gather", {"positions"}, {"x"});
    model.Node("Add", {"x", "mask"}, {"h"});
    model.Node("Add", {"h", "mask"}, {"y"});
  }

  TestGraph model;
  ModulePaths paths;
};

TEST_CASE("what is computed before the first parameter runs in what is called then") {
  Scene scene;
  const GraphAnalysis analysis(scene.model.Build());
  KnownModules known(5);
  known.Presume(Rank(2), scene.paths.Parse("bert.embeddings"));
  known.Presume(Rank(3), scene.paths.Parse("bert.layer.0"));
  known.Presume(Rank(4), scene.paths.Parse("bert.layer.1"));
  const Surroundings surroundings(analysis.flow(), known, scene.paths);
  CHECK(Text(PlaceBeforeParameters(analysis.flow(), known, surroundings, scene.paths),
             scene.paths) == "1: bert.embeddings for 2\n0: bert for 3\n");
}

TEST_CASE("before what was made for a later module, nothing is in an earlier one") {
  TestGraph model;
  model.Input("ids");
  model.Node("CumSum", {"ids"}, {"positions"});
  model.Node("Not", {"ids"}, {"mask"});
  model.Node("Gather", {"positions"}, {"x"});
  model.Node("Add", {"x", "mask"}, {"h"});
  const GraphAnalysis analysis(model.Build());
  ModulePaths paths;
  KnownModules known(4);
  known.Presume(Rank(2), paths.Parse("bert.embeddings"));
  known.Presume(Rank(3), paths.Parse("bert.layer.0"));
  const Surroundings surroundings(analysis.flow(), known, paths);
  CHECK(Text(PlaceBeforeParameters(analysis.flow(), known, surroundings, paths), paths) ==
        "1: bert for 3\n0: bert for 2\n");
}

TEST_CASE("what is computed with weights that nobody owns is no code of inputs") {
  TestGraph model;
  model.Input("image");
  model.Initializer("onnx::Conv_7", {4, 4, 3, 3});
  model.Node("Sub", {"image"}, {"normal"});
  model.Node("Conv", {"normal", "onnx::Conv_7"}, {"a"});
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Gather", {"b"}, {"c"});
  const GraphAnalysis analysis(model.Build());
  ModulePaths paths;
  KnownModules known(4);
  known.Presume(Rank(3), paths.Parse("head"));
  const Surroundings surroundings(analysis.flow(), known, paths);
  CHECK(PlaceBeforeParameters(analysis.flow(), known, surroundings, paths).empty());
}

TEST_CASE("nothing is placed before parameters where there are none") {
  Scene scene;
  const GraphAnalysis analysis(scene.model.Build());
  const KnownModules known(5);
  const Surroundings surroundings(analysis.flow(), known, scene.paths);
  CHECK(PlaceBeforeParameters(analysis.flow(), known, surroundings, scene.paths).empty());
}

TEST_CASE("what several read is in what holds all of these") {
  Scene scene;
  const GraphAnalysis analysis(scene.model.Build());
  KnownModules known(5);
  known.Presume(Rank(2), scene.paths.Parse("bert.embeddings"));
  IdVector<Rank, PathId> places(5);
  places[Rank(2)] = known[Rank(2)];
  places[Rank(3)] = scene.paths.Parse("bert.layer.0");
  places[Rank(4)] = scene.paths.Parse("bert.layer.1");
  CHECK(Text(PlaceWithAllReaders(analysis.flow(), known, scene.paths, places), scene.paths) ==
        "1: bert.embeddings for 2\n0: bert.layer for 4\n");
}

}  // namespace
}  // namespace onnx_hier
