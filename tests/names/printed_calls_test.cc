// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/graph/parameter_parts.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/qualified_names.h"
#include "lib/names/repeated_calls.h"
#include "onnx_hier/module_paths.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

// Nodes one behind the other, each with the weights that it reads, "fc.weight" of a module,
// "onnx::7" of none. A weight is of {4, 4} unless it says otherwise: "onnx::7 8".
class File {
 public:
  // Gives the node's value; reads `from` instead of the value before it, if that is given.
  std::string Node(const std::string& name, const std::vector<std::string>& weights = {},
                   const std::string& from = "", const std::string& lost = "") {
    std::vector<std::string> inputs = {from.empty() ? last_ : from};
    for (const std::string& weight : weights) {
      const size_t space = weight.find(' ');
      const std::string called = weight.substr(0, space);
      if (!absl::c_linear_search(known_, called)) {
        known_.push_back(called);
        const int64_t size = space == std::string::npos ? 4 : std::stoi(weight.substr(space));
        model_.Initializer(called, {4, size});
      }
      inputs.push_back(called);
    }
    last_ = absl::StrCat("v", names_.size());
    std::string op = name.substr(name.rfind('/') + 1);
    op = op.substr(0, op.find('_'));
    model_.Node(op, inputs, {last_}, name);
    names_.push_back(name);
    lost_.push_back(lost);
    return last_;
  }
  // Two values added, in the scope of that name.
  std::string Add(const std::string& name, const std::string& a, const std::string& b) {
    last_ = absl::StrCat("v", names_.size());
    model_.Node("Add", {a, b}, {last_}, name);
    names_.push_back(name);
    lost_.emplace_back();
    return last_;
  }

  void Read() {
    graph_ = &model_.Build();
    IdVector<NodeId, std::vector<PathId>> owners(graph_->node_count());
    IdVector<NodeId, ScopeId> lost(graph_->node_count());
    for (NodeId node : graph_->node_ids()) {
      const absl::string_view op = graph_->op(node).type;
      scopes_.push_back(printed_.OfNodeName(names_[node.index()], op).scope);
      if (!lost_[node.index()].empty()) lost[node] = printed_.Intern(lost_[node.index()]);
      for (ValueId value : graph_->inputs(node)) {
        const absl::string_view name = graph_->value(value).name;
        if (absl::StrContains(name, '.')) {
          owners[node].push_back(paths_.Parse(ModuleOfParameterName(name)));
        }
      }
    }
    const auto lost_scope_of = [&](NodeId node) { return lost[node]; };
    const auto owners_of = [&](NodeId node) { return absl::MakeConstSpan(owners[node]); };
    const auto merged_owner_of = [](ValueId /*value*/) { return PathId(); };
    meanings_ = FindRepeatedCalls(*graph_, scopes_, lost_scope_of, owners_of, merged_owner_of,
                                  paths_, printed_);
    places_ = ReconcileScopes(*graph_, scopes_, lost_scope_of, owners_of, merged_owner_of, {},
                              PathId(0), printed_, paths_);
  }

  // What the last component of a printed scope stands for: "relu_1", or "relu #1" where it is a
  // call of that; with "hidden" in a container that is not printed.
  std::string Meaning(const std::string& scope) {
    const ScopeMeaning& meaning = meanings_[printed_.Intern(scope)];
    std::string text(printed_.scope(meaning.base).component);
    if (meaning.number > 0) absl::StrAppend(&text, " #", meaning.number);
    if (meaning.in_hidden_container) absl::StrAppend(&text, " hidden");
    return text;
  }
  // Where each node of that name is: the module and its call.
  std::string Place(const std::string& name) const {
    std::string text;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != name) continue;
      const NodeId node(i);
      const ScopePlace& place = places_.of(node, scopes_[node]);
      absl::StrAppend(&text, text.empty() ? "" : " ", paths_.QualifiedName(place.module), " #",
                      place.call, place.is_around ? " around" : "");
    }
    return text;
  }

 private:
  testing::TestGraph model_;
  std::vector<std::string> known_;
  std::vector<std::string> names_;
  std::vector<std::string> lost_;
  std::string last_ = "x";
  const Graph* graph_ = nullptr;
  IdVector<NodeId, ScopeId> scopes_;
  PrintedScopes printed_{TorchScopes()};
  ModulePaths paths_;
  IdVector<ScopeId, ScopeMeaning> meanings_;
  ScopePlaces places_;
};

