// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/main_list.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// Of a row of nodes in these modules.
std::string MainList(const std::vector<std::string>& modules) {
  TestGraph model;
  model.Input("v0");
  for (size_t i = 0; i < modules.size(); ++i) {
    model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)});
  }
  const Graph& graph = model.Build();
  Annotation annotation = testing::Place(graph, modules);
  Evidence evidence;
  evidence.value_owners.resize(graph.value_count());
  testing::BuildModules(graph, annotation, evidence, {});
  const Hierarchy hierarchy(graph, annotation);
  std::string text;
  for (ModuleId id : FindMainList(Units(graph, graph.main_block()), hierarchy)) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    annotation.paths.QualifiedName(annotation.modules.module(id).path));
  }
  return text;
}

TEST_CASE("the list that holds most nodes") {
  CHECK(MainList({"stem", "layer.0", "layer.1", "head"}) == "layer.0 layer.1");
  CHECK(MainList({"a.0", "a.1", "b.0", "b.1", "b.1"}) == "b.0 b.1");
  CHECK(MainList({"block_1", "block_2"}) == "block_1 block_2");
  // Of equals the one further out.
  CHECK(MainList({"s.0.l.0", "s.0.l.1", "s.1.m.0", "s.1.m.1"}) == "s.0 s.1");
  CHECK(MainList({"layer.0", "head"}).empty());
  CHECK(MainList({"stem", "head"}).empty());
}

}  // namespace
}  // namespace onnx_hier
