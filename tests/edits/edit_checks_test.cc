// SPDX-License-Identifier: Apache-2.0

// Edits that do not fit the model or each other.

#include <string>

#include "lib/edits/edit_changes.h"
#include "tests/edits/whole_model.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

using testing::FunctionNamed;
using testing::NodeNamed;
using testing::Scan;
using testing::Scanned;
using testing::TensorNamed;
using testing::Value;
using testing::Whole;

template <class Edit>
absl::Status StatusOfEdit(const Edit& edit) {
  const Scanned scanned = Value(Scan(Whole()));
  Edits edits;
  edit(edits, scanned.model.graph);
  return EditChanges(scanned.image, scanned.model).Of(EditsAccess::List(edits)).status();
}

#define CHECK_REFUSED(edit, message)                                                              \
  CHECK_ERROR(StatusOfEdit([]([[maybe_unused]] Edits & e, [[maybe_unused]] const Graph& g) edit), \
              kInvalidArgument, message)

TEST_CASE("edits that do not fit the model") {
  CHECK_REFUSED({ e.SetDocString(NodeId(99), ""); }, "no node number 99");
  CHECK_REFUSED({ e.SetDocString(NodeId(), ""); }, "no node number");
  CHECK_REFUSED({ e.SetName(NodeId(99), ""); }, "no node number 99");
  CHECK_REFUSED({ e.SetMetadata(NodeId(), "k", "v"); }, "no node number");
  CHECK_REFUSED({ e.LeaveOut(NodeId(99)); }, "no node number 99");
  CHECK_REFUSED({ e.PutInBefore(NodeId(99), ""); }, "no node number 99");
  CHECK_REFUSED({ e.PutInAtEnd(BlockId(99), ""); }, "no graph number 99");
  CHECK_REFUSED({ e.LeaveOut(TensorId(99)); }, "no initializer number 99");
  CHECK_REFUSED({ e.LeaveOutValueInfo(BlockId(99), ""); }, "no graph number 99");
  CHECK_REFUSED({ e.SetInput(BlockId(0), 2, ""); }, "no input 2 of the main graph");
  CHECK_REFUSED({ e.LeaveOutOutput(BlockId(0), 1); }, "no output 1 of the main graph");
  CHECK_REFUSED({ e.LeaveOut(BlockId(99)); }, "no graph number 99");
  CHECK_REFUSED({ e.LeaveOut(BlockId(0)); }, "the main graph is to be left out");
  CHECK_REFUSED({ e.ImportOpset("ai.onnx", 18); }, "version 18 of the operators 'ai.onnx'");
}

TEST_CASE("edits that do not fit each other") {
  CHECK_REFUSED(
      {
        e.LeaveOut(NodeId(0));
        e.LeaveOut(NodeId(0));
      },
      "node 0 'mul' is left out twice");
  CHECK_REFUSED(
      {
        e.LeaveOut(NodeId(0));
        e.SetDocString(NodeId(0), "");
      },
      "node 0 'mul' is left out and edited");
  CHECK_REFUSED(
      {
        e.SetName(NodeNamed(g, "neg"), "");
        e.LeaveOut(NodeNamed(g, "if"));
      },
      "graph 'then_branch' of node 1 'if' is left out and edited");
  CHECK_REFUSED(
      {
        e.LeaveOut(NodeNamed(g, "neg"));
        e.LeaveOut(NodeNamed(g, "if"));
      },
      "graph 'then_branch' of node 1 'if' is left out and edited");
  CHECK_REFUSED(
      {
        e.LeaveOut(TensorNamed(g, "v"));
        e.LeaveOut(NodeNamed(g, "if"));
      },
      "graph 'then_branch' of node 1 'if'");
  CHECK_REFUSED(
      {
        e.LeaveOut(FunctionNamed(g, "F"));
        e.SetName(NodeNamed(g, "exp"), "");
      },
      "function 'F' is left out and edited");
  CHECK_REFUSED(
      {
        e.LeaveOut(FunctionNamed(g, "F"));
        e.PutInAtEnd(FunctionNamed(g, "F"), "");
      },
      "function 'F' is left out and edited");
  CHECK_REFUSED(
      {
        e.LeaveOut(FunctionNamed(g, "F"));
        e.LeaveOut(FunctionNamed(g, "F"));
      },
      "function 'F' is left out twice");
  CHECK_REFUSED(
      {
        e.LeaveOutTraining();
        for (NodeId id : g.node_ids()) {
          if (g.op(id).type == "Sub") e.SetName(id, "");
        }
      },
      "is left out and edited");
  CHECK_REFUSED(
      {
        e.SetDocString(NodeId(0), "");
        e.RemoveDocString(NodeId(0));
      },
      "doc_string of node 0 'mul' is set twice");
  CHECK_REFUSED(
      {
        e.SetName(NodeId(0), "");
        e.SetName(NodeId(0), "");
      },
      "name of node 0 'mul' is set twice");
  CHECK_REFUSED(
      {
        e.SetMetadata(NodeId(0), "k", "");
        e.RemoveMetadata(NodeId(0), "k");
      },
      "metadata 'k' of node 0 'mul' is set twice");
  CHECK_REFUSED(
      {
        e.SetMetadata("k", "");
        e.SetMetadata("k", "");
      },
      "metadata 'k' of the model is set twice");
  CHECK_REFUSED(
      {
        EditsAccess::List(e).first_metadata.push_back({NodeId(0), ""});
      },
      "metadata of node 0 'mul' is not the first");
  CHECK_REFUSED(
      {
        EditsAccess::List(e).first_metadata.push_back({NodeNamed(g, "if"), ""});
        EditsAccess::List(e).first_metadata.push_back({NodeNamed(g, "if"), ""});
      },
      "node 1 'if' gets metadata twice");
  CHECK_REFUSED(
      {
        e.LeaveOut(TensorId(0));
        e.LeaveOut(TensorId(0));
      },
      "is left out twice");
  CHECK_REFUSED(
      {
        e.SetInput(BlockId(0), 0, "");
        e.LeaveOutInput(BlockId(0), 0);
      },
      "input 0 of the main graph is edited twice");
  CHECK_REFUSED(
      {
        e.ImportOpset("d", 1);
        e.ImportOpset("d", 2);
      },
      "and so is 1");
}

TEST_CASE("edits that fit each other, in any order") {
  CHECK_OK(StatusOfEdit([](Edits& e, const Graph& g) {
    e.SetDocString(NodeId(3), "b");
    e.SetDocString(NodeId(0), "a");
    e.SetMetadata("k", "1");
    e.SetMetadata(NodeId(0), "k", "1");
    e.SetMetadata(NodeId(1), "k", "1");
    e.LeaveOut(NodeNamed(g, "exp"));
    e.PutInBefore(NodeNamed(g, "exp"), "");
    e.ImportOpset("d", 1);
    e.ImportOpset("d", 1);
  }));
}

#undef CHECK_REFUSED

}  // namespace
}  // namespace onnx_hier