struct Line {
  std::string name;
  std::vector<std::string> weights;
};

// What a scope of a file of such nodes stands for.
std::string Meant(const std::string& scope, const std::vector<Line>& lines) {
  File file;
  for (const Line& line : lines) file.Node(line.name, line.weights);
  file.Read();
  return file.Meaning(scope);
}

TEST_CASE("operators in common make a call, without any it is a name") {
  CHECK(Meant("relu_1", {{"/relu/Relu", {}}, {"/relu_1/Relu", {}}}) == "relu #1");
  CHECK(Meant("relu_12", {{"/relu/Relu", {}}, {"/relu_12/Relu", {}}}) == "relu #12");
  CHECK(Meant("relu_1", {{"/relu/Relu", {}}, {"/relu_1/Sin", {}}}) == "relu_1");
  // Counters of nodes are none of scopes.
  CHECK(Meant("relu_1", {{"/relu/Relu_3", {}}, {"/relu_1/Relu_4", {}}}) == "relu #1");
  CHECK(Meant("relu_x", {{"/relu/Relu", {}}, {"/relu_x/Relu", {}}}) == "relu_x");
  // Some of several do.
  CHECK(Meant("gelu_1", {{"/gelu/Div", {}}, {"/gelu/Erf", {}}, {"/gelu_1/Erf", {}}}) == "gelu #1");
  // A fused product is one still.
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"onnx::1"}}, {"/fc_1/FusedMatMul", {"onnx::1"}}}) ==
        "fc #1");
}

TEST_CASE("what holds other scopes is a name") {
  const std::vector<Line> lines = {
      {"/block/Relu", {}}, {"/block_1/act/Relu", {}}, {"/block_1/Relu", {}}};
  CHECK(Meant("block_1", lines) == "block_1");
}

TEST_CASE("parameters that are named after one of them tell") {
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"fc.weight"}}, {"/fc_1/MatMul", {"fc_1.weight"}}}) ==
        "fc_1");
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"fc.weight"}}, {"/fc_1/MatMul", {"fc.weight"}}}) == "fc #1");
  CHECK(Meant("fc_1", {{"/fc_1/Sin", {"fc.weight"}}}) == "fc #1");
  CHECK(Meant("layers.fc_1", {{"/layers.fc_1/Sin", {"layers.fc.weight"}}}) == "layers.fc #1");
}

TEST_CASE("numbers of members count calls") {
  CHECK(Meant("layer.0_1", {{"/layer.0/Relu", {}}, {"/layer.0_1/Sin", {}}}) == "layer.0 #1");
  CHECK(Meant("0_1", {{"/0/Relu", {}}, {"/0_1/Sin", {}}}) == "0 #1");
  // Weights of one shape may be of one module, others are of another in a list that is not printed.
  CHECK(Meant("0_1", {{"/0/MatMul", {"onnx::1"}}, {"/0_1/MatMul", {"onnx::2"}}}) == "0 #1");
  const std::vector<Line> lists = {{"/0/MatMul", {"onnx::1"}}, {"/0_1/MatMul", {"onnx::2 8"}}};
  CHECK(Meant("0_1", lists) == "0 #1 hidden");
  CHECK(Meant("0", lists) == "0 hidden");
  CHECK(Meant("0_1", {{"/0/MatMul", {"0.weight"}}, {"/0_1/MatMul", {"onnx::2 8"}}}) == "0 #1");
}

