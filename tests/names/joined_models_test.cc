// SPDX-License-Identifier: Apache-2.0
#include "lib/names/joined_models.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;
using Names = std::vector<std::string>;

Names NodesOf(const JoinedModel& model) {
  Names names;
  for (NodeId id : model.part.graph().node_ids()) {
    const absl::string_view name = model.part.graph().node(id).name;
    names.emplace_back(name.empty() ? model.part.graph().op(id).type : name);
  }
  return names;
}

std::vector<Names> Split(const Graph& graph, const std::vector<absl::string_view>& prefixes) {
  std::vector<Names> models;
  for (const JoinedModel& model : SplitByPrefixes(graph, prefixes)) {
    models.push_back(NodesOf(model));
  }
  return models;
}

TEST_CASE("nodes go by their names, else by those of their values") {
  TestGraph model;
  model.Node("Conv", {"enc_x"}, {"enc_a"}, "enc_Conv_0");
  model.Node("Relu", {"enc_a"}, {"enc_b"});
  model.Node("Conv", {"enc_b"}, {"dec_a"}, "dec_Conv_0");
  const Graph& graph = model.Build();
  CHECK(Split(graph, {"enc_", "dec_"}) ==
        std::vector<Names>{{"enc_Conv_0", "Relu"}, {"dec_Conv_0"}});
  CHECK(Split(graph, {"enc_"}) == std::vector<Names>{{"dec_Conv_0"}, {"enc_Conv_0", "Relu"}});
  CHECK(Split(graph, {}).empty());
}

TEST_CASE("what optimisers put into a model is of it, what stands around all models is not") {
  TestGraph model;
  model.Input("image").Input("dec_x");
  model.Node("Cast", {"image"}, {"pixels"}, "preprocess");
  model.Node("Conv", {"pixels", "shape"}, {"enc_a"}, "enc_Conv_0");
  model.Node("Gelu", {"enc_a"}, {"gelu"}, "Gelu_0");
  model.Node("Constant", {}, {"one"});
  model.Node("Add", {"gelu", "one"}, {"enc_b"}, "enc_Add_1");
  model.Node("Conv", {"dec_x"}, {"dec_a"}, "dec_Conv_0");
  CHECK(Split(model.Build(), {"enc_", "dec_"}) ==
        std::vector<Names>{
            {"preprocess"}, {"enc_Conv_0", "Gelu_0", "Constant", "enc_Add_1"}, {"dec_Conv_0"}});
}

TEST_CASE("a model without a prefix has all that has none") {
  TestGraph model;
  model.Initializer("head.fc.weight", {4, 4});
  model.Node("Conv", {"enc_x"}, {"enc_a"}, "enc_Conv_0");
  model.Node("Gelu", {"enc_a"}, {"b"});
  model.Node("MatMul", {"b", "head.fc.weight"}, {"c"}, "MatMul_0");
  model.Node("Conv", {"c"}, {"enc_d"}, "enc_Conv_1");
  CHECK(Split(model.Build(), {"enc_"}) ==
        std::vector<Names>{{"Gelu", "MatMul_0"}, {"enc_Conv_0", "enc_Conv_1"}});
}

TEST_CASE("a scope in a name, or metadata, is of a model without a prefix") {
  for (const bool by_name : {true, false}) {
    TestGraph model;
    model.Node("Conv", {"enc_x"}, {"enc_a"}, "enc_Conv_0");
    const NodeId other = model.Node("Gelu", {"enc_a"}, {"b"}, by_name ? "/act/Gelu" : "Gelu_0");
    if (!by_name) model.Metadata(other, "namespace", "act");
    model.Node("Conv", {"b"}, {"enc_c"}, "enc_Conv_1");
    CHECK(Split(model.Build(), {"enc_"}) ==
          std::vector<Names>{{by_name ? "/act/Gelu" : "Gelu_0"}, {"enc_Conv_0", "enc_Conv_1"}});
  }
  // A parameter that is called after the node that reads it names none, nor does one of the prefix.
  TestGraph model;
  model.Initializer("enc_fc.weight", {4, 4});
  model.Node("Conv", {"enc_x"}, {"enc_a"}, "enc_Conv_0");
  model.Node("MatMul", {"enc_a", "enc_fc.weight"}, {"b"}, "MatMul_0");
  model.Node("Conv", {"b"}, {"enc_c"}, "enc_Conv_1");
  CHECK(Split(model.Build(), {"enc_"}).empty());
}

