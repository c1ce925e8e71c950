// SPDX-License-Identifier: Apache-2.0

// Edits of a model, made twice: by us between the bytes of the file, and by protobuf, which reads
// the model, changes its messages and writes them.
//
//   TwinEdits twin(bytes);
//   twin.LeaveOut(NodeId(3));
//   CHECK(twin.Ours() == twin.Theirs());       // of a file as protobuf writes it
#ifndef ONNX_HIER_TESTS_EDITS_TWIN_EDITS_H_
#define ONNX_HIER_TESTS_EDITS_TWIN_EDITS_H_

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "onnx_hier/edits.h"
#include "tests/onnx/model_text.h"

namespace onnx_hier::testing {

class TwinEdits {
 public:
  explicit TwinEdits(const std::string& bytes);

  const Graph& graph() const { return scanned_.model.graph; }

  // Each as in Edits.
  void SetDocString(NodeId node, const std::string& text);
  void RemoveDocString(NodeId node);
  void SetName(NodeId node, const std::string& name);
  void RemoveName(NodeId node);
  void SetMetadata(NodeId node, const std::string& key, const std::string& value);
  void RemoveMetadata(NodeId node, const std::string& key);
  void LeaveOut(NodeId node);
  void PutInBefore(NodeId node, const std::string& node_proto);
  void PutInAtEnd(BlockId block, const std::string& node_proto);
  void LeaveOut(TensorId initializer);  // its name is its own
  void LeaveOutValueInfo(BlockId graph, const std::string& name);
  void LeaveOutQuantization(BlockId graph, const std::string& name);
  void SetInput(BlockId block, size_t index, const std::string& value);
  void LeaveOutInput(BlockId block, size_t index);
  void AddInput(BlockId block, const std::string& value);
  void SetOutput(BlockId block, size_t index, const std::string& value);
  void LeaveOutOutput(BlockId block, size_t index);
  void AddOutput(BlockId block, const std::string& value);
  void SetMetadata(const std::string& key, const std::string& value);
  void RemoveMetadata(const std::string& key);
  void AddFunction(const std::string& function_proto);
  void LeaveOut(BlockId function);
  void LeaveOutTraining();
  void ImportOpset(const std::string& domain, int64_t version);
  void RaiseIrVersion(int64_t version);

  std::string Ours() const;
  // To be called once.
  std::string Theirs();

 private:
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  // What becomes of the elements of a list: by index.
  struct ListEdits {
    std::map<size_t, std::string> set;  // "" takes it away
    std::vector<std::string> added;
  };
  struct NodeListEdits {
    std::map<size_t, std::vector<std::string>> before;
    std::map<size_t, bool> left_out;
    std::vector<std::string> at_end;
  };
  struct BlockTwin {
    onnx::GraphProto* graph = nullptr;
    onnx::FunctionProto* function = nullptr;
    NodeListEdits nodes;
    ListEdits inputs, outputs;

    Nodes* mutable_nodes() const {
      return graph != nullptr ? graph->mutable_node() : function->mutable_node();
    }
  };

  void FindTwins();
  void FindTwins(BlockId block);
  static void EditNodes(const NodeListEdits& edits, Nodes* nodes);
  template <class List>
  static void ChangeList(const ListEdits& edits, List* list);

  const std::string bytes_;
  const Scanned scanned_;
  onnx::ModelProto proto_;
  Edits edits_;
  std::vector<onnx::NodeProto*> nodes_;  // by NodeId
  std::vector<BlockTwin> blocks_;        // by BlockId
  std::vector<std::string> new_functions_;
  std::map<size_t, bool> left_out_functions_;
  bool leaves_out_training_ = false;
};

// What protobuf reads in the bytes, written in one form: unknown fields in the order of their
// numbers, which is not part of their meaning.
std::string Canonical(const std::string& bytes);

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_EDITS_TWIN_EDITS_H_
