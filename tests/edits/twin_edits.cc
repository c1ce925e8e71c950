// SPDX-License-Identifier: Apache-2.0
#include "tests/edits/twin_edits.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <utility>

#include "lib/edits/edit_changes.h"
#include "tests/edits/splices.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier::testing {
namespace {

using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// NodeProto.metadata_props, which the installed onnx does not know.
constexpr int kNodeMetadata = 9;

std::string Entry(const std::string& key, const std::string& value) {
  return wire::Bytes(1, key) + wire::Bytes(2, value);
}

bool HasKey(const std::string& entry, const std::string& key) {
  onnx::StringStringEntryProto proto;
  return proto.ParseFromString(entry) && proto.key() == key;
}

UnknownFieldSet* UnknownOf(Message* message) {
  return message->GetReflection()->MutableUnknownFields(message);
}

// Where the last entry with the key is, the value goes; the others go away. Without a value it goes
// too.
void SetNodeMetadata(onnx::NodeProto* node, const std::string& key, const std::string* value) {
  UnknownFieldSet* const fields = UnknownOf(node);
  const auto matches = [&](const UnknownField& field) {
    return field.number() == kNodeMetadata && field.type() == UnknownField::TYPE_LENGTH_DELIMITED &&
           HasKey(field.length_delimited(), key);
  };
  int last = -1;
  for (int i = 0; i < fields->field_count(); ++i) {
    if (matches(fields->field(i))) last = i;
  }
  UnknownFieldSet edited;
  for (int i = 0; i < fields->field_count(); ++i) {
    if (i == last && value != nullptr) {
      edited.AddLengthDelimited(kNodeMetadata, Entry(key, *value));
    } else if (!matches(fields->field(i))) {
      edited.AddField(fields->field(i));
    }
  }
  if (last < 0 && value != nullptr) edited.AddLengthDelimited(kNodeMetadata, Entry(key, *value));
  fields->Swap(&edited);
}

void SortUnknown(Message* message) {
  UnknownFieldSet* const fields = UnknownOf(message);
  std::vector<const UnknownField*> order;
  for (int i = 0; i < fields->field_count(); ++i) order.push_back(&fields->field(i));
  std::stable_sort(order.begin(), order.end(), [](const UnknownField* a, const UnknownField* b) {
    return a->number() < b->number();
  });
  UnknownFieldSet sorted;
  for (const UnknownField* field : order) sorted.AddField(*field);
  fields->Swap(&sorted);

  const auto* reflection = message->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> known;
  reflection->ListFields(*message, &known);
  for (const auto* field : known) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      SortUnknown(reflection->MutableMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      SortUnknown(reflection->MutableRepeatedMessage(message, field, i));
    }
  }
}

template <class Element>
void Parse(const std::string& bytes, Element* element) {
  REQUIRE(element->ParseFromString(bytes));
}
void Parse(const std::string& bytes, std::string* element) { *element = bytes; }

// Takes away elements of a list of which a test says so.
template <class List, class Test>
void RemoveIf(List* list, const Test& test) {
  for (int i = list->size(); i-- > 0;) {
    if (test(list->Get(i))) list->DeleteSubrange(i, 1);
  }
}

}  // namespace

std::string Canonical(const std::string& bytes) {
  onnx::ModelProto model = ParseModel(bytes);
  SortUnknown(&model);
  return model.SerializeAsString();
}

TwinEdits::TwinEdits(const std::string& bytes)
    : bytes_(bytes), scanned_(Value(Scan(bytes))), proto_(ParseModel(bytes)) {
  nodes_.resize(graph().node_count());
  blocks_.resize(graph().block_count());
  FindTwins();
}

// Blocks of one kind are in the order in which protobuf has them.
void TwinEdits::FindTwins() {
  int function = 0;
  for (BlockId id : graph().block_ids()) {
    const Block& block = graph().block(id);
    BlockTwin& twin = blocks_[id.index()];
    switch (block.kind) {
      case BlockKind::kMain:
        twin.graph = proto_.mutable_graph();
        break;
      case BlockKind::kFunction:
        twin.function = proto_.mutable_functions(function++);
        break;
      case BlockKind::kTraining: {
        onnx::TrainingInfoProto* training = proto_.mutable_training_info(block.position);
        twin.graph = block.attribute == "algorithm" ? training->mutable_algorithm()
                                                    : training->mutable_initialization();
        break;
      }
      case BlockKind::kSubgraph:
        continue;  // found with the node that holds it
    }
    FindTwins(id);
  }
}

