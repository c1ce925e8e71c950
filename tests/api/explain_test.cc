// SPDX-License-Identifier: Apache-2.0

// Explain() tells what decided: the same as Annotate(), by the same nodes.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

struct Step {
  const char* op;
  const char* module;     // inside the layer
  const char* parameter;  // "" for none
};
constexpr Step kSteps[] = {
    {"LayerNormalization", ".norm", ".norm.weight"},
    {"MatMul", ".attention.query", ".attention.query.weight"},
    {"Shape", ".attention", ""},
    {"Softmax", ".attention", ""},
    {"MatMul", ".attention.out", ".attention.out.weight"},
    {"Add", "", ""},
    {"MatMul", ".mlp.up", ".mlp.up.weight"},
    {"Relu", ".mlp.act", ""},
    {"MatMul", ".mlp.down", ".mlp.down.weight"},
};
constexpr int kLayers = 6;

// A chain of layers with skip connections; `percent` of the nodes keep their names.
Model Layers(uint64_t percent, uint64_t seed) {
  testing::Random random(seed);
  std::string fields = wire::Input("v");
  std::string value = "v";
  std::string skipped = value;
  int number = 0;
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string inside = absl::StrCat("layer.", layer);
    for (const Step& step : kSteps) {
      wire::Names inputs = {value};
      if (*step.parameter != 0) {
        inputs.push_back(absl::StrCat(inside, step.parameter));
        fields += wire::Initializer(inputs.back(), {2, 2}, std::string(16, 'w'));
      }
      if (*step.module == 0) inputs.push_back(std::exchange(skipped, value));
      std::string scope = absl::StrCat("/", inside);
      for (const char* c = step.module; *c != 0; ++c) scope += *c == '.' ? '/' : *c;
      value = absl::StrCat("v", number++);
      fields += wire::Node(step.op, inputs, {value},
                           random.Below(100) < percent ? absl::StrCat(scope, "/", step.op) : "");
    }
  }
  return testing::Value(Model::Open(testing::MemoryFile(wire::Model(wire::Graph(fields))).path()));
}

// "" if the explanation fits the assignment.
std::string Problem(const Graph& graph, const Explanations& all, const NodeExplanation& why) {
  const Assignment& assignment = all.annotation.assignments[why.node];
  const std::string reason = ReasonText(graph, all.annotation, why.node);
  if (why.grounds.empty()) {
    for (const Opinion& opinion : why.opinions) {
      if (opinion.method == assignment.method) return "";
    }
    return "nothing is said for it";
  }
  const Ground& decisive = why.grounds[0];
  if (decisive.method != assignment.method) return "another idea decided";
  if (!(decisive.contribution > 0)) return "what decided speaks against it";
  if (decisive.text.empty() || absl::StrContains(decisive.text, "$")) return "no English";
  if (assignment.retreat != Retreat::kNone) {
    return absl::StrContains(reason, "no module is likely enough") ? "" : "it was not sure";
  }
  if (decisive.node != assignment.witness) return "another node decided";
  if (why.candidates[0].path != assignment.primary) return "another module is more likely";
  if (assignment.method != Method::kRepetition || !assignment.witness.valid()) return "";
  for (const Opinion& opinion : why.opinions) {
    const bool same = opinion.method == Method::kRepetition && opinion.node == assignment.witness;
    if (same && opinion.path == assignment.primary) return "";
  }
  return "the twin says something else";
}

TEST_CASE("what is explained is what decided") {
  size_t weighed = 0;
  for (const uint64_t percent : {0, 2, 10, 40, 70}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(percent);
      CAPTURE(seed);
      const Model model = Layers(percent, seed);
      const Graph& graph = model.graph();
      const Annotation annotation = Annotate(model);
      std::vector<NodeId> nodes;
      for (NodeId node : graph.node_ids()) nodes.push_back(node);
      const Explanations all = Explain(model, nodes);
      for (const NodeExplanation& why : all.nodes) {
        CAPTURE(why.node.index());
        CHECK(Problem(graph, all, why) == "");
        CHECK(all.annotation.assignments[why.node].primary ==
              annotation.assignments[why.node].primary);
        weighed += why.grounds.empty() ? 0 : 1;
      }
    }
  }
  CHECK(weighed > 500);
}

TEST_CASE("a node that says itself where it is: by what, and nothing was weighed") {
  const Model model = Layers(100, 0);
  const Explanations all = Explain(model, {NodeId(1), NodeId(1)});
  REQUIRE(all.nodes.size() == 2);
  for (const NodeExplanation& why : all.nodes) {
    REQUIRE(why.opinions.size() == 2);
    CHECK(why.opinions[0].method == Method::kNodeName);
    CHECK(why.opinions[0].name == "/layer.0/attention/query/MatMul");
    CHECK(why.opinions[1].method == Method::kParameters);
    CHECK(why.opinions[1].name == "layer.0.attention.query.weight");
    CHECK(why.grounds.empty());
    CHECK(why.candidates.empty());
  }
}

}  // namespace
}  // namespace onnx_hier
