// SPDX-License-Identifier: Apache-2.0

// A column that no report knows of is shown by all of them.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/show/chosen_modules.h"
#include "lib/show/column_json.h"
#include "lib/show/module_graph.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/exports.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/reports.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Place;
using testing::TestGraph;

// Two layers, of which the second has a loss of 1.5 for each of its two nodes, and one not known.
struct Scene {
  Scene() {
    for (const char* name : {"a", "b", "c"}) model.Node("MatMul", {}, {name});
    graph = &model.Build();
    annotation = Place(*graph, {"layer.0", "layer.1", "layer.1.fc"});
    loss = Column({"loss", "loss", MeasureUnit::kNumber}, annotation.modules);
    const Hierarchy hierarchy(*graph, annotation);
    loss.Add(hierarchy.Find("layer.1"), Amount(1.5));
    loss.Add(hierarchy.Find("layer.1.fc"), Amount(1.5));
    loss.AddUnknown(hierarchy.Find("layer.1.fc"), 1);
    loss.SetNode(NodeId(1), Amount(1.5));
    loss.SetNode(NodeId(2), Amount(1.5));
    loss.AddUp(annotation.modules);
    options.columns = {&loss};
    options.sort_by = &loss;
  }

  TestGraph model;
  const Graph* graph = nullptr;
  Annotation annotation;
  Column loss;
  TreeTextOptions options;
};

template <class Write>
std::string Text(const Write& write) {
  StringSink sink;
  REQUIRE(write(sink).ok());
  return sink.text();
}

TEST_CASE("a column in a tree, the largest first; what is not known makes it a bound") {
  Scene scene;
  CHECK(
      Text([&](ByteSink& sink) { return WriteTreeText(scene.annotation, scene.options, sink); }) ==
      "module       loss\n"
      "/             >=3\n"
      "├─ layer.1    >=3\n"
      "│  └─ fc    >=1.5\n"
      "└─ layer.0      0\n");
}

TEST_CASE("a column in a table of Markdown, each node in one row") {
  Scene scene;
  scene.options.own = true;
  CHECK(Text([&](ByteSink& sink) {
          return WriteTreeMarkdown(scene.annotation, scene.options, "m|odel", sink);
        }) ==
        "m\\|odel\n\n"
        "| module | loss |\n"
        "| --- | ---: |\n"
        "| `/layer.1` | >=1.5 |\n"
        "| `/layer.1/fc` | >=1.5 |\n");
}

TEST_CASE("a column in CSV") {
  Scene scene;
  CHECK(Text([&](ByteSink& sink) { return WriteTreeCsv(scene.annotation, scene.options, sink); }) ==
        "module,loss\n/,3\n/layer.1,3\n/layer.1/fc,1.5\n/layer.0,0\n");
}

TEST_CASE("a column in JSON") {
  Scene scene;
  const std::string text = Text([&](ByteSink& sink) {
    return WriteTreeJson(*scene.graph, scene.annotation, scene.options, "m", sink);
  });
  CHECK(text.find("{\"id\":\"loss\",\"title\":\"loss\",\"unit\":\"number\",\"adds\":\"sum\","
                  "\"total\":3,\"not_placed\":0}") != std::string::npos);
  CHECK(text.find("\"measures\":{\"loss\":{\"own\":1.5,\"total\":3,\"unknown\":1}}") !=
        std::string::npos);
  CHECK(ColumnJson(scene.loss, scene.annotation.modules) ==
        "{\"id\":\"loss\",\"title\":\"loss\",\"unit\":\"number\",\"adds\":\"sum\",\"total\":3,"
        "\"not_placed\":0,\"own\":[0,0,1.5,1.5],\"totals\":[3,0,3,1.5],\"unknown\":[1,0,1,1]}");
}

TEST_CASE("a column in exports") {
  Scene scene;
  const Hierarchy hierarchy(*scene.graph, scene.annotation);
  const ModuleGraph modules(hierarchy, ChosenModules(hierarchy, {}), ExportOptions::kAll);
  const std::string text =
      Text([&](ByteSink& sink) { return WriteGraphml(modules, scene.options.columns, "m", sink); });
  CHECK(text.find("<key id=\"measure0\" for=\"node\" attr.name=\"loss\" attr.type=\"double\"/>") !=
        std::string::npos);
  CHECK(text.find("<data key=\"measure0\">1.5</data>") != std::string::npos);
  const NodeData data = ColumnData(scene.loss);
  CHECK(data.name == "loss");
  REQUIRE(data.items.size() == 2);
  CHECK(data.items[0].number == 1.5);
}

}  // namespace
}  // namespace onnx_hier
