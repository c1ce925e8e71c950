// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/parts/fold_table.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"
#include "tests/support/written_model.h"

namespace onnx_hier {
namespace {

using testing::Value;
using testing::WrittenModel;

// Two layers of two nodes, with a node between them that is too large to be moved.
std::string FlatLayers() {
  const std::string large = wire::Doc(std::string(70'000, 'x'));
  return wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"a"}, "/layer.0/Relu") +
                                 wire::Node("Neg", {"a"}, {"b"}, "/layer.0/Neg") +
                                 wire::Node("Abs", {"b"}, {"c"}, "/between/Abs", large) +
                                 wire::Node("Relu", {"c"}, {"d"}, "/layer.1/Relu") +
                                 wire::Node("Neg", {"d"}, {"y"}, "/layer.1/Neg") + wire::Name("g") +
                                 wire::Input("x") + wire::Output("y")));
}

onnx::ModelProto FoldedLayers() {
  const Model flat = Value(Model::FromBytes(FlatLayers()));
  const Annotation annotation = Annotate(flat);
  const Folding folding = Value(Fold(flat, Hierarchy(flat.graph(), annotation), {.min_nodes = 1}));
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(WrittenModel(flat, folding.edits)));
  REQUIRE(model.functions_size() == 1);
  REQUIRE(model.metadata_props_size() == 1);
  return model;
}