void TwinEdits::FindTwins(BlockId block) {
  Nodes* const nodes = blocks_[block.index()].mutable_nodes();
  REQUIRE(static_cast<size_t>(nodes->size()) == graph().nodes(block).size());
  for (NodeId node : graph().nodes(block)) {
    onnx::NodeProto* proto = nodes->Mutable(static_cast<int>(graph().node(node).index));
    nodes_[node.index()] = proto;
    size_t next = 0;
    const auto add = [&](onnx::GraphProto* inner) {
      const BlockId id = graph().blocks(node)[next++];
      blocks_[id.index()].graph = inner;
      FindTwins(id);
    };
    for (onnx::AttributeProto& attribute : *proto->mutable_attribute()) {
      if (attribute.has_g()) add(attribute.mutable_g());
      for (onnx::GraphProto& inner : *attribute.mutable_graphs()) add(&inner);
    }
  }
}

void TwinEdits::SetDocString(NodeId node, const std::string& text) {
  edits_.SetDocString(node, text);
  nodes_[node.index()]->set_doc_string(text);
}
void TwinEdits::RemoveDocString(NodeId node) {
  edits_.RemoveDocString(node);
  nodes_[node.index()]->clear_doc_string();
}
void TwinEdits::SetName(NodeId node, const std::string& name) {
  edits_.SetName(node, name);
  nodes_[node.index()]->set_name(name);
}
void TwinEdits::RemoveName(NodeId node) {
  edits_.RemoveName(node);
  nodes_[node.index()]->clear_name();
}
void TwinEdits::SetMetadata(NodeId node, const std::string& key, const std::string& value) {
  edits_.SetMetadata(node, key, value);
  SetNodeMetadata(nodes_[node.index()], key, &value);
}
void TwinEdits::RemoveMetadata(NodeId node, const std::string& key) {
  edits_.RemoveMetadata(node, key);
  SetNodeMetadata(nodes_[node.index()], key, nullptr);
}
void TwinEdits::LeaveOut(NodeId node) {
  edits_.LeaveOut(node);
  const Node& n = graph().node(node);
  blocks_[n.block.index()].nodes.left_out[n.index] = true;
}
void TwinEdits::PutInBefore(NodeId node, const std::string& node_proto) {
  edits_.PutInBefore(node, node_proto);
  const Node& n = graph().node(node);
  blocks_[n.block.index()].nodes.before[n.index].push_back(node_proto);
}
void TwinEdits::PutInAtEnd(BlockId block, const std::string& node_proto) {
  edits_.PutInAtEnd(block, node_proto);
  blocks_[block.index()].nodes.at_end.push_back(node_proto);
}

void TwinEdits::LeaveOut(TensorId initializer) {
  edits_.LeaveOut(initializer);
  const Tensor& tensor = graph().tensor(initializer);
  onnx::GraphProto* const block = blocks_[tensor.block.index()].graph;
  const std::string name(tensor.name);
  RemoveIf(block->mutable_initializer(), [&](const auto& dense) { return dense.name() == name; });
  RemoveIf(block->mutable_sparse_initializer(),
           [&](const auto& sparse) { return sparse.values().name() == name; });
}
void TwinEdits::LeaveOutValueInfo(BlockId block, const std::string& name) {
  edits_.LeaveOutValueInfo(block, name);
  RemoveIf(blocks_[block.index()].graph->mutable_value_info(),
           [&](const auto& value) { return value.name() == name; });
}
void TwinEdits::LeaveOutQuantization(BlockId block, const std::string& name) {
  edits_.LeaveOutQuantization(block, name);
  RemoveIf(blocks_[block.index()].graph->mutable_quantization_annotation(),
           [&](const auto& annotation) { return annotation.tensor_name() == name; });
}
void TwinEdits::SetInput(BlockId block, size_t index, const std::string& value) {
  edits_.SetInput(block, index, value);
  blocks_[block.index()].inputs.set[index] = value;
}
void TwinEdits::LeaveOutInput(BlockId block, size_t index) {
  edits_.LeaveOutInput(block, index);
  blocks_[block.index()].inputs.set[index] = "";
}
void TwinEdits::AddInput(BlockId block, const std::string& value) {
  edits_.AddInput(block, value);
  blocks_[block.index()].inputs.added.push_back(value);
}
void TwinEdits::SetOutput(BlockId block, size_t index, const std::string& value) {
  edits_.SetOutput(block, index, value);
  blocks_[block.index()].outputs.set[index] = value;
}
void TwinEdits::LeaveOutOutput(BlockId block, size_t index) {
  edits_.LeaveOutOutput(block, index);
  blocks_[block.index()].outputs.set[index] = "";
}
void TwinEdits::AddOutput(BlockId block, const std::string& value) {
  edits_.AddOutput(block, value);
  blocks_[block.index()].outputs.added.push_back(value);
}

