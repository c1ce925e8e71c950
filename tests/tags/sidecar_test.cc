// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/sidecar.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/version.h"
#include "onnx_hier_program/summary.h"
#include "tests/support/place.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Place;
using testing::TestGraph;

std::string Sidecar(const Graph& graph, const Annotation& annotation,
                    const GivenNames& names = {}) {
  StringSink sink;
  REQUIRE_OK(WriteSidecarJson({graph, annotation, names}, "in.onnx", sink));
  return sink.text();
}

TEST_CASE("names that nodes are given stand there") {
  TestGraph model;
  model.Node("Relu", {"x"}, {"y"}, "mine");
  model.Node("Relu", {"y"}, {"Relu_1"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"", ""});
  const std::string named = Sidecar(graph, annotation, GivenNames(graph));
  CHECK(absl::StrContains(named, R"({"id":"0","name":"mine","op_type":"Relu","output":"y")"));
  CHECK(
      absl::StrContains(named, R"({"id":"1","name":"Relu_1","op_type":"Relu","output":"Relu_1")"));
  CHECK(absl::StrContains(Sidecar(graph, annotation), R"({"id":"1","name":"","op_type")"));
}

TEST_CASE("a small sidecar, byte for byte") {
  TestGraph model;
  model.Opset("", 17).Opset("com.microsoft", 1);
  model.builder().info().ir_version = 8;
  model.builder().info().producer_name = "pytorch";
  model.builder().info().producer_version = "2.1";
  model.builder().block(BlockId(0)).name = "main";
  model.Initializer("fc.weight", {4, 4});
  model.Node("MatMul", {"x", "fc.weight"}, {"h"}, "/fc/MatMul");
  const NodeId choose = model.Node("If", {"c"}, {"", "y"}, "If_1");
  model.In(model.Subgraph(choose, "then_branch")).Node("Relu", {"h"}, {}, "");
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"fc", "", "fc"});
  annotation.dialect = "torchscript-scoped";
  annotation.auxiliary = {annotation.paths.Parse("fc")};
  annotation.contamination = {3, 1};
  annotation.assignments[NodeId(1)].auxiliary = {0, 1};
  annotation.assignments[NodeId(1)].method = Method::kNone;
  annotation.assignments[NodeId(1)].confidence = 0.1f;
  for (Assignment& assignment : annotation.assignments) assignment.containment = 1;
  const std::string expected = absl::StrCat(
      R"({"schema":"onnx-hier/sidecar","schema_version":2,
"generator":{"name":"onnx-hier","version":")",
      kVersion, R"("},
"model":{"file":"in.onnx","graph_name":"main","producer_name":"pytorch","producer_version":"2.1",)",
      R"("ir_version":8,"opset_import":{"":17,"com.microsoft":1},"dialect":"torchscript-scoped"},
"modules":[
{"path":"/","qualified_name":"","class":null,"parent":null,"calls":1,"nodes":1,"total_nodes":3,)",
      R"("parameters":0,"total_parameters":16,"total_parameter_bytes":64},
{"path":"/fc","qualified_name":"fc","class":null,"parent":"/","calls":1,"nodes":2,"total_nodes":2,)",
      R"("parameters":16,"total_parameters":16,"total_parameter_bytes":64}
],
"parameters":[
{"name":"fc.weight","module":"/fc","type":"float32","shape":[4,4],"bytes":64}
],
"nodes":[
{"id":"0","name":"/fc/MatMul","op_type":"MatMul","output":"h","tag":"/fc","auxiliary":[],)",
      R"("method":"node_name","confidence":1.0,"containment":1.0,"call":0},
{"id":"1","name":"If_1","op_type":"If","output":"","tag":"/","auxiliary":["/fc"],)",
      R"("method":"none","confidence":0.1,"containment":1.0,"call":0,)",
      R"("reason":"nothing in the file says where it is"},
{"id":"1/then_branch/0","name":"","op_type":"Relu","output":"","tag":"/fc","auxiliary":[],)",
      R"("method":"node_name","confidence":1.0,"containment":1.0,"call":0}
],
"summary":{"nodes":3,"tagged":3,"unsure":1,"coverage":1.0,"by_method":{"node_name":2,"none":1},)",
      R"("contamination":{"found":3,"resolved":2,"unresolved":1}}}
)");
  CHECK(Sidecar(graph, annotation) == expected);
}

TEST_CASE("names of any bytes, and very many nodes") {
  TestGraph model;
  std::vector<std::string> owners;
  for (int i = 0; i < 20000; ++i) {
    model.Node("A", {}, {}, absl::StrCat("\xFF\"\n", i));
    owners.push_back(absl::StrCat("layer.", i % 100));
  }
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, owners);
  const std::string text = Sidecar(graph, annotation);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  REQUIRE(json.is_object());
  REQUIRE(json["nodes"].size() == 20000);
  CHECK(json["nodes"][12345]["name"] == "\xEF\xBF\xBD\"\n12345");
  CHECK(json["nodes"][12345]["tag"] == "/layer.45");
  CHECK(text == Sidecar(graph, annotation));
}

TEST_CASE("a full disk ends it") {
  class FullSink : public ByteSink {
   public:
    absl::Status Append(absl::string_view) override {
      return absl::ResourceExhaustedError("no room");
    }
  };
  TestGraph model;
  const Graph& graph = model.Build();
  FullSink sink;
  CHECK_ERROR(WriteSidecarJson({graph, Place(graph, {}), {}}, "m", sink), kResourceExhausted,
              "no room");
}

TEST_CASE("a summary in words") {
  TestGraph model;
  for (int i = 0; i < 3; ++i) model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {"a", "a", ""});
  annotation.assignments[NodeId(2)].method = Method::kLocality;
  const Summary summary = Summarize(annotation);
  CHECK(summary.nodes == 3);
  CHECK(summary.coverage() == 1);
  CHECK(SummaryText(summary) == "3 nodes: 2 by name, 1 inferred, 0 guesses");
  annotation.assignments[NodeId(1)].method = Method::kTransferName;
  annotation.assignments[NodeId(2)].confidence = 0.3f;
  CHECK(SummaryText(Summarize(annotation)) == "3 nodes: 1 from the original, 1 by name, 1 guess");
  annotation.assignments[NodeId(2)].confidence = 1;
  for (const Method method : {Method::kSidecar, Method::kEarlierTag}) {
    annotation.assignments[NodeId(2)].method = method;
    CHECK(Summarize(annotation).from_tags == 1);
    CHECK(Summarize(annotation).inferred == 0);
  }
  annotation.assignments[NodeId(2)].method = Method::kRule;
  CHECK(Summarize(annotation).by_rule == 1);
  annotation.assignments[NodeId(2)].method = Method::kOrder;
  CHECK(Summarize(annotation).inferred == 1);
  CHECK(Summarize(annotation).from_tags == 0);
  CHECK(SummaryText(Summarize(Annotation())) == "0 nodes");
  CHECK(Summarize(Annotation()).coverage() == 1);
}

}  // namespace
}  // namespace onnx_hier