// Nodes that are too large to be moved, not in the order in which they run.
TEST_CASE("nodes that can be neither moved nor left") {
  const std::string large = wire::Doc(std::string(70'000, 'x'));
  const Model model = Value(Model::FromBytes(
      wire::Model(wire::Graph(wire::Node("Abs", {"b"}, {"y"}, "/between/Abs", large) +
                              wire::Node("Relu", {"a"}, {"b"}, "/layer.0/Relu") +
                              wire::Node("Neg", {"x"}, {"a"}, "/between/Neg", large) +
                              wire::Input("x") + wire::Output("y")))));
  CHECK_ERROR(Fold(model, Hierarchy(model.graph(), Annotate(model)), {.min_nodes = 1}),
              kFailedPrecondition, "node 0 stands before node 2, which has to run first");
}

absl::Status StatusOfUnfolding(const onnx::ModelProto& folded, bool all = false) {
  const Model model = Value(Model::FromBytes(folded.SerializeAsString()));
  return Unfold(model, {.all = all}).status();
}

TEST_CASE("a folded model that does not come to what was folded is refused") {
  const auto error = [](auto change) {
    onnx::ModelProto model = FoldedLayers();
    change(model);
    // As it is now it may be unfolded all the same.
    CHECK_OK(StatusOfUnfolding(model, true));
    return StatusOfUnfolding(model);
  };
  const auto retold = [&error](auto change) {
    return error([&change](onnx::ModelProto& model) {
      std::string& text = *model.mutable_metadata_props(0)->mutable_value();
      FoldTable table = *ReadFoldTable(text);
      change(table);
      text = WriteFoldTable(table);
    });
  };
  CHECK_ERROR(
      error([](auto& model) { model.mutable_functions(0)->mutable_node(0)->set_op_type("Tanh"); }),
      kFailedPrecondition, "function 'layer'");
  CHECK_ERROR(error([](auto& model) { model.mutable_graph()->mutable_node(0)->set_input(0, "z"); }),
              kFailedPrecondition, "its main graph");
  CHECK_ERROR(error([](auto& model) { model.mutable_metadata_props(0)->set_value("nothing"); }),
              kFailedPrecondition, "its metadata 'onnx_hier.fold'");
  CHECK_ERROR(retold([](FoldTable& table) { table.ir_version = 9; }), kFailedPrecondition,
              "its table");
  // Only the node that stays would be elsewhere.
  CHECK_ERROR(retold([](FoldTable& table) {
                table.positions = {0, 1, 2, 3};
              }),
              kFailedPrecondition, "its table");
}

TEST_CASE("what is left of a fold is not folded again") {
  const auto status = [](auto change) {
    onnx::ModelProto folded = FoldedLayers();
    change(folded);
    const Model model = Value(Model::FromBytes(folded.SerializeAsString()));
    const Annotation annotation = Annotate(model);
    return Fold(model, Hierarchy(model.graph(), annotation), {.min_nodes = 1}).status();
  };
  CHECK_ERROR(status([](onnx::ModelProto& model) {
                model.clear_opset_import();
                model.clear_metadata_props();
              }),
              kFailedPrecondition, "folded already");
  CHECK_ERROR(status([](onnx::ModelProto& model) {
                model.clear_opset_import();
                model.clear_functions();
              }),
              kFailedPrecondition, "folded already");
}

TEST_CASE("a folded model without its table is unfolded with names made anew") {
  onnx::ModelProto model = FoldedLayers();
  model.clear_metadata_props();
  CHECK_OK(StatusOfUnfolding(model));
}

TEST_CASE("a model that was folded with the first form of tables is unfolded as it was") {
  onnx::ModelProto folded = FoldedLayers();
  std::string& text = *folded.mutable_metadata_props(0)->mutable_value();
  FoldTable table = *ReadFoldTable(text);
  table.form = kFirstFoldForm;
  onnx::ModelProto flat;
  REQUIRE(flat.ParseFromString(FlatLayers()));
  NodesChecksum checksum(table);
  for (const int node : {0, 1, 3, 4}) checksum.Add(flat.graph().node(node).SerializeAsString());
  table.checksum = checksum.value();
  text = WriteFoldTable(table);
  const Model model = Value(Model::FromBytes(folded.SerializeAsString()));
  const Unfolding unfolding = Value(Unfold(model, {}));
  CHECK(unfolding.exact);
  CHECK((WrittenModel(model, unfolding.edits) == FlatLayers()));
  folded.mutable_graph()->mutable_node(0)->set_input(0, "z");
  CHECK_ERROR(StatusOfUnfolding(folded), kFailedPrecondition, "its functions, its main graph or");
}

TEST_CASE(
    "nodes that stood between other fields come back, and are not said to be in their places") {
  std::string fields;
  for (int i = 0; i < 4; ++i) {
    const std::string scope = absl::StrCat("/layer.", i);
    const std::string weight = absl::StrCat("w", i);
    fields += wire::Bytes(5, wire::Number(1, 1) + wire::Number(2, 1) + wire::Bytes(8, weight)) +
              wire::Node("Add", {absl::StrCat("v", i), weight}, {scope + "/v"}, scope + "/Add") +
              wire::Node("Relu", {scope + "/v"}, {absl::StrCat("v", i + 1)}, scope + "/Relu");
  }
  const std::string bytes =
      wire::Model(wire::Graph(fields + wire::Name("g") + wire::Input("v0") + wire::Output("v4")));
  const Model flat = Value(Model::FromBytes(bytes));
  const Annotation annotation = Annotate(flat);
  const Folding folding = Value(Fold(flat, Hierarchy(flat.graph(), annotation), {.min_nodes = 2}));
  REQUIRE(folding.functions.size() == 1);
  const Model folded = Value(Model::FromBytes(WrittenModel(flat, folding.edits)));
  const Unfolding unfolding = Value(Unfold(folded, {}));
  CHECK_FALSE(unfolding.exact);
  CHECK(unfolding.scattered);
  onnx::ModelProto before;
  onnx::ModelProto after;
  REQUIRE(before.ParseFromString(bytes));
  REQUIRE(after.ParseFromString(WrittenModel(folded, unfolding.edits)));
  CHECK(before.SerializeAsString() == after.SerializeAsString());
}

TEST_CASE("what nodes hold comes back from a folded model that was tagged") {
  std::string nodes;
  for (int i = 0; i < 3; ++i) {
    const std::string scope = absl::StrCat("/layer.", i);
    const std::string tensor = wire::Bytes(
        5, wire::Number(1, 12'000) + wire::Number(2, 1) + wire::Bytes(9, std::string(48'000, 'x')));
    nodes += wire::Node("Constant", {}, {scope + "/c"}, scope + "/Constant",
                        wire::Bytes(5, wire::Bytes(1, "value") + tensor + wire::Number(20, 4)));
    nodes += wire::Node("Add", {absl::StrCat("v", i), scope + "/c"}, {absl::StrCat("v", i + 1)},
                        scope + "/Add");
  }
  const std::string bytes =
      wire::Model(wire::Graph(nodes + wire::Name("g") + wire::Input("v0") + wire::Output("v3")));
  const testing::TempFolder folder;
  const auto write = [&folder](const Model& model, const Edits& edits, const std::string& name) {
    CHECK_OK(Write(model, edits, Destination::File(folder / name)));
    return Value(Model::Open(folder / name));
  };
  const Model flat = Value(Model::FromBytes(bytes));
  const Annotation annotation = Annotate(flat);
  const Folding folding = Value(Fold(flat, Hierarchy(flat.graph(), annotation), {.min_nodes = 1}));
  REQUIRE(folding.functions.size() == 1);
  // Files: of these only what describes the graph is read.
  const Model folded = write(flat, folding.edits, "folded.onnx");
  const Model tagged = write(folded, TagEdits(folded, Annotate(folded)), "tagged.onnx");
  const Unfolding unfolding = Value(Unfold(tagged, {}));
  CHECK(unfolding.exact);
  CHECK((WrittenModel(tagged, unfolding.edits) == bytes));
}

}  // namespace
}  // namespace onnx_hier