TEST_CASE("weights: the same, one without, others") {
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"onnx::1"}}, {"/fc_1/Add", {"onnx::1"}}}) == "fc #1");
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"onnx::1"}}, {"/fc_1/MatMul", {}}}) == "fc #1");
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"onnx::1"}}, {"/fc_1/MatMul", {"onnx::2"}}}) ==
        "fc_1 hidden");
  CHECK(Meant("fc", {{"/fc/MatMul", {"onnx::1"}}, {"/fc_1/MatMul", {"onnx::2"}}}) == "fc hidden");
  // Elsewhere, too, if it holds nothing.
  const std::vector<Line> others = {{"/a/fc/MatMul", {"onnx::1"}},
                                    {"/a/fc_1/MatMul", {"onnx::2"}},
                                    {"/b/fc/MatMul", {"onnx::3"}},
                                    {"/c/fc/act/Relu", {}},
                                    {"/c/fc_1/Relu", {}}};
  CHECK(Meant("b/fc", others) == "fc hidden");
  CHECK(Meant("c/fc", others) == "fc");
  // What knows one of them by name is no stranger.
  CHECK(Meant("fc_1", {{"/fc/MatMul", {"fc.weight"}}, {"/fc_1/MatMul", {"onnx::2"}}}) == "fc_1");
}

TEST_CASE("a scope without its base is a name, unless something else tells of a call") {
  CHECK(Meant("relu_1", {{"/relu_1/Relu", {}}}) == "relu_1");
  CHECK(Meant("a/relu_1", {{"/b/relu/Relu", {}}, {"/b/relu_1/Relu", {}}, {"/a/relu_1/Relu", {}}}) ==
        "relu #1");
  CHECK(Meant("a/fc_1", {{"/a/fc_1/MatMul", {"onnx::1"}}, {"/b/Sin", {"a.fc.weight"}}}) == "fc #1");
  CHECK(Meant("a/fc_1", {{"/a/fc_1/MatMul", {"onnx::1"}},
                         {"/b/Sin", {"a.fc.weight"}},
                         {"/b/Cos", {"a.fc_1.weight"}}}) == "fc_1");
  // The name alone, in another module.
  CHECK(Meant("a/fc_1", {{"/a/fc_1/MatMul", {"onnx::1"}}, {"/b/Sin", {"b.fc.weight"}}}) == "fc_1");
  CHECK(Meant("a/act_1", {{"/a/act_1/Relu", {}}, {"/b/act/Relu", {}}}) == "act #1");
  CHECK(Meant("a/fc_1", {{"/a/fc_1/MatMul", {"onnx::1"}}, {"/b/fc/MatMul", {"onnx::2"}}}) ==
        "fc_1");
  // One that holds others was called nothing like it.
  CHECK(Meant("a/act_1", {{"/a/act_1/Relu", {}}, {"/b/act/in/Relu", {}}}) == "act_1");
}

TEST_CASE("another call of the base tells of what has nothing in common with it") {
  const std::vector<Line> lines = {
      {"/a/fc/MatMul", {"onnx::1"}}, {"/a/fc_1/MatMul", {"onnx::1"}}, {"/a/fc_2/Sin", {}}};
  CHECK(Meant("a/fc_2", lines) == "fc_2");
  std::vector<Line> known = lines;
  known.push_back({"/b/Cos", {"a.fc.weight"}});
  CHECK(Meant("a/fc_2", known) == "fc #2");
  // What both do stands together elsewhere, in a file in which names were lost.
  const std::vector<Line> kinds = {
      {"/a/act/Relu", {}}, {"/a/act_1/Sin", {}}, {"/b/act/Relu", {}}, {"/b/act/Sin", {}}};
  CHECK(Meant("a/act_1", kinds) == "act_1");
  std::vector<Line> lost = kinds;
  lost.push_back({"Exp", {}});
  CHECK(Meant("a/act_1", lost) == "act #1");
  lost[2].name = "/b/act/Cos";
  CHECK(Meant("a/act_1", lost) == "act_1");
}

