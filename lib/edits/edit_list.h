// SPDX-License-Identifier: Apache-2.0

// What an Edits holds. All views point into `texts`.
#ifndef ONNX_HIER_LIB_EDITS_EDIT_LIST_H_
#define ONNX_HIER_LIB_EDITS_EDIT_LIST_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/kept_texts.h"
#include "lib/edits/splices.h"
#include "onnx_hier/edits.h"

namespace onnx_hier {

struct NameEdit {
  NodeId node;
  bool present = true;
  absl::string_view name;
};

// Nodes whose ids follow each other: what is left out mostly lies side by side, and of a large
// model every part leaves out nearly all.
struct NodeRun {
  NodeId first;
  size_t count = 0;

  bool EndsBefore(NodeId node) const { return uint64_t{first.index()} + count == node.index(); }
};

struct MetadataEdit {
  bool of_model = false;
  NodeId node;  // or else of this
  absl::string_view key;
  bool present = true;
  absl::string_view entry;  // a StringStringEntryProto
};

// All metadata of a node that has none, and nothing that stands behind it: whole fields.
struct FirstMetadata {
  NodeId node;
  absl::string_view fields;
};

struct NewNode {
  bool at_end = false;
  BlockId block;  // at the end of it
  NodeId before;  // or else in front of this
  absl::string_view node;
};

// A node or an initializer that goes to another graph.
struct MoveEdit {
  NodeId node;
  TensorId initializer;  // or else this
  BlockId to;
};

struct AttributeEdit {
  NodeId node;
  absl::string_view name;
  bool present = true;
  absl::string_view attribute;
};

struct InitializerName {
  TensorId initializer;
  absl::string_view name;
};

struct NewValueInfo {
  BlockId block;
  absl::string_view value_info;
};

struct ValueInfoEdit {
  BlockId block;
  absl::string_view name;
  bool of_quantization = false;  // an annotation of that, or else a value_info
};

// An input or output of a graph or function.
struct InterfaceEdit {
  static constexpr size_t kNew = std::numeric_limits<size_t>::max();

  BlockId block;
  bool is_output = false;
  size_t index = kNew;
  bool present = true;
  absl::string_view value;
};

struct OpsetEdit {
  absl::string_view domain;
  int64_t version = 0;
  absl::string_view opset;  // an OperatorSetIdProto
  bool replaces = false;    // another version
};

// Of the main graph and of functions, all else goes, and training: so a small part of a large model
// is told by what it holds. Nothing that goes is edited.
struct KeptOnly {
  struct Value {
    absl::string_view name;
    bool is_new =
        false;  // an input or output that the model does not have: no value_info speaks of it
  };

  std::vector<NodeId> nodes;  // of the main graph
  std::vector<TensorId> initializers;
  std::vector<BlockId> functions;
  std::vector<size_t> inputs;  // by their places
  std::vector<size_t> outputs;
  std::vector<Value> values;  // what describes them stays
};

struct EditList {
  std::optional<KeptOnly> kept;
  std::vector<DocEdit> docs;
  std::vector<NameEdit> names;
  std::vector<MetadataEdit> metadata;
  std::vector<FirstMetadata> first_metadata;  // in the order of the nodes
  std::vector<NodeRun> left_out_nodes;
  std::vector<NewNode> new_nodes;
  std::vector<MoveEdit> moves;
  std::vector<AttributeEdit> attributes;
  std::vector<TensorId> left_out_initializers;
  std::vector<InitializerName> initializer_names;
  std::vector<ValueInfoEdit> left_out_value_infos;
  std::vector<NewValueInfo> new_value_infos;
  std::vector<InterfaceEdit> interface;
  std::vector<absl::string_view> new_functions;
  std::vector<BlockId> left_out_functions;
  bool leaves_out_training = false;
  std::vector<OpsetEdit> opsets;
  std::vector<absl::string_view> left_out_opsets;  // domains
  int64_t ir_version = 0;                          // 0: stays
  bool only_raises_ir_version = true;
  absl::string_view ir_version_field;  // tag and number
  KeptTexts texts;

  bool only_docs() const { return first_metadata.empty() && only_of_known_places(); }
  // Whether all of it goes where the scan says, so that no field needs to be looked for.
  bool only_of_known_places() const {
    return !kept.has_value() && names.empty() && metadata.empty() && left_out_nodes.empty() &&
           new_nodes.empty() && moves.empty() && attributes.empty() &&
           left_out_initializers.empty() && initializer_names.empty() &&
           left_out_value_infos.empty() && new_value_infos.empty() && interface.empty() &&
           new_functions.empty() && left_out_functions.empty() && !leaves_out_training &&
           opsets.empty() && left_out_opsets.empty() && ir_version == 0;
  }
};

struct EditsAccess {
  static EditList& List(Edits& edits) { return *edits.list_; }
  static const EditList& List(const Edits& edits) { return *edits.list_; }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_EDIT_LIST_H_
