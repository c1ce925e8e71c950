#include "lib/infer/layer_doubt.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// layers.0 makes "a", "early" and "end"; layers.1 reads what each case says.
//   rank 0: Relu a   1: Concat early   2: MatMul m   3: Add end   4: Shape   5: Mul
struct Case {
  TestGraph model;

  // `reader`: the module of the Shape that reads "early"; "?": nobody knows.
  std::string Doubt(const std::string& middle_reads, const std::string& reader,
                    const std::string& also = "early") {
    model.Input("x").Input("z");
    model.Node("Relu", {"x"}, {"a"});
    model.Node("Concat", {"a", "z"}, {"early"});
    model.Node("MatMul", {middle_reads, "z"}, {"m"});
    model.Node("Add", {"m", "a"}, {"end"});
    model.Node("Shape", {"early"}, {"s"});
    model.Node("Mul", {also, "s"}, {"y"});
    const GraphAnalysis analysis(model.Build());
    ModulePaths paths;
    const std::vector<std::string> modules = {"layers.0", "",     "layers.0",
                                              "layers.0", reader, "layers.1"};
    KnownModules known(analysis.flow().size());
    for (Rank i : known.ranks()) {
      const std::string& module = modules[i.index()];
      if (!module.empty() && module != "?") known.Settle(i, paths.Parse(module));
    }
    const Evidence evidence;
    const Context context(analysis, evidence, known, paths);
    const PathId doubt = DoubtBetweenLayers(Rank(1), paths.Parse("layers.0"), context);
    return doubt.valid() ? paths.QualifiedName(doubt) : "none";
  }
};

TEST_CASE("what only another layer reads, amid a layer that goes on without it, is in doubt") {
  CHECK(Case().Doubt("a", "layers.1") == "layers");
}

TEST_CASE("no doubt where the layer itself reads it") {
  CHECK(Case().Doubt("early", "layers.1") == "none");
}

TEST_CASE("no doubt where several modules read it: a layer hands it on") {
  CHECK(Case().Doubt("a", "layers.1.attention") == "none");
}

TEST_CASE("no doubt where a reader of unknown place may be the layer's own") {
  CHECK(Case().Doubt("a", "?") == "none");
}

TEST_CASE("no doubt between modules that are no layers of one list") {
  CHECK(Case().Doubt("a", "head", "z") == "none");
}

}  // namespace
}  // namespace onnx_hier
