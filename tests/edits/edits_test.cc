// SPDX-License-Identifier: Apache-2.0

// Each kind of edit, against protobuf.

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/edits/edit_changes.h"
#include "lib/edits/model_copier.h"
#include "lib/onnx/wire_writer.h"
#include "tests/edits/splices.h"
#include "tests/edits/twin_edits.h"
#include "tests/edits/whole_model.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Canonical;
using testing::FunctionNamed;
using testing::Info;
using testing::MemoryFile;
using testing::NodeBytes;
using testing::NodeNamed;
using testing::Scan;
using testing::Scanned;
using testing::TensorNamed;
using testing::TwinEdits;
using testing::Value;
using testing::Whole;
using wire::Bytes;
using wire::Number;

// Checks that we and protobuf make the same bytes of the whole model.
template <class Edit>
std::string Same(const Edit& edit) {
  TwinEdits twin(Canonical(Whole()));
  edit(twin, twin.graph());
  const std::string ours = twin.Ours();
  CHECK((ours == twin.Theirs()));
  return ours;
}

TEST_CASE("names and metadata of nodes") {
  for (const char* name : {"mul", "if", "", "neg", "exp"}) {
    CAPTURE(name);
    Same([&](TwinEdits& twin, const Graph& g) { twin.SetName(NodeNamed(g, name), "a new name"); });
    Same([&](TwinEdits& twin, const Graph& g) {
      const NodeId node = NodeNamed(g, name);
      twin.SetMetadata(node, "k", std::string(200, 'v'));
      twin.SetMetadata(node, "other", "w");
      twin.RemoveMetadata(node, "none");
      twin.SetDocString(node, "a doc_string");
      twin.SetName(node, "");
    });
    Same([&](TwinEdits& twin, const Graph& g) { twin.RemoveMetadata(NodeNamed(g, name), "k"); });
    Same([&](TwinEdits& twin, const Graph& g) { twin.RemoveName(NodeNamed(g, name)); });
  }
}

TEST_CASE("nodes left out and put in, wherever nodes are") {
  for (const char* name : {"mul", "if", "", "neg", "exp"}) {
    CAPTURE(name);
    Same([&](TwinEdits& twin, const Graph& g) { twin.LeaveOut(NodeNamed(g, name)); });
    Same([&](TwinEdits& twin, const Graph& g) {
      const NodeId node = NodeNamed(g, name);
      twin.PutInBefore(node, NodeBytes("First", "1"));
      twin.LeaveOut(node);
      twin.PutInBefore(node, NodeBytes("Second", std::string(300, 'n')));
    });
  }
  Same([](TwinEdits& twin, const Graph& g) {
    for (BlockId block : g.block_ids()) {
      twin.PutInAtEnd(block, NodeBytes("First", "1"));
      twin.PutInAtEnd(block, "");
    }
  });
  Same([](TwinEdits& twin, const Graph& g) {
    for (NodeId node : g.nodes(g.main_block())) twin.LeaveOut(node);
    twin.PutInAtEnd(g.main_block(), NodeBytes("Only", ""));
  });
}

TEST_CASE("what graphs and functions declare") {
  for (const char* name : {"w", "u", "s", "v"}) {
    Same([&](TwinEdits& twin, const Graph& g) { twin.LeaveOut(TensorNamed(g, name)); });
  }
  Same([](TwinEdits& twin, const Graph& g) {
    twin.LeaveOutValueInfo(g.main_block(), "i");
    twin.LeaveOutValueInfo(g.main_block(), "none");
    twin.LeaveOutValueInfo(g.node(NodeNamed(g, "neg")).block, "m");
  });
  // One says nothing of the other.
  Same([](TwinEdits& twin, const Graph& g) { twin.LeaveOutValueInfo(g.main_block(), "h"); });
  Same([](TwinEdits& twin, const Graph& g) {
    twin.LeaveOutQuantization(g.main_block(), "h");
    twin.LeaveOutQuantization(g.main_block(), "i");
    twin.LeaveOutQuantization(g.main_block(), "none");
  });
  Same([](TwinEdits& twin, const Graph& g) {
    twin.LeaveOutInput(g.main_block(), 0);
    twin.SetInput(g.main_block(), 1, Info("new"));
    twin.AddInput(g.main_block(), Info("one"));
    twin.AddInput(g.main_block(), Info("two"));
    twin.LeaveOutOutput(g.main_block(), 0);
    twin.AddOutput(g.main_block(), Info("three"));
    const BlockId branch = g.node(NodeNamed(g, "neg")).block;
    twin.AddInput(branch, Info("four"));
    twin.SetOutput(branch, 0, Info("five"));
  });
  Same([](TwinEdits& twin, const Graph& g) {
    twin.SetInput(FunctionNamed(g, "F"), 0, "a name");
    twin.AddInput(FunctionNamed(g, "F"), "another");
    twin.AddOutput(FunctionNamed(g, "G"), "out");
  });
}