TEST_CASE(
    "what stands between two models is of neither, what needs no input is of the one behind") {
  TestGraph model;
  model.Input("x");
  model.Node("Constant", {}, {"one"});
  model.Node("Cast", {"one"}, {"two"});
  model.Node("Conv", {"x", "two"}, {"enc_a"}, "enc_Conv_0");
  model.Node("Resize", {"enc_a"}, {"b"}, "Resize_0");
  model.Node("Conv", {"b"}, {"dec_a"}, "dec_Conv_0");
  model.Node("Softmax", {"dec_a"}, {"c"}, "Softmax_0");
  CHECK(Split(model.Build(), {"enc_", "dec_"}) ==
        std::vector<Names>{
            {"Resize_0", "Softmax_0"}, {"Constant", "Cast", "enc_Conv_0"}, {"dec_Conv_0"}});
}

TEST_CASE("what is inside of a node, or of a function that it calls first, goes with it") {
  TestGraph model;
  const NodeId choose = model.Node("If", {"enc_c"}, {"enc_y"}, "enc_If_0");
  model.In(model.Subgraph(choose, "then_branch")).Node("Abs", {"v"}, {"o"});
  model.In(BlockId(0)).Node("Block", {"enc_y"}, {"enc_z"}, "enc_Block_0", "net");
  model.Node("Block", {"enc_z"}, {"dec_z"}, "dec_Block_0", "net");
  model.In(model.Function("net", "Block")).Node("Exp", {"p"}, {"q"});
  model.In(model.Function("net", "Unused")).Node("Log", {"p"}, {"q"});
  CHECK(Split(model.Build(), {"enc_", "dec_"}) ==
        std::vector<Names>{{"enc_If_0", "Abs", "enc_Block_0", "Exp", "Log"}, {"dec_Block_0"}});
}

// Layers that read the parameters of the main graph.
void AddLayers(TestGraph& model, const std::string& op, int count) {
  for (int i = 0; i < count; ++i) {
    model.Node(op, {"x", absl::StrCat("layers.", i, ".weight")}, {absl::StrCat(op, i)});
  }
}

TEST_CASE("the branches of an If that read the same parameters are one model twice") {
  constexpr int kLayers = 20;
  TestGraph model;
  for (int i = 0; i < kLayers; ++i)
    model.Initializer(absl::StrCat("layers.", i, ".weight"), {4, 4});
  const NodeId choose = model.Node("If", {"has_cache"}, {"y"});
  SUBCASE("if most of them are the same") {
    model.In(model.Subgraph(choose, "then_branch"));
    AddLayers(model, "MatMul", kLayers);
    model.In(model.Subgraph(choose, "else_branch"));
    AddLayers(model, "Gemm", kLayers - 1);
    model.In(BlockId(0)).Node("Relu", {"y"}, {"z"});
    const std::vector<JoinedModel> models = SplitByBranches(model.Build());
    REQUIRE(models.size() == 2);
    CHECK(models[0].part.graph().node_count() == kLayers + 2);
    CHECK(models[1].part.graph().node_count() == kLayers);
    CHECK(models[1].part.graph().tensor_count() == kLayers - 1);
    CHECK(models[0].part.InPart(choose).valid());
    CHECK(models[1].part.InPart(choose).valid());
  }
  SUBCASE("not if one has others") {
    model.In(model.Subgraph(choose, "then_branch"));
    AddLayers(model, "MatMul", kLayers);
    model.In(model.Subgraph(choose, "else_branch"));
    for (int i = 0; i < kLayers; ++i) model.Node("Relu", {"x"}, {absl::StrCat("r", i)});
    CHECK(SplitByBranches(model.Build()).empty());
  }
  SUBCASE("not if they are small") {
    model.In(model.Subgraph(choose, "then_branch"));
    AddLayers(model, "MatMul", 2);
    model.In(model.Subgraph(choose, "else_branch"));
    AddLayers(model, "MatMul", 2);
    CHECK(SplitByBranches(model.Build()).empty());
  }
}

TEST_CASE("branches are one model twice from 16 nodes on, of which more than half read the same") {
  // Layers of the second branch, and how many of its parameters are those of the first.
  struct Case {
    int layers;
    int shared;
    bool is_one_model;
  };
  for (const Case& each : {Case{16, 9, true}, Case{15, 15, false}, Case{16, 8, false}}) {
    CAPTURE(each.layers);
    CAPTURE(each.shared);
    TestGraph model;
    for (int i = 0; i < 32; ++i) model.Initializer(absl::StrCat("layers.", i, ".weight"), {4, 4});
    const NodeId choose = model.Node("If", {"has_cache"}, {"y"});
    model.In(model.Subgraph(choose, "then_branch"));
    AddLayers(model, "MatMul", 16);
    model.In(model.Subgraph(choose, "else_branch"));
    for (int i = 0; i < each.layers; ++i) {
      const int layer = i < each.shared ? i : 16 + i;
      model.Node("Gemm", {"x", absl::StrCat("layers.", layer, ".weight")}, {absl::StrCat("g", i)});
    }
    CHECK(SplitByBranches(model.Build()).size() == (each.is_one_model ? 2 : 0));
  }
}

}  // namespace
}  // namespace onnx_hier
