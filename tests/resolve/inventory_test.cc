#include "lib/resolve/inventory.h"

#include <memory>
#include <string>

#include "doctest/doctest.h"
#include "lib/resolve/anchor_habits.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;
using Room = Inventory::Room;
using Make = Inventory::Make;
using Share = AnchorHabits::Share;

// Three layers of norm (Pow, Sqrt) and act (Relu); the last norm's Sqrt has lost its name.
struct Layers {
  TestGraph model;
  ModulePaths paths;
  Evidence evidence;
  std::unique_ptr<Wiring> wiring;
  std::unique_ptr<KnownModules> known;
  Place open = 0;

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
    wiring = std::make_unique<Wiring>(graph);
    known = std::make_unique<KnownModules>(CollectKnown(wiring->flow(), evidence, paths));
    while (!known->is_open(open)) ++open;
  }
};

TEST_CASE("room is where modules of that make hold one more of such nodes") {
  Layers layers;
  const Context context(*layers.wiring, layers.evidence, *layers.known, layers.paths);
  const Inventory inventory(context);
  const Inventory::Item item = inventory.ItemAt(layers.open);
  const auto room = [&](const char* module, Make make) {
    return inventory.RoomFor(item, layers.paths.Parse(module), make);
  };
  CHECK(room("layer.2.norm", Make::kWholePath) == Room::kVacantMost);
  CHECK(room("layer.1.norm", Make::kWholePath) == Room::kFullMost);
  CHECK(room("layer.2.act", Make::kWholePath) == Room::kUnlikely);
  CHECK(room("head", Make::kWholePath) == Room::kAloneNot);
  CHECK(room("layer.2", Make::kWholePath) == Room::kUnheard);
  CHECK(room("tail.2.norm", Make::kWholePath) == Room::kMadeUp);
  CHECK(room("tail.2.norm", Make::kLastNames) == Room::kVacantMost);
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
  const Wiring wiring(graph);
  const KnownModules known = CollectKnown(wiring.flow(), evidence, paths);
  const Context context(wiring, evidence, known, paths);
  const AnchorHabits habits(context);
  const auto equal = static_cast<size_t>(AnchorHabits::Stand::kEqual);
  const auto parent = static_cast<size_t>(AnchorHabits::Stand::kParent);
  CHECK(habits.Of(4)[equal] == Share::kNever);
  CHECK(habits.Of(4)[parent] == Share::kAlways);
  CHECK(habits.Of(5)[equal] == Share::kAlways);
}

}  // namespace
}  // namespace onnx_hier