void TwinEdits::SetMetadata(const std::string& key, const std::string& value) {
  edits_.SetMetadata(key, value);
  auto* const entries = proto_.mutable_metadata_props();
  int last = -1;
  for (int i = 0; i < entries->size(); ++i) {
    if (entries->Get(i).key() == key) last = i;
  }
  onnx::StringStringEntryProto* entry = last < 0 ? entries->Add() : entries->Mutable(last);
  Parse(Entry(key, value), entry);
  for (int i = last; i-- > 0;) {
    if (entries->Get(i).key() == key) entries->DeleteSubrange(i, 1);
  }
}
void TwinEdits::RemoveMetadata(const std::string& key) {
  edits_.RemoveMetadata(key);
  RemoveIf(proto_.mutable_metadata_props(), [&](const auto& entry) { return entry.key() == key; });
}
void TwinEdits::AddFunction(const std::string& function_proto) {
  edits_.AddFunction(function_proto);
  new_functions_.push_back(function_proto);
}
void TwinEdits::LeaveOut(BlockId function) {
  edits_.LeaveOut(function);
  for (int i = 0; i < proto_.functions_size(); ++i) {
    if (proto_.mutable_functions(i) == blocks_[function.index()].function) {
      left_out_functions_[static_cast<size_t>(i)] = true;
    }
  }
}
void TwinEdits::LeaveOutTraining() {
  edits_.LeaveOutTraining();
  leaves_out_training_ = true;
}
void TwinEdits::ImportOpset(const std::string& domain, int64_t version) {
  edits_.ImportOpset(domain, version);
  for (const auto& opset : proto_.opset_import()) {
    if (opset.domain() == domain) return;
  }
  onnx::OperatorSetIdProto* const opset = proto_.add_opset_import();
  opset->set_domain(domain);
  opset->set_version(version);
}
void TwinEdits::RaiseIrVersion(int64_t version) {
  edits_.RaiseIrVersion(version);
  proto_.set_ir_version(std::max<int64_t>(proto_.ir_version(), version));
}

std::string TwinEdits::Ours() const {
  const onnx_hier::EditList& list = EditsAccess::List(edits_);
  return Spliced(bytes_, Splices(scanned_.model, list.docs,
                                 Value(EditChanges(scanned_.image, scanned_.model).Of(list))));
}

void TwinEdits::EditNodes(const NodeListEdits& edits, Nodes* nodes) {
  std::vector<onnx::NodeProto*> old(static_cast<size_t>(nodes->size()));
  nodes->ExtractSubrange(0, nodes->size(), old.data());
  const auto add = [nodes](const std::string& bytes) { Parse(bytes, nodes->Add()); };
  for (size_t i = 0; i < old.size(); ++i) {
    if (const auto found = edits.before.find(i); found != edits.before.end()) {
      for (const std::string& bytes : found->second) add(bytes);
    }
    if (edits.left_out.count(i) > 0) {
      delete old[i];
    } else {
      nodes->AddAllocated(old[i]);
    }
  }
  for (const std::string& bytes : edits.at_end) add(bytes);
}

template <class List>
void TwinEdits::ChangeList(const ListEdits& edits, List* list) {
  for (auto edit = edits.set.rbegin(); edit != edits.set.rend(); ++edit) {
    const int index = static_cast<int>(edit->first);
    if (edit->second.empty()) {
      list->DeleteSubrange(index, 1);
    } else {
      Parse(edit->second, list->Mutable(index));
    }
  }
  for (const std::string& value : edits.added) Parse(value, list->Add());
}

std::string TwinEdits::Theirs() {
  // Inner blocks first: outer nodes may go.
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    EditNodes(block->nodes, block->mutable_nodes());
    if (block->graph != nullptr) {
      ChangeList(block->inputs, block->graph->mutable_input());
      ChangeList(block->outputs, block->graph->mutable_output());
    } else {
      ChangeList(block->inputs, block->function->mutable_input());
      ChangeList(block->outputs, block->function->mutable_output());
    }
  }
  for (auto gone = left_out_functions_.rbegin(); gone != left_out_functions_.rend(); ++gone) {
    proto_.mutable_functions()->DeleteSubrange(static_cast<int>(gone->first), 1);
  }
  for (const std::string& function : new_functions_) Parse(function, proto_.add_functions());
  if (leaves_out_training_) proto_.clear_training_info();
  return proto_.SerializeAsString();
}

}  // namespace onnx_hier::testing