TEST_CASE("of a fused node the other name counts") {
  File file;
  file.Node("/conv/Conv", {"conv.weight"}, "", "relu");
  file.Node("/relu_1/Relu");
  file.Read();
  CHECK(file.Meaning("relu_1") == "relu_1");
  File base;
  base.Node("/conv/Conv", {"conv.weight"}, "", "relu");
  base.Node("/relu/Sin");
  base.Node("/relu_1/Conv");
  base.Read();
  CHECK(base.Meaning("relu_1") == "relu #1");
}

TEST_CASE("numbers count calls, in whatever order they stand") {
  File file;
  file.Node("/act/Relu");
  file.Node("/fc/MatMul", {"fc.weight"});
  file.Node("/act_2/Relu");
  file.Node("/act_1/Relu");
  file.Read();
  CHECK(file.Place("/act/Relu") == "act #0");
  CHECK(file.Place("/act_2/Relu") == "act #2");
  CHECK(file.Place("/act_1/Relu") == "act #1");
  CHECK(file.Place("/fc/MatMul") == "fc #0");
}

TEST_CASE("what is printed like another module is in what holds both") {
  File file;
  file.Node("/q/default/MatMul", {"onnx::1"});
  file.Node("/q/default_1/MatMul", {"onnx::2"});
  file.Node("/q/act/Relu");
  file.Node("/v/default/MatMul", {"onnx::3"});
  file.Read();
  CHECK(file.Place("/q/default/MatMul") == "q #0 around");
  CHECK(file.Place("/q/default_1/MatMul") == "q #0 around");
  CHECK(file.Place("/q/act/Relu") == "q.act #0");
  CHECK(file.Place("/v/default/MatMul") == "v #0 around");
  File known;
  known.Node("/q/default/MatMul", {"q.lora_A.default.weight"});
  known.Node("/q/default_1/MatMul", {"q.lora_B.default.weight"});
  known.Read();
  CHECK(known.Place("/q/default/MatMul") == "q.lora_A.default #0");
  CHECK(known.Place("/q/default_1/MatMul") == "q.lora_B.default #0");
}

TEST_CASE("a container that is printed once for several is none of them") {
  for (const bool runs_as_often : {true, false}) {
    CAPTURE(runs_as_often);
    File file;
    for (int i = 0; i < 2; ++i) {
      const std::string more = i == 0 ? "" : "_1";
      file.Node("/block/0" + more + "/MatMul", {absl::StrCat("onnx::", i, i == 0 ? " 4" : " 8")});
      file.Node("/block/act" + more + "/Relu");
    }
    if (!runs_as_often) file.Node("/block/end/Relu");
    file.Node("/head/MatMul", {"head.weight"});
    file.Read();
    const std::string around = runs_as_often ? "" : "block";
    CHECK(file.Place("/block/0/MatMul") == around + " #0 around");
    CHECK(file.Place("/block/0_1/MatMul") == around + " #0 around");
    CHECK(file.Place("/block/act_1/Relu") == (runs_as_often ? " #0 around" : "block.act #1"));
    CHECK(file.Place("/head/MatMul") == "head #0");
  }
}

TEST_CASE("modules that were never called are put around those in them") {
  File file;
  file.Node("/decoder/fc/MatMul", {"model.decoder.fc.weight"});
  file.Node("/decoder/act/Relu");
  file.Node("/head/MatMul", {"head.weight"});
  file.Read();
  CHECK(file.Place("/decoder/fc/MatMul") == "model.decoder.fc #0");
  CHECK(file.Place("/decoder/act/Relu") == "model.decoder.act #0");
  CHECK(file.Place("/head/MatMul") == "head #0");
}

TEST_CASE("scopes that are printed alike are told apart by their parameters") {
  File file;
  file.Node("/proj/fc/MatMul", {"a.proj.fc.weight"});
  file.Node("/proj/act/Relu");
  file.Node("/proj/fc_1/MatMul", {"b.proj.fc.weight"});
  file.Node("/proj/act_1/Relu");
  file.Read();
  CHECK(file.Place("/proj/fc/MatMul") == "a.proj.fc #0");
  CHECK(file.Place("/proj/fc_1/MatMul") == "b.proj.fc #0");
  CHECK(file.Place("/proj/act/Relu") == "a.proj.act #0");
  CHECK(file.Place("/proj/act_1/Relu") == "b.proj.act #0");
}

