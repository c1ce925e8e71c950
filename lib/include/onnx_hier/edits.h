// SPDX-License-Identifier: Apache-2.0

// Changes of a model, gathered before it is written (write.h).
//
//   Edits edits;
//   edits.SetName(node, "/encoder/Add");
//   edits.LeaveOut(other);
//   edits.PutInBefore(node, node_proto);      // bytes of a NodeProto
//   absl::Status status = Write(model, edits, Destination::File("edited.onnx"));
//
// Whatever is not edited stays as it is, byte for byte; nothing is renamed, sorted or checked
// against the operators' rules. New messages are protobuf bytes and are taken as they are; a new
// field goes where a serializer would put it. Texts are copied.
//
// Edits must fit the model and each other: an id of another model, a node that is left out and has
// its name set, a key that is set twice are errors when the model is written (kInvalidArgument,
// which says what it is about), and nothing is written.
#ifndef ONNX_HIER_EDITS_H_
#define ONNX_HIER_EDITS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct EditList;

// A text of a node as edits make it.
struct NodeText {
  NodeId node;
  bool is_name = false;  // its name, or else its doc_string
  bool present = true;   // false: it is removed
  absl::string_view text;
};

class Edits {
 public:
  Edits();
  Edits(Edits&&) noexcept;
  Edits& operator=(Edits&&) noexcept;
  ~Edits();

  // What these edits make of doc_strings and names, in the order of the calls, for who holds the
  // model in another form than bytes. Views live as long as this.
  std::vector<NodeText> NodeTexts() const;

  // --- Nodes, of whatever graph or function.

  void SetDocString(NodeId node, absl::string_view text);
  void RemoveDocString(NodeId node);
  void SetName(NodeId node, absl::string_view name);
  void RemoveName(NodeId node);
  // An entry of the node's metadata_props (IR 10); one with this key gives way.
  void SetMetadata(NodeId node, absl::string_view key, absl::string_view value);
  void RemoveMetadata(NodeId node, absl::string_view key);
  // With the graphs inside it, of which nothing may be edited then.
  void LeaveOut(NodeId node);
  // In front of `node`, which may be left out; several in the order of the calls.
  void PutInBefore(NodeId node, absl::string_view node_proto);
  void PutInAtEnd(BlockId block, absl::string_view node_proto);
  // Out of its graph or function, which may be left out, to the end of the graph `to`: with what is
  // inside of it and all edits of that. Several in the order of the calls.
  void Move(NodeId node, BlockId to);
  // In place of the attribute of this name, or as one more. Not of one that holds graphs.
  void SetAttribute(NodeId node, absl::string_view name, absl::string_view attribute_proto);
  void RemoveAttribute(NodeId node, absl::string_view name);

  // --- What graphs and functions declare.

  // Dense or sparse.
  void LeaveOut(TensorId initializer);
  // Dense ones. What reads it is not renamed.
  void SetName(TensorId initializer, absl::string_view name);
  // As Move() of a node.
  void Move(TensorId initializer, BlockId to);
  // All entries of this name.
  void LeaveOutValueInfo(BlockId block, absl::string_view name);
  void AddValueInfo(BlockId block, absl::string_view value_info_proto);
  // What a graph's quantization_annotation says of this value.
  void LeaveOutQuantization(BlockId block, absl::string_view name);
  // `index` counts as Graph::inputs(block) does; `value` is a ValueInfoProto, for functions a name.
  void SetInput(BlockId block, size_t index, absl::string_view value);
  void LeaveOutInput(BlockId block, size_t index);
  void AddInput(BlockId block, absl::string_view value);
  void SetOutput(BlockId block, size_t index, absl::string_view value);
  void LeaveOutOutput(BlockId block, size_t index);
  void AddOutput(BlockId block, absl::string_view value);

  // --- The model itself.

  // An entry of its metadata_props.
  void SetMetadata(absl::string_view key, absl::string_view value);
  void RemoveMetadata(absl::string_view key);
  void AddFunction(absl::string_view function_proto);
  void LeaveOut(BlockId function);
  // All of the model's training_info, with its graphs.
  void LeaveOutTraining();
  // Nothing changes where the model has that version already; another one is an error.
  void ImportOpset(absl::string_view domain, int64_t version);
  void LeaveOutOpset(absl::string_view domain);
  // The same, but this version takes the place of another one.
  void SetOpset(absl::string_view domain, int64_t version);
  // To at least this.
  void RaiseIrVersion(int64_t version);
  // To this, be it lower.
  void SetIrVersion(int64_t version);

 private:
  friend struct EditsAccess;  // for those in this library who make and read them
  std::unique_ptr<EditList> list_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_EDITS_H_
