// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/inventory.h"

#include <memory>
#include <string>

#include "doctest/doctest.h"
#include "lib/owners/anchor_habits.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;
using Room = Inventory::Room;
using Make = Inventory::KindBy;
using Share = AnchorHabits::Share;

// Three layers of norm (Pow, Sqrt) and act (Relu); the last norm's Sqrt has lost its name.
struct Layers {
  TestGraph model;
  ModulePaths paths;
  Evidence evidence;
  std::unique_ptr<GraphAnalysis> analysis;
  std::unique_ptr<KnownModules> known;
  Rank open = Rank(0);

  Layers() {
    std::string value = "x";
    const auto add = [&](const std::string& op, const std::string& name) {
      model.Node(op, {value}, {value + op}, name);
      value += op;
    };
    for (const std::string layer : {"0", "1", "2"}) {
      add("Pow", "/layer." + layer + "/norm/Pow");
      add("Sqrt", layer == "2" ? "" : "/layer." + layer + "/norm/Sqrt");
      add("Relu", "/layer." + layer + "/act/Relu");
    }
    add("Tanh", "/head/Tanh");
    const Graph& graph = model.Build();
    evidence = CollectEvidence(graph, {}, paths);
    analysis = std::make_unique<GraphAnalysis>(graph);
    known = std::make_unique<KnownModules>(CollectKnown(analysis->flow(), evidence, paths));
    while (!known->is_open(open)) ++open;
  }
};

TEST_CASE("room is where modules of that kind hold one more of such nodes") {
  Layers layers;
  const Context context(*layers.analysis, layers.evidence, *layers.known, layers.paths);
  const Inventory inventory(context);
  const Inventory::Item item = inventory.ItemAt(layers.open);
  const auto room = [&](const char* module, Inventory::KindBy by) {
    return inventory.RoomFor(item, layers.paths.Parse(module), by);
  };
  CHECK(room("layer.2.norm", Inventory::KindBy::kWholePath) == Room::kVacantMost);
  CHECK(room("layer.1.norm", Inventory::KindBy::kWholePath) == Room::kFullMost);
  CHECK(room("layer.2.act", Inventory::KindBy::kWholePath) == Room::kUnlikely);
  CHECK(room("head", Inventory::KindBy::kWholePath) == Room::kAloneNot);
  CHECK(room("layer.2", Inventory::KindBy::kWholePath) == Room::kUnheard);
  CHECK(room("tail.2.norm", Inventory::KindBy::kWholePath) == Room::kMadeUp);
  CHECK(room("tail.2.norm", Inventory::KindBy::kLastNames) == Room::kVacantMost);
}

TEST_CASE("a module is made up where those of its kind hold nodes and no modules") {
  Layers layers;
  const Context context(*layers.analysis, layers.evidence, *layers.known, layers.paths);
  const Inventory inventory(context);
  const auto is_made_up = [&](const char* module) {
    return inventory.IsMadeUp(layers.paths.Parse(module));
  };
  CHECK(is_made_up("layer.2.act.gate"));
  CHECK(is_made_up("head.norm"));
  CHECK_FALSE(is_made_up("layer.2.act"));
  CHECK(is_made_up("layer.3.act"));   // the list ends before
  CHECK(is_made_up("layer.2.gate"));  // nor has any other layer one
  CHECK(is_made_up("tail.norm"));     // likewise
}

TEST_CASE("readers of parameters stand to the owners as known ones that look alike do") {
  TestGraph model;
  for (const std::string layer : {"0", "1", "2"}) {
    model.Initializer(model.Keep("layer." + layer + ".out_proj.weight"), {4, 4});
    model.Initializer(model.Keep("layer." + layer + ".fc.bias"), {4});
    model.Node("Gemm", {"x", "layer." + layer + ".out_proj.weight"}, {"a" + layer},
               layer == "2" ? "" : "/layer." + layer + "/Gemm");
    model.Node("Add", {"a" + layer, "layer." + layer + ".fc.bias"}, {"b" + layer},
               layer == "2" ? "" : "/layer." + layer + "/fc/Add");
  }
  const Graph& graph = model.Build();
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  const GraphAnalysis analysis(graph);
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  const Context context(analysis, evidence, known, paths);
  const AnchorHabits habits(context);
  const auto equal = static_cast<size_t>(AnchorHabits::Stand::kEqual);
  const auto parent = static_cast<size_t>(AnchorHabits::Stand::kParent);
  CHECK(habits.Of(Rank(4))[equal] == Share::kNever);
  CHECK(habits.Of(Rank(4))[parent] == Share::kAlways);
  CHECK(habits.Of(Rank(5))[equal] == Share::kAlways);
}

TEST_CASE("a module that nothing names may be there where its like is") {
  ModulePaths paths;
  for (const char* name : {"layers.0.attn.query", "layers.0.attn.proj", "layers.1.attn.query",
                           "layers.1.norm", "decoder.layers.0.attn.cross", "blocks.0.0.query",
                           "blocks.0.0.key", "blocks.0.1.fc", "blocks.0.1.act", "transition1.pool",
                           "transition1.norm", "transition2.norm", "post.1", "post.3"}) {
    paths.Parse(name);
  }
  NamedModules named(paths);
  for (PathId path : paths.ids()) named.Add(path);
  named.Finish();
  const auto may_be = [&](const char* module) { return named.MayBeThere(paths.Parse(module)); };
  CHECK(may_be("layers.1.attn.query"));
  CHECK(may_be("layers.1.attn.proj"));
  CHECK(may_be("decoder.layers.0.attn.proj"));  // as long as little is known of either
  CHECK(may_be("transition2.pool"));
  CHECK(may_be("post.2"));
  CHECK_FALSE(may_be("layers.1.attn.gate"));  // nobody is called so
  CHECK_FALSE(may_be("norm.query"));
  CHECK_FALSE(may_be("query"));
  CHECK_FALSE(may_be("layers.2"));  // the list ends
  CHECK_FALSE(may_be("layers.2.attn"));
  CHECK_FALSE(may_be("post.4"));
  // Two kinds of modules take turns in that list.
  CHECK_FALSE(may_be("blocks.0.0.fc"));
  CHECK_FALSE(may_be("blocks.0.1.query"));
}

}  // namespace
}  // namespace onnx_hier
