#include "lib/calls/auxiliary.h"

#include "doctest/doctest.h"
#include "lib/infer/infer.h"
#include "tests/support/layered_model.h"

namespace onnx_hier {
namespace {

using testing::LayeredModel;

TEST_CASE("a skip join lists the modules that meet in it") {
  const LayeredModel model(2, [](size_t) { return true; });
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(model.graph(), {}, paths);
  const GraphAnalysis analysis(model.graph());
  Assignments assignments =
      InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths);
  const std::vector<PathId> auxiliary = FindAuxiliary(analysis, paths, assignments);
  const Range range = assignments[NodeId(15)].auxiliary;  // layers.1, the first Add
  REQUIRE(range.size() == 1);  // its other operand is of a module inside layers.1
  CHECK(paths.Tag(auxiliary[range.begin]) == "/layers.0");
}

}  // namespace
}  // namespace onnx_hier