TEST_CASE("the model itself") {
  Same([](TwinEdits& twin, const Graph&) {
    twin.SetMetadata("author", "you");
    twin.SetMetadata("new", "value");
  });
  Same([](TwinEdits& twin, const Graph&) { twin.RemoveMetadata("author"); });
  Same([](TwinEdits& twin, const Graph& g) {
    twin.LeaveOut(FunctionNamed(g, "F"));
    twin.AddFunction(Bytes(1, "H") + Bytes(7, NodeBytes("Op", "")) + Bytes(10, "d"));
    twin.AddFunction(Bytes(1, "I"));
  });
  Same([](TwinEdits& twin, const Graph&) {
    twin.ImportOpset("", 17);
    twin.ImportOpset("d", 1);
    twin.RaiseIrVersion(10);
    twin.RaiseIrVersion(9);
  });
  Same([](TwinEdits& twin, const Graph& g) {
    twin.LeaveOutTraining();
    twin.SetName(NodeNamed(g, "mul"), "renamed");
  });
  const std::string same = Same([](TwinEdits& twin, const Graph&) { twin.RaiseIrVersion(3); });
  CHECK((same == Canonical(Whole())));
}

TEST_CASE("a model without anything") {
  for (const std::string& file : {wire::Graph(""), wire::Graph("") + Number(1, 8)}) {
    TwinEdits twin(file);
    const BlockId main = twin.graph().main_block();
    twin.PutInAtEnd(main, NodeBytes("Op", "n"));
    twin.AddInput(main, Info("x"));
    twin.AddOutput(main, Info("y"));
    twin.AddFunction(Bytes(1, "F"));
    twin.ImportOpset("d", 1);
    twin.SetMetadata("k", "v");
    twin.RaiseIrVersion(10);
    CHECK((Canonical(twin.Ours()) == Canonical(twin.Theirs())));
  }
}

TEST_CASE("an IR version that nobody changes stays, whatever it says") {
  for (const int64_t version : {int64_t{-1}, int64_t{1} << 62}) {
    TwinEdits twin(Number(1, static_cast<uint64_t>(version)) + wire::Graph(""));
    twin.SetMetadata("k", "v");
    CHECK((Canonical(twin.Ours()) == Canonical(twin.Theirs())));
  }
}

// Padded tags and lengths, messages in pieces, fields twice and in any order, unknown ones.
TEST_CASE("files that no serializer writes") {
  const std::string strange = Number(900, 1, 4) + wire::Group(903, Bytes(1, "x"));
  const std::string node = strange + Bytes(4, "Op") + Bytes(3, "first") +
                           testing::Metadata("k", "1") +
                           wire::Subgraph("body", wire::Node("In", {}, {}, "inner") + strange) +
                           Bytes(3, "node", 4) + testing::Metadata("k", "2") + Number(3, 7);
  const std::string padded = wire::Tag(1, 2, 4) + wire::Varint(node.size(), 5) + node;
  const std::string file =
      strange + wire::Graph(wire::Output("y") + padded + wire::Input("x"), 5) + Number(1, 3) +
      wire::Training("") + wire::Graph(strange + wire::Initializer("w", {1})) +
      Bytes(14, Bytes(1, "k") + Bytes(2, "1")) + Number(1, 4, 3) +
      wire::Graph(wire::Node("Last", {}, {}, "last") + Bytes(13, Info("x")) + wire::Input("z")) +
      Bytes(14, Bytes(1, "k") + Bytes(2, "2"));
  TwinEdits twin(file);
  const Graph& graph = twin.graph();
  const NodeId outer = NodeNamed(graph, "node");
  REQUIRE(outer.valid());
  SUBCASE("edited") {
    twin.SetName(outer, "renamed");
    twin.SetMetadata(outer, "k", "3");
    twin.SetDocString(NodeNamed(graph, "inner"), std::string(300, 'd'));
    twin.PutInBefore(outer, NodeBytes("New", ""));
  }
  SUBCASE("left out") {
    twin.LeaveOut(outer);
    twin.PutInBefore(NodeNamed(graph, "last"), NodeBytes("New", ""));
  }
  twin.PutInAtEnd(graph.main_block(), NodeBytes("End", ""));
  twin.LeaveOut(TensorNamed(graph, "w"));
  twin.LeaveOutInput(graph.main_block(), 0);
  twin.SetInput(graph.main_block(), 1, Info("z2"));
  twin.AddOutput(graph.main_block(), Info("o"));
  twin.LeaveOutValueInfo(graph.main_block(), "x");
  twin.SetMetadata("k", "3");
  twin.RaiseIrVersion(9);
  CHECK((Canonical(twin.Ours()) == Canonical(twin.Theirs())));
}

