// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/show/page_contents.h"
#include "lib/show/page_names.h"
#include "onnx_hier/model.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using wire::Bytes;
using wire::Number;

std::string NodeBytes(const std::string& name, const std::string& output) {
  return Bytes(1, Bytes(1, "x") + Bytes(2, output) + Bytes(3, name) + Bytes(4, "Relu"));
}

// The page of a model with these nodes.
std::string PageOf(const std::string& nodes, size_t most_node_bytes = 1 << 20) {
  const absl::StatusOr<Model> model = Model::FromBytes(Number(1, 8) + Bytes(7, nodes));
  REQUIRE(model.ok());
  const Annotation annotation = Annotate(*model);
  const Hierarchy hierarchy(model->graph(), annotation);
  PageReport report = {.hierarchy = hierarchy};
  report.most_node_bytes = most_node_bytes;
  StringSink sink;
  REQUIRE(WritePage(*model, report, sink).ok());
  return sink.text();
}

std::string DataOf(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST_CASE("names by what they are made of") {
  const NameScope fc("/encoder.0/fc");
  const NameScope root("/");
  const auto relu = [](const NameScope& scope) { return NameParts{scope, "Relu", 7}; };
  CHECK(NamePattern("/encoder.0/fc/Relu", relu(fc)) == "@/%");
  CHECK(NamePattern("/encoder.0/fc/Relu_1", relu(fc)) == "@/%_1");
  CHECK(NamePattern("/encoder.0/fc/act", relu(fc)) == "@/act");
  CHECK(NamePattern("/encoder.0/fcx/Relu", relu(fc)) == "/encoder.0/fcx/Relu");
  CHECK(NamePattern("Relu_7", relu(fc)) == "%_#");
  CHECK(NamePattern("Relu_71", relu(fc)) == "%_71");
  CHECK(NamePattern("encoder.0.fc.weight", {fc}) == "~.weight");
  CHECK(NamePattern("encoder.0.fc", {fc}) == "encoder.0.fc");
  CHECK(NamePattern("/Relu", relu(root)) == "/Relu");
  CHECK(NamePattern("a_output_0", {fc, "Relu", 7, "a"}) == "&_output_0");
  CHECK(NamePattern("", relu(fc)) == "");
}

TEST_CASE("names that hold the signs, and names that are not fit to be shown") {
  const NameScope root("/");
  CHECK(NamePattern("a@~%#&\\", {root}) == "a\\@\\~\\%\\#\\&\\\\");
  CHECK(NamePattern("\x1b\xff", {root}) == "\\\\x1b\\\\xff");
  CHECK(NamePattern(std::string(5000, 'n'), {root}).size() < 1100);
  CHECK(ShownText("\u202e") == "\\xe2\\x80\\xae");
}

TEST_CASE("columns are as short as they can be") {
  CHECK(ColumnText({}) == "[]");
  CHECK(ColumnText({5}) == "5");
  CHECK(ColumnText({5, 5, 5}) == "5");
  CHECK(ColumnText({5, 6}) == "[5,6]");
  CHECK(ColumnText({5, 5, 6}) == "[5,5,6]");
  CHECK(ColumnText({5, 5, 5, 5, 5, 5, 5, 5, 5, 6}) == R"({"runs":[5,9,6,1]})");
  CHECK(ColumnText({70, 71, 72, 73, 74, 75, 76, 77}) == R"({"steps":[70,1,1,7]})");
}

TEST_CASE("modules that are built alike share all they can") {
  const auto layers = [](int count) {
    std::string nodes;
    for (int i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("/layer.", i, "/Relu");
      nodes += NodeBytes(name, name + "_output_0");
    }
    return DataOf(PageOf(nodes)).size();
  };
  // A name, and a few numbers.
  CHECK((layers(90) - layers(30)) / 60 < 30);
}

TEST_CASE("figures are those of the annotation") {
  std::string graph;
  for (const char* layer : {"/layer.0", "/layer.1", "/layer.1/fc"}) {
    graph += NodeBytes(absl::StrCat(layer, "/Relu"), absl::StrCat(layer, "/y"));
  }
  // 6 floats.
  graph += Bytes(5, Number(1, 2) + Number(1, 3) + Number(2, 1) + Bytes(8, "layer.1.fc.weight"));
  const absl::StatusOr<Model> model = Model::FromBytes(Number(1, 8) + Bytes(7, graph));
  REQUIRE(model.ok());
  const ModuleTree modules = Annotate(*model).modules;
  std::vector<int64_t> nodes;
  std::vector<int64_t> parameters;
  std::vector<int64_t> bytes;
  for (ModuleId id : modules.ids()) {
    nodes.push_back(static_cast<int64_t>(modules.module(id).nodes));
    parameters.push_back(static_cast<int64_t>(modules.module(id).total_parameters));
    bytes.push_back(static_cast<int64_t>(modules.module(id).total_parameter_bytes));
  }
  CHECK(parameters == std::vector<int64_t>{6, 0, 6, 6});
  const std::string data = DataOf(PageOf(graph));
  CHECK(absl::StrContains(data, absl::StrCat("\"nodes\":", ColumnText(nodes))));
  CHECK(absl::StrContains(data, absl::StrCat("\"totalParameters\":", ColumnText(parameters))));
  CHECK(absl::StrContains(data, absl::StrCat("\"totalBytes\":", ColumnText(bytes))));
  CHECK(absl::StrContains(data, "float32[2,3]"));
}

TEST_CASE("the same model makes the same page") {
  const std::string nodes = NodeBytes("/a/Relu", "y") + NodeBytes("/b/Relu", "z");
  CHECK(PageOf(nodes) == PageOf(nodes));
}

TEST_CASE("no name ends the element that it stands in") {
  const std::string data =
      DataOf(PageOf(NodeBytes("/a/</script><script>alert(1)</script><!--", "</SCRIPT>")));
  CHECK(data.back() == '}');
  CHECK(!absl::StrContains(data, '<'));
  CHECK(absl::StrContains(data, "script>\\u003cscript>alert(1)"));
  CHECK(absl::StrContains(data, "\\u003c/SCRIPT>"));
}

TEST_CASE("nodes beyond the limit are left out, and counted") {
  std::string nodes;
  for (const char* name : {"/a/Relu", "/b/Relu", "/c/Relu"}) nodes += NodeBytes(name, name);
  CHECK(absl::StrContains(DataOf(PageOf(nodes)), R"("leftOut":0)"));
  const std::string data = DataOf(PageOf(nodes, 1));
  // The root's contents, which are nothing, use the limit up.
  CHECK(absl::StrContains(data, R"("leftOut":3)"));
  CHECK(absl::StrContains(data, R"("nodeCount":3)"));
  CHECK(absl::StrContains(data, R"("ownNodes":[0,-1,-1,-1])"));
}

TEST_CASE("a page asks nobody for anything, and tells the browser so") {
  const std::string page = PageOf(NodeBytes("/a/Relu", "y"));
  CHECK(absl::StrContains(page, "content=\"default-src 'none'; style-src 'sha256-"));
  for (const char* word : {"http:", "https:", "src=", "url(", "@import", "{{"}) {
    CHECK(!absl::StrContains(page, word));
  }
}

}  // namespace
}  // namespace onnx_hier
