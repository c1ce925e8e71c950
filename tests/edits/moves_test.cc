// SPDX-License-Identifier: Apache-2.0

// Nodes and initializers that go to another graph, against protobuf.

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>

#include "doctest/doctest.h"
#include "lib/edits/edit_changes.h"
#include "tests/edits/splices.h"
#include "tests/edits/whole_model.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

using testing::FunctionNamed;
using testing::NodeNamed;
using testing::Scan;
using testing::Scanned;
using testing::TensorNamed;
using testing::Value;

void AddNode(onnx::NodeProto* node, const char* op, const char* name) {
  node->set_op_type(op);
  node->set_name(name);
  node->add_input("a");
  node->add_output(name);
}

// A graph with a call and an If, whose branch has an initializer; a function with two nodes.
onnx::ModelProto Before() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::OperatorSetIdProto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  AddNode(graph.add_node(), "F", "call");
  graph.mutable_node(0)->set_domain("d");
  AddNode(graph.add_node(), "If", "if");
  onnx::AttributeProto* branch = graph.mutable_node(1)->add_attribute();
  branch->set_name("then_branch");
  branch->set_type(onnx::AttributeProto::GRAPH);
  AddNode(branch->mutable_g()->add_node(), "Neg", "neg");
  onnx::TensorProto* inner = branch->mutable_g()->add_initializer();
  inner->set_name("inner");
  inner->set_raw_data(std::string(300, 'i'));
  graph.set_name("g");
  onnx::TensorProto* weight = graph.add_initializer();
  weight->add_dims(75);
  weight->set_data_type(onnx::TensorProto::FLOAT);
  weight->set_name("outer.weight");
  weight->set_raw_data(std::string(300, 'w'));
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("F");
  AddNode(function.add_node(), "Relu", "relu");
  AddNode(function.add_node(), "LeakyRelu", "leaky");
  onnx::AttributeProto* reference = function.mutable_node(1)->add_attribute();
  reference->set_name("alpha");
  reference->set_ref_attr_name("slope");
  function.mutable_node(1)->set_doc_string("old");
  function.set_domain("d");
  return model;
}

// Checks that `edit` does to the bytes what `change` does to the message.
void SameAsTwin(const std::function<void(Edits&, const Graph&)>& edit,
                const std::function<void(onnx::ModelProto&)>& change) {
  onnx::ModelProto model = Before();
  const std::string before = model.SerializeAsString();
  const Scanned scanned = Value(Scan(before));
  Edits edits;
  edit(edits, scanned.model.graph);
  const EditList& list = EditsAccess::List(edits);
  const std::string ours = testing::Spliced(
      before,
      Splices(scanned.model, list.docs, Value(EditChanges(scanned.image, scanned.model).Of(list))));
  change(model);
  CHECK((ours == model.SerializeAsString()));
}

TEST_CASE("a function's nodes become the graph's, with their edits") {
  const std::string long_text(200, 't');
  onnx::AttributeProto alpha;
  alpha.set_name("alpha");
  alpha.set_f(0.5F);
  SameAsTwin(
      [&](Edits& edits, const Graph& graph) {
        edits.LeaveOut(NodeNamed(graph, "call"));
        edits.LeaveOut(NodeNamed(graph, "if"));
        edits.Move(NodeNamed(graph, "leaky"), graph.main_block());
        edits.Move(NodeNamed(graph, "relu"), graph.main_block());
        edits.LeaveOut(FunctionNamed(graph, "F"));
        edits.SetDocString(NodeNamed(graph, "relu"), "new");
        edits.SetDocString(NodeNamed(graph, "leaky"), long_text);
        edits.SetAttribute(NodeNamed(graph, "leaky"), "alpha", alpha.SerializeAsString());
      },
      [&](onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        graph.clear_node();
        *graph.add_node() = model.functions(0).node(1);
        *graph.add_node() = model.functions(0).node(0);
        graph.mutable_node(0)->set_doc_string(long_text);
        *graph.mutable_node(0)->mutable_attribute(0) = alpha;
        graph.mutable_node(1)->set_doc_string("new");
        model.clear_functions();
      });
}

TEST_CASE("what stays loses what is moved out of it") {
  SameAsTwin(
      [](Edits& edits, const Graph& graph) {
        edits.Move(NodeNamed(graph, "relu"), graph.main_block());
        edits.RemoveAttribute(NodeNamed(graph, "leaky"), "alpha");
      },
      [](onnx::ModelProto& model) {
        *model.mutable_graph()->add_node() = model.functions(0).node(0);
        model.mutable_functions(0)->mutable_node()->DeleteSubrange(0, 1);
        model.mutable_functions(0)->mutable_node(0)->clear_attribute();
      });
}