TEST_CASE("one module that two others call") {
  File file;
  file.Node("/encoder/shared/MatMul", {"shared.weight"});
  file.Node("/encoder/act/Relu");
  file.Node("/decoder/shared/MatMul", {"shared.weight"});
  file.Node("/decoder/act/Relu");
  file.Read();
  CHECK(file.Place("/encoder/shared/MatMul") == "shared #0");
  CHECK(file.Place("/decoder/shared/MatMul") == "shared #1");
  CHECK(file.Place("/decoder/act/Relu") == "decoder.act #0");
}

TEST_CASE("a module inside of one that runs twice is inside of that run") {
  File file;
  for (const char* more : {"", "_1", "_2"}) {
    file.Node(absl::StrCat("/block/norm", more, "/Relu"));
    file.Node(absl::StrCat("/block/fc", more, "/MatMul"), {"block.fc.weight"});
  }
  file.Node("/block/norm_3/Relu");
  file.Read();
  CHECK(file.Place("/block/norm_2/Relu") == "block.norm #2");
  CHECK(file.Place("/block/norm_3/Relu") == "block.norm #3");
  CHECK(file.Place("/block/fc_1/MatMul") == "block.fc #1");
}

TEST_CASE("members of lists that the names leave out") {
  File file;
  for (int i = 0; i < 3; ++i) {
    const std::string more = i == 0 ? "" : absl::StrCat("_", i);
    file.Node("/attn/q" + more + "/MatMul", {absl::StrCat("layers.", i, ".attn.q.weight")});
    file.Node("/attn/act" + more + "/Relu");
    file.Node("/attn/o" + more + "/MatMul", {absl::StrCat("layers.", i, ".attn.o.weight")});
  }
  file.Read();
  CHECK(file.Place("/attn/q_1/MatMul") == "layers.1.attn.q #0");
  CHECK(file.Place("/attn/act/Relu") == "layers.0.attn.act #0");
  CHECK(file.Place("/attn/act_2/Relu") == "layers.2.attn.act #0");
}

TEST_CASE("where something in a scope is printed again with a number, that counts calls of it") {
  const std::vector<Line> once = {{"/net/fc/Gemm", {"onnx::1"}}, {"/net_1/Relu", {}}};
  CHECK(Meant("net_1", once) == "net_1");
  for (const char* again : {"/net/fc_1/Gemm", "/net/layers.0_1/Relu", "/net/fc/deep_1/Relu"}) {
    CAPTURE(again);
    std::vector<Line> lines = once;
    lines.push_back({again, {}});
    CHECK(Meant("net_1", lines) == "net #1");
    CHECK(Meant("net_2", {lines[0], lines[2], {"/net_2/Relu", {}}}) == "net_2");
  }
}

TEST_CASE("in a member of a list that is printed again other weights are those of another call") {
  const Line first = {"/b.0/norm/Mul", {"onnx::1"}};
  const Line second = {"/b.0/norm_1/Mul", {"onnx::2"}};
  CHECK(Meant("b.0/norm_1", {first, second, {"/b.0_1/Relu", {}}}) == "norm #1");
  CHECK(Meant("b.0/norm_1", {first, second, {"/b.0_2/Relu", {}}}) == "norm_1 hidden");
}

TEST_CASE("what an exporter writes into a node is no weight of a module") {
  CHECK(Meant("norm_1", {{"/norm/Mul", {"onnx::1"}}, {"/norm_1/Mul", {"onnx::2"}}}) ==
        "norm_1 hidden");
  CHECK(Meant("norm_1", {{"/norm/Mul", {"/norm/Constant_output_0"}},
                         {"/norm_1/Mul", {"/norm_1/Constant_1_output_0"}}}) == "norm #1");
}