TEST_CASE("the file is walked once for edits of one kind, and again for those that want more") {
  const std::string file = wire::Model(
      wire::Graph(wire::Node("A", {}, {"x"}, "a") + wire::Node("B", {"x"}, {"y"}, "b") +
                  wire::Node("C", {"y"}, {"z"}, "c") + wire::Initializer("w", {1}, "1234") +
                  wire::Initializer("v", {1}, "1234") + wire::Input("in")));
  const Scanned scanned = Value(Scan(file));
  Edits part;
  for (size_t node : {0, 1}) part.LeaveOut(NodeId(node));
  for (size_t tensor : {0, 1}) part.LeaveOut(TensorId(tensor));
  part.AddInput(scanned.model.graph.main_block(), Bytes(1, "y"));
  Edits names;
  names.SetName(NodeId(2), "new");
  EditChanges changes(scanned.image, scanned.model);
  for (const Edits* edits : {&part, &names, &part}) {
    const EditList& list = EditsAccess::List(*edits);
    const Splices together(scanned.model, {}, Value(changes.Of(list)));
    const Splices alone(scanned.model, {},
                        Value(EditChanges(scanned.image, scanned.model).Of(list)));
    CHECK(testing::Spliced(file, together) == testing::Spliced(file, alone));
  }
  const ChangeList of_part = Value(changes.Of(EditsAccess::List(part)));
  CHECK(of_part.changes.size() == 3);  // neighbours go together
}

TEST_CASE("a function's value_info, which came after onnx 1.12") {
  const auto file = [](const std::string& info) {
    return wire::Model(wire::Graph("") +
                       wire::Function("d", "F", {}, {}, info + Bytes(12, Bytes(1, "kept"))));
  };
  const std::string before = file(Bytes(12, Bytes(1, "gone")));
  const Scanned scanned = Value(Scan(before));
  Edits edits;
  edits.LeaveOutValueInfo(FunctionNamed(scanned.model.graph, "F"), "gone");
  ChangeList changes =
      Value(EditChanges(scanned.image, scanned.model).Of(EditsAccess::List(edits)));
  CHECK(testing::Spliced(before, Splices(scanned.model, {}, std::move(changes))) == file(""));
}

TEST_CASE("a tensor of 3 GiB goes, and nobody reads it") {
  constexpr uint64_t kLarge = uint64_t{3} << 30;
  const std::string head = wire::Node("A", {}, {}, "a");
  const std::string tail = wire::Initializer("w", {1}, "1234") + wire::Node("B", {}, {}, "b");
  const std::string tensor = Bytes(8, "large") + wire::Tag(9, 2) + wire::Varint(kLarge);
  const uint64_t tensor_size = tensor.size() + kLarge;
  const std::string field = wire::Tag(5, 2) + wire::Varint(tensor_size) + tensor;
  const uint64_t graph_size = head.size() + field.size() + kLarge + tail.size();
  const std::string front =
      Number(1, 8) + wire::Tag(7, 2) + wire::Varint(graph_size) + head + field;
  const MemoryFile file(front);  // with a hole behind it
  REQUIRE(pwrite(file.fd(), tail.data(), tail.size(), static_cast<off_t>(front.size() + kLarge)) ==
          static_cast<ssize_t>(tail.size()));
  FileImage image = Value(FileImage::Open(file.path()));
  const ScannedModel model = Value(ScanModel(image));
  Edits edits;
  edits.LeaveOut(TensorNamed(model.graph, "large"));
  edits.SetName(NodeNamed(model.graph, "b"), "renamed");
  edits.PutInAtEnd(model.graph.main_block(), NodeBytes("New", "new"));
  const Splices splices(model, {}, Value(EditChanges(image, model).Of(EditsAccess::List(edits))));
  const MemoryFile out("");
  CHECK_OK(CopyToFile(image, splices, {}, out.fd(), {}));
  const std::string expected =
      wire::Initializer("w", {1}, "1234") + wire::Node("B", {}, {}, "renamed");
  CHECK((out.Read() ==
         Number(1, 8) + wire::Graph(head + expected + Bytes(1, NodeBytes("New", "new")))));
}

TEST_CASE("an input that was changed since it was scanned is an error") {
  const MemoryFile file(Whole());
  FileImage image = Value(FileImage::Open(file.path()));
  const ScannedModel model = Value(ScanModel(image));
  Edits edits;
  edits.AddFunction("");
  REQUIRE(pwrite(file.fd(), "xx", 2, static_cast<off_t>(Whole().size() - 1)) == 2);
  CHECK_ERROR(EditChanges(image, model).Of(EditsAccess::List(edits)), kAborted, "changed");
}

TEST_CASE("damage where the scan does not look") {
  const std::string wrong_type = wire::Tag(1, 6);
  const std::string file =
      wire::Model(wire::Graph(wire::Node("A", {}, {}) + Bytes(13, wrong_type)));
  const Scanned scanned = Value(Scan(file));
  Edits edits;
  edits.SetName(NodeId(0), "name");
  CHECK_ERROR(EditChanges(scanned.image, scanned.model).Of(EditsAccess::List(edits)), kDataLoss,
              "the input is damaged: byte ");
}

TEST_CASE("messages are written field by field") {
  std::string out;
  AppendField(1, "text", &out);
  AppendNumber(25, -1, &out);
  AppendField(200, std::string(300, 't'), &out);
  CHECK(out == Bytes(1, "text") + Number(25, UINT64_MAX) + Bytes(200, std::string(300, 't')));
}

}  // namespace
}  // namespace onnx_hier
