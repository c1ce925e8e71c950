// SPDX-License-Identifier: Apache-2.0

// Ways between known nodes, and what is decided along them.
#include "lib/owners/walk.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/graph_analysis.h"
#include "lib/owners/scorer.h"
#include "lib/owners/walk_facts.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// A node that only moves data, and one that has a parameter of a module.
void Plain(TestGraph& model, const std::string& from, const std::string& to) {
  model.Node("Relu", {from}, {to});
}
void Known(TestGraph& model, const std::string& module, const std::string& from,
           const std::string& to) {
  model.Initializer(absl::StrCat(module, ".weight"), {4, 4});
  model.Node("MatMul", {from, absl::StrCat(module, ".weight")}, {to});
}

// The walk through a model, with all that it refers to.
struct Walked {
  explicit Walked(TestGraph& model) : analysis(model.Build()) {}

  GraphAnalysis analysis;
  ModulePaths paths;
  Evidence evidence = CollectEvidence(analysis.flow().graph(), {}, paths);
  KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  Context context = Context(analysis, evidence, known, paths);
  Walk walk = Walk(context);
};

// "a > . > b (kind): 3", a line for each run.
std::string RunsOf(TestGraph& model) {
  const Walked walked(model);
  std::string text;
  for (const WalkRun& run : walked.walk.runs()) {
    for (size_t step = 0; step < run.way.size(); ++step) {
      const std::string name = walked.paths.QualifiedName(run.way[step]);
      absl::StrAppend(&text, step == 0 ? "" : " > ", step == run.turn ? "^" : "",
                      name.empty() ? "." : name);
    }
    absl::StrAppend(&text, ": ", run.nodes.size(), "\n");
  }
  return text;
}

TEST_CASE("a way leads from one module up to what holds both, and down to the other") {
  TestGraph model;
  model.Input("x");
  Known(model, "enc.attn.q", "x", "a");
  Plain(model, "a", "b");
  Plain(model, "b", "c");
  Known(model, "enc.mlp.fc", "c", "d");
  Plain(model, "d", "e");
  CHECK(RunsOf(model) ==
        "enc.attn.q > enc.attn > ^enc > enc.mlp > enc.mlp.fc: 2\n"
        "enc.mlp.fc > enc.mlp > enc > ^.: 1\n");
}

TEST_CASE("a list runs no code: the way from member to member turns around it") {
  TestGraph model;
  model.Input("x");
  Known(model, "net.layers.0.fc", "x", "a");
  Plain(model, "a", "b");
  Known(model, "net.layers.1.fc", "b", "c");
  Known(model, "net.norm", "c", "d");
  CHECK(RunsOf(model) ==
        "net.layers.0.fc > net.layers.0 > net.layers > ^net > net.layers.1 > net.layers.1.fc: 1\n");
}

TEST_CASE("a module that is called again is left and entered once more") {
  TestGraph model;
  model.Input("x");
  Known(model, "net.fc", "x", "a");
  Plain(model, "a", "b");
  model.Node("MatMul", {"b", "net.fc.weight"}, {"c"});
  Known(model, "head", "c", "d");
  CHECK(RunsOf(model) == "net.fc > ^net > net.fc: 1\n");
}

TEST_CASE("a branch goes from where it parts to where it joins, the innermost one counts") {
  TestGraph model;
  model.Input("x");
  Known(model, "net.stem", "x", "s");              // 0
  Known(model, "net.block.fc1", "s", "a");         // 1
  Known(model, "net.block.norm.inner", "a", "b");  // 2
  Plain(model, "b", "c");                          // 3
  model.Node("Add", {"a", "c"}, {"d"});            // 4
  Plain(model, "d", "e");                          // 5
  model.Node("Add", {"s", "e"}, {"f"});            // 6
  Plain(model, "f", "g");                          // 7
  const Walked walked(model);
  const Walk::Facts facts(walked.context);
  const auto branch = [&](size_t rank) {
    const Walk::Facts::Branch& of = facts.branch(Rank(rank));
    if (!of.begin.valid()) return std::string("-");
    return absl::StrCat(of.begin.index(), "-", of.join.index(), " ",
                        walked.paths.QualifiedName(of.module));
  };
  CHECK(branch(0) == "-");
  CHECK(branch(1) == "0-6 net.block");
  CHECK(branch(3) == "1-4 net.block.norm.inner");
  CHECK(branch(4) == "1-4 net.block.norm.inner");
  CHECK(branch(5) == "0-6 net.block");
  CHECK(branch(6) == "0-6 net.block");
  CHECK(branch(7) == "-");
}

