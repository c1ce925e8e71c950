// SPDX-License-Identifier: Apache-2.0

// Names of weights, taken from a checkpoint and given back.
#include <doctest/doctest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/model.h"
#include "onnx_hier/weights.h"
#include "tests/relate/checkpoint_pair.h"
#include "tests/support/names.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"
#include "tests/support/written_model.h"

namespace onnx_hier {
namespace {

using testing::CheckpointPair;
using testing::RandomFloats;
using testing::Value;

WeightRenaming Renaming(const CheckpointPair& pair) {
  return Value(RenameWeights(pair.model(), pair.checkpoint(), pair.matches()));
}

std::string Pairs(const WeightRenaming& renaming) {
  std::string text;
  for (const auto& [from, to] : renaming.renamed) absl::StrAppend(&text, from, "=", to, " ");
  return text;
}

// What the nodes of the main graph read, a word for each.
std::string Read(const Graph& graph) {
  std::string text;
  for (NodeId node : graph.nodes(graph.main_block())) {
    absl::StrAppend(&text, testing::Names(graph, graph.inputs(node)), "; ");
  }
  return text;
}

// A weight and its tensor, of so many rows.
void AddWeight(CheckpointPair& pair, const std::string& tensor, const std::string& weight,
               int64_t rows, uint64_t seed) {
  const auto count = static_cast<size_t>(4 * rows);
  pair.Tensor(tensor, {rows, 4}, RandomFloats(count, seed));
  pair.Weight(weight, {rows, 4}, RandomFloats(count, seed));
}

TEST_CASE("weights get the names of their tensors, and theirs back, byte for byte") {
  CheckpointPair pair;
  AddWeight(pair, "fc.weight", "onnx::MatMul_1", 4, 1);
  AddWeight(pair, "out.weight", "onnx::MatMul_2", 5, 2);
  AddWeight(pair, "same.weight", "same.weight", 6, 3);
  pair.Linear("x", "onnx::MatMul_1", "a");
  pair.Linear("a", "onnx::MatMul_2", "b");
  pair.Linear("b", "same.weight", "c");
  pair.Add(wire::Node("Add", {"c", "onnx::MatMul_1"}, {"y"}) + wire::Input("x") +
           wire::Output("y") + wire::Input("onnx::MatMul_1") + wire::Output("onnx::MatMul_2"));
  pair.Match();
  const WeightRenaming renaming = Renaming(pair);
  CHECK(Pairs(renaming) == "onnx::MatMul_1=fc.weight onnx::MatMul_2=out.weight ");
  CHECK(renaming.left.empty());
  const std::string written = testing::WrittenModel(pair.model(), renaming.edits);
  const Model renamed = Value(Model::FromBytes(written));
  const Graph& graph = renamed.graph();
  CHECK(Read(graph) == "x fc.weight; a out.weight; b same.weight; c fc.weight; ");
  CHECK(testing::Names(graph, graph.outputs(graph.main_block())) == "y out.weight");
  CHECK(absl::StrContains(testing::Names(graph, graph.inputs(graph.main_block())), "fc.weight"));
  CHECK_FALSE(absl::StrContains(Read(graph), "onnx::"));
  CHECK_ERROR(RenameWeights(renamed, pair.checkpoint(), pair.matches()), kFailedPrecondition,
              "renamed before");

  const WeightRenaming back = Value(RestoreWeightNames(renamed));
  CHECK(Pairs(back) == "fc.weight=onnx::MatMul_1 out.weight=onnx::MatMul_2 ");
  CHECK(back.left.empty());
  CHECK(testing::WrittenModel(renamed, back.edits) == pair.bytes());
  // There is nothing to give back in what was never renamed.
  CHECK(Value(RestoreWeightNames(pair.model())).renamed.empty());
}

TEST_CASE(
    "a weight keeps its name where the file says more of it, or another value has the new one") {
  CheckpointPair pair;
  AddWeight(pair, "spoken.weight", "w1", 4, 1);
  AddWeight(pair, "inner.weight", "w2", 5, 2);
  AddWeight(pair, "taken", "w3", 6, 3);
  AddWeight(pair, "free.weight", "w4", 7, 4);
  AddWeight(pair, "a.q.weight", "w5", 8, 5);
  pair.Weight("w6", {8, 4}, RandomFloats(32, 5));  // the same tensor once more
  pair.Linear("x", "w1", "a");
  pair.Linear("a", "w3", "taken");
  pair.Linear("taken", "w4", "b");
  pair.Linear("b", "w5", "c");
  pair.Linear("c", "w6", "d");
  AddWeight(pair, "branch.weight", "w7", 9, 6);
  pair.Add(
      wire::Node("Loop", {"", "", "w2"}, {"last"}, "",
                 wire::Subgraph("body", wire::Input("i") + wire::Input("go") + wire::Input("h"))) +
      wire::Node("If", {"d"}, {"y"}, "",
                 wire::Subgraph("then_branch", wire::Node("MatMul", {"d", "w7"}, {"t"}))) +
      wire::Bytes(13, wire::Bytes(1, "w1")));  // value_info
  pair.Match();
  const WeightRenaming renaming = Renaming(pair);
  CHECK(Pairs(renaming) == "w4=free.weight w5=a.q.weight w7=branch.weight ");
  CHECK(absl::StrJoin(renaming.left, " ") == "w1 w2 w3 w6");
  const Model renamed =
      Value(Model::FromBytes(testing::WrittenModel(pair.model(), renaming.edits)));
  CHECK(absl::StrContains(Read(renamed.graph()), "x w1; a w3; taken free.weight;"));
  const NodeId inner(renamed.graph().node_count() - 1);
  CHECK(testing::Names(renamed.graph(), renamed.graph().inputs(inner)) == "d branch.weight");
}

TEST_CASE("weights of which no tensor is surely theirs alone keep their names") {
  const testing::FloatNumbers same = RandomFloats(8, 1);
  const testing::FloatNumbers whole = RandomFloats(32, 2);
  CheckpointPair pair;
  pair.Tensor("l.gain", {8}, same);
  pair.Tensor("m.gain", {8}, same);
  pair.Tensor("gate_up.weight", {8, 4}, whole);
  pair.Tensor("q.weight", {4, 4}, RandomFloats(16, 3));
  pair.Tensor("k.weight", {4, 4}, RandomFloats(16, 4));
  pair.Tensor("fc.weight", {8, 8}, RandomFloats(64, 5));
  pair.Tensor("fc.bias", {8}, RandomFloats(8, 6));
  pair.Weight("tie", {8}, same);
  pair.Weight("part_1", {4, 4}, testing::FloatNumbers(whole.begin(), whole.begin() + 16));
  pair.Weight("part_2", {4, 4}, testing::FloatNumbers(whole.begin() + 16, whole.end()));
  testing::FloatNumbers both = RandomFloats(16, 3);
  for (const float number : RandomFloats(16, 4)) both.push_back(number);
  pair.Weight("joined", {8, 4}, both);
  pair.Weight("fc", {8, 8}, RandomFloats(64, 5));
  pair.Weight("other", {8}, RandomFloats(8, 7));
  pair.Add(wire::Node("Mul", {"x", "tie"}, {"a"}));
  pair.Linear("a", "part_1", "b");
  pair.Linear("a", "part_2", "c");
  pair.Linear("c", "joined", "d");
  pair.Linear("d", "fc", "y", "other");
  pair.Match();
  CHECK(pair.Of("other") == "fc.bias by module, 0.89991");
  const WeightRenaming renaming = Renaming(pair);
  CHECK(Pairs(renaming) == "fc=fc.weight ");
  CHECK(absl::StrJoin(renaming.left, " ") == "tie part_1 part_2 joined other");
}

TEST_CASE("a damaged list of names gives none back") {
  const auto restored = [](const std::string& list) {
    const Model model = Value(Model::FromBytes(wire::Model(
        wire::Graph(wire::Initializer("new", {2}) + wire::Initializer("taken", {2}) +
                    wire::Node("Add", {"new", "taken"}, {"y"})) +
        wire::Bytes(14, wire::Bytes(1, "onnx_hier.weight_names") + wire::Bytes(2, list)))));
    const auto renaming = RestoreWeightNames(model);
    if (!renaming.ok()) return std::string("error");
    return absl::StrCat(Pairs(*renaming), absl::StrJoin(renaming->left, " "));
  };
  CHECK(restored(R"({"new":"old"})") == "new=old ");
  CHECK(restored(R"({"new":"old","gone":"any"})") == "new=old ");
  CHECK(restored(R"({"new":"taken"})") == "new");
  CHECK(restored(R"({"new":""})") == "new");
  CHECK(restored("{}").empty());
  for (const char* damaged : {"", "[", R"({"new")", R"({"new":5})", R"({"new":"old")", "{} {}"}) {
    CAPTURE(damaged);
    CHECK(restored(damaged) == "error");
  }
}

}  // namespace
}  // namespace onnx_hier
