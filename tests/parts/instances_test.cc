// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/instances.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

TEST_CASE("a node's run of the modules around it") {
  struct Case {
    const char* owner;
    uint32_t call;
    uint32_t call_of_layer;  // "layer" runs twice
  };
  constexpr Case kCases[] = {
      {"layer", 0, 0},
      {"layer", 1, 1},
      // Once in each run of the layer, and twice.
      {"layer.fc", 0, 0},
      {"layer.fc", 1, 1},
      {"layer.act", 0, 0},
      {"layer.act", 1, 0},
      {"layer.act", 2, 1},
      {"layer.act", 3, 1},
      // Only once, in the first run.
      {"layer.mask", 0, 0},
      // Three times in two runs: no telling; as evenly as may be.
      {"layer.odd", 0, 0},
      {"layer.odd", 1, 0},
      {"layer.odd", 2, 1},
  };
  TestGraph model;
  std::vector<std::string> owners;
  for (const Case& c : kCases) {
    model.Node("A", {}, {});
    owners.emplace_back(c.owner);
  }
  const Graph& graph = model.Build();
  Annotation annotation = testing::Place(graph, owners);
  uint32_t number = 0;
  for (const Case& c : kCases) annotation.assignments[NodeId(number++)].call = c.call;
  testing::BuildModules(graph, annotation);
  const Hierarchy hierarchy(graph, annotation);
  const ModuleId layer = hierarchy.Find("layer");
  number = 0;
  for (const Case& c : kCases) {
    CAPTURE(c.owner);
    CAPTURE(c.call);
    const NodeId node(number++);
    CHECK(CallOf(hierarchy, node, layer) == c.call_of_layer);
    CHECK(CallOf(hierarchy, node, hierarchy.modules().root()) == 0);
    CHECK(CallOf(hierarchy, node, hierarchy.ModuleOf(node)) == c.call);
  }
}

}  // namespace
}  // namespace onnx_hier