// Three layers, each with one node between two that are known.
struct ThreeLayers {
  ThreeLayers() {
    model.Input("x");
    std::string last = "x";
    for (int i = 0; i < 3; ++i) {
      const auto name = [i](absl::string_view of) { return absl::StrCat(of, i); };
      Known(model, absl::StrCat("layers.", i, ".fc1"), last, name("a"));
      Plain(model, name("a"), name("b"));
      Known(model, absl::StrCat("layers.", i, ".fc2"), name("b"), name("c"));
      last = name("c");
    }
  }

  TestGraph model;
};

// All that is seen of the middle step of the first run speaks for it.
Walk::Weights ForMiddle(const Walk& walk, float weight) {
  Walk::Weights weights;
  walk.FeaturesOf(
      walk.runs()[0],
      [&](size_t, size_t step, absl::Span<const WalkFeature> features) {
        for (WalkFeature feature : features) {
          if (step == 1) weights.Set({feature, weight});
        }
      },
      [](size_t, size_t, absl::Span<const WalkFeature>) {});
  return weights;
}

TEST_CASE("what speaks for steps decides, and runs that are alike decide alike") {
  ThreeLayers layers;
  const Walked walked(layers.model);
  const Walk& walk = walked.walk;
  REQUIRE(walk.runs().size() == 3);
  for (size_t threads : {1, 3}) {
    const std::vector<Lattice> likely = walk.Decide(ForMiddle(walk, 1), std::nullopt, threads);
    for (const Lattice& lattice : likely) {
      CHECK(lattice.place(0, 1) > 0.9f);
      CHECK(lattice.place(0, 1) == likely[0].place(0, 1));
    }
  }
}

TEST_CASE("what else is known of one node speaks for that one more than for its like") {
  ThreeLayers layers;
  const Walked walked(layers.model);
  const Walk& walk = walked.walk;
  const auto middle = [&](std::optional<Walk::Own> own) { return walk.Decide({}, own, 1); };
  const std::vector<Lattice> unknown = middle(std::nullopt);
  CHECK(unknown[0].place(0, 1) < 0.5f);
  const WalkRun& second = walk.runs()[1];
  const std::vector<Lattice> known = middle([&](Rank rank, PathId module) {
    return rank == second.nodes[0] && module == second.way[1] ? 5.0f : 0.0f;
  });
  CHECK(known[1].place(0, 1) > unknown[1].place(0, 1) + 0.2f);
  CHECK(known[1].place(0, 1) > known[0].place(0, 1) + 0.1f);
}

TEST_CASE("weights are what was written of them") {
  constexpr WalkWeight kRows[] = {{0x00595288, 0.32f}, {0xb7d4f6c9, -1.77f}, {0xffffffff, 0.01f}};
  constexpr auto kBytes = BytesOf(kRows);
  const WalkWeights weights{absl::MakeConstSpan(kBytes)};
  REQUIRE(weights.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(weights[i].feature == kRows[i].feature);
    CHECK(weights[i].weight == kRows[i].weight);
  }
}

// Nested ever deeper, back and forth: neither ways nor what is looked at may grow with the square.
TEST_CASE("deep modules that are left and entered again and again cost what their nodes do") {
  TestGraph model;
  model.Input("x");
  std::string deep = "a";
  for (int i = 0; i < 200; ++i) absl::StrAppend(&deep, ".a");
  std::string last = "x";
  for (int i = 0; i < 300; ++i) {
    const std::string next = absl::StrCat("v", i);
    const std::string module = i % 2 == 0 ? deep : "b";
    model.Initializer(absl::StrCat(module, ".w", i), {4, 4});
    model.Node("MatMul", {last, absl::StrCat(module, ".w", i)}, {absl::StrCat(next, "m")});
    Plain(model, absl::StrCat(next, "m"), next);
    last = next;
  }
  const Walked walked(model);
  const Walk& walk = walked.walk;
  for (const WalkRun& run : walk.runs()) CHECK(run.way.size() <= 41);
  CHECK(walk.Decide({}, std::nullopt, 1).size() == walk.runs().size());
}

}  // namespace
}  // namespace onnx_hier