TEST_CASE("what a Sequential prints by a name of its own is registered around it") {
  File file;
  file.Node("/a.0/net/net.0/Gemm", {"a.0.net.0.weight"});
  file.Node("/a.0/net/act/Relu");
  file.Node("/a.0/net/net.2/net.2.0/Gemm", {"a.0.net.2.0.weight"});
  file.Node("/a.0/net/net.2/act/Relu");
  file.Read();
  CHECK(file.Place("/a.0/net/act/Relu") == "a.0.act #0");
  CHECK(file.Place("/a.0/net/net.2/act/Relu") == "a.0.act #1");
  // Nor is it one that does something itself, or in which parameters are of such a name; and what
  // has weights is no activation.
  const auto place = [](const Line& line) {
    File other;
    other.Node("/net/net.0/Gemm", {"net.0.weight"});
    other.Node("/net/act/Relu");
    other.Node(line.name, line.weights);
    other.Read();
    return other.Place("/net/act/Relu");
  };
  CHECK(place({"/net/net.1/Relu", {}}) == "act #0");
  CHECK(place({"/net/Add", {}}) == "net.act #0");
  CHECK(place({"/net/fc/Gemm", {"net.fc.weight"}}) == "net.act #0");
  CHECK(place({"/net/fc/Gemm", {"onnx::Gemm_1"}}) == "net.act #0");
  CHECK(place({"/net/head/fc/Relu", {}}) == "net.act #0");
}

TEST_CASE("what is printed alike is counted in the order in which it runs") {
  // Of down.0.block no parameter tells what the scope is; one of down.1.block runs once.
  File file;
  file.Node("/block/norm/Mul");
  file.Node("Conv", {"down.0.block.conv.weight"});
  file.Node("/block/Relu");
  file.Node("/block/norm_1/Mul");
  file.Node("/block/conv_1/Conv", {"down.1.block.conv.weight"});
  file.Node("/block_1/Relu");
  file.Read();
  CHECK(file.Place("/block/Relu") == "down.0.block #0");
  CHECK(file.Place("/block_1/Relu") == "down.1.block #0");
  CHECK(file.Place("/block/norm/Mul") == "down.0.block.norm #0");
  CHECK(file.Place("/block/norm_1/Mul") == "down.1.block.norm #0");
}

TEST_CASE("members of a list run in its order, or in the opposite one") {
  const auto places = [](const std::string& first, const std::string& second) {
    File file;
    file.Node("/b.0/conv/Conv", {first});
    file.Node("/b.0/Relu");
    file.Node("/b.0/conv_1/Conv", {second});
    file.Node("/b.0_1/Relu");
    file.Read();
    return absl::StrCat(file.Place("/b.0/Relu"), ", ", file.Place("/b.0_1/Relu"));
  };
  CHECK(places("onnx::1", "down.1.b.0.conv.weight") == "down.0.b.0 #0, down.1.b.0 #0");
  CHECK(places("up.1.b.0.conv.weight", "onnx::1") == "up.1.b.0 #0, up.0.b.0 #0");
  // Neither, a container that is no member, and a module that runs twice.
  CHECK(places("onnx::1", "down.3.b.0.conv.weight") == "b.0 #0, down.3.b.0 #0");
  CHECK(places("onnx::1", "down.b.0.conv.weight") == "b.0 #0, down.b.0 #0");
  CHECK(places("down.1.b.0.conv.weight", "down.1.b.0.conv.weight") ==
        "down.1.b.0 #0, down.1.b.0 #1");
}

TEST_CASE("in a scope that stands for several modules a number is one of these") {
  File file;
  file.Node("/block/conv1/Conv", {"down.0.block.conv1.weight"});
  file.Node("/x/Relu");
  file.Node("/block/norm/Mul");
  file.Node("/x/Relu");
  file.Node("/block/conv1_1/Conv", {"down.1.block.conv1.weight"});
  file.Node("/x/Relu");
  file.Node("/block/norm_1/Mul");
  file.Read();
  CHECK(file.Place("/block/norm/Mul") == "down.0.block.norm #0");
  CHECK(file.Place("/block/norm_1/Mul") == "down.1.block.norm #0");
}

}  // namespace
}  // namespace onnx_hier