TEST_CASE("an If goes with what is inside of it; an initializer out of a branch that goes") {
  SameAsTwin(
      [](Edits& edits, const Graph& graph) {
        edits.SetDocString(NodeNamed(graph, "neg"), "deep");
        edits.Move(NodeNamed(graph, "if"), graph.main_block());
        edits.Move(NodeNamed(graph, "call"), graph.main_block());
      },
      [](onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        graph.mutable_node(1)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_doc_string(
            "deep");
        graph.mutable_node()->SwapElements(0, 1);
      });
  SameAsTwin(
      [](Edits& edits, const Graph& graph) {
        edits.LeaveOut(NodeNamed(graph, "if"));
        edits.Move(NodeNamed(graph, "neg"), graph.main_block());
        edits.Move(TensorNamed(graph, "inner"), graph.main_block());
      },
      [](onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        const onnx::GraphProto branch = graph.node(1).attribute(0).g();
        *graph.mutable_node(1) = branch.node(0);
        *graph.add_initializer() = branch.initializer(0);
      });
}

TEST_CASE("what stands behind a node that is left out keeps what is inside of it") {
  SameAsTwin(
      [](Edits& edits, const Graph& graph) {
        edits.LeaveOut(NodeNamed(graph, "call"));
        edits.Move(NodeNamed(graph, "relu"), graph.main_block());
        edits.SetDocString(NodeNamed(graph, "neg"), "deep");
      },
      [](onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        graph.mutable_node()->DeleteSubrange(0, 1);
        *graph.add_node() = model.functions(0).node(0);
        graph.mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_doc_string(
            "deep");
        model.mutable_functions(0)->mutable_node()->DeleteSubrange(0, 1);
      });
}

TEST_CASE("an initializer's name, a value_info, another opset") {
  const std::string name(150, 'n');
  onnx::ValueInfoProto info;
  info.set_name("v");
  SameAsTwin(
      [&](Edits& edits, const Graph& graph) {
        edits.SetName(TensorNamed(graph, "outer.weight"), name);
        edits.AddValueInfo(graph.main_block(), info.SerializeAsString());
        edits.SetOpset("ai.onnx", 16);
        edits.SetOpset("d", 1);
      },
      [&](onnx::ModelProto& model) {
        model.mutable_graph()->mutable_initializer(0)->set_name(name);
        *model.mutable_graph()->add_value_info() = info;
        model.mutable_opset_import(0)->set_domain("ai.onnx");
        model.mutable_opset_import(0)->set_version(16);
        model.add_opset_import()->set_domain("d");
        model.mutable_opset_import(1)->set_version(1);
      });
}

TEST_CASE("moves that do not fit") {
  const auto error = [](const std::function<void(Edits&, const Graph&)>& edit) {
    const std::string before = Before().SerializeAsString();
    const Scanned scanned = Value(Scan(before));
    Edits edits;
    edit(edits, scanned.model.graph);
    return EditChanges(scanned.image, scanned.model).Of(EditsAccess::List(edits)).status();
  };
  const auto says = [&](const char* text, const std::function<void(Edits&, const Graph&)>& edit) {
    CHECK_ERROR(error(edit), kInvalidArgument, text);
  };
  says("is moved twice", [](Edits& edits, const Graph& graph) {
    edits.Move(NodeNamed(graph, "relu"), graph.main_block());
    edits.Move(NodeNamed(graph, "relu"), graph.main_block());
  });
  says("is left out and edited", [](Edits& edits, const Graph& graph) {
    edits.Move(NodeNamed(graph, "relu"), graph.main_block());
    edits.LeaveOut(NodeNamed(graph, "relu"));
  });
  says("which is no graph", [](Edits& edits, const Graph& graph) {
    edits.Move(NodeNamed(graph, "call"), FunctionNamed(graph, "F"));
  });
  says("which is moved itself", [](Edits& edits, const Graph& graph) {
    edits.Move(NodeNamed(graph, "if"), graph.main_block());
    edits.Move(NodeNamed(graph, "neg"), graph.main_block());
  });
  says("the attribute 'alpha'", [](Edits& edits, const Graph& graph) {
    edits.RemoveAttribute(NodeNamed(graph, "leaky"), "alpha");
    edits.RemoveAttribute(NodeNamed(graph, "leaky"), "alpha");
  });
  says("the name of the initializer", [](Edits& edits, const Graph& graph) {
    edits.SetName(TensorNamed(graph, "outer.weight"), "a");
    edits.LeaveOut(TensorNamed(graph, "outer.weight"));
  });
}

}  // namespace
}  // namespace onnx_hier
