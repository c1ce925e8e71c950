// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/edits.h"

#include "lib/edits/edit_list.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

absl::string_view Keep(absl::string_view text, EditList& list) { return list.texts.Add(text); }

void PutEntry(MetadataEdit edit, absl::string_view key, absl::string_view value, EditList& list) {
  std::string entry;
  AppendField(schema::string_entry::kKey, key, &entry);
  AppendField(schema::string_entry::kValue, value, &entry);
  edit.key = Keep(key, list);
  edit.entry = Keep(entry, list);
  list.metadata.push_back(edit);
}

void PutOpset(absl::string_view domain, int64_t version, bool replaces, EditList& list) {
  std::string opset;
  AppendField(schema::opset::kDomain, domain, &opset);
  AppendNumber(schema::opset::kVersion, version, &opset);
  list.opsets.push_back({Keep(domain, list), version, Keep(opset, list), replaces});
}

void PutInterface(InterfaceEdit edit, absl::string_view value, EditList& list) {
  edit.value = Keep(value, list);
  list.interface.push_back(edit);
}

}  // namespace

Edits::Edits() : list_(std::make_unique<EditList>()) {}
Edits::Edits(Edits&&) noexcept = default;
Edits& Edits::operator=(Edits&&) noexcept = default;
Edits::~Edits() = default;

std::vector<NodeText> Edits::NodeTexts() const {
  std::vector<NodeText> texts;
  texts.reserve(list_->docs.size() + list_->names.size());
  for (const DocEdit& edit : list_->docs) {
    texts.push_back({edit.node, /*is_name=*/false, edit.present, edit.text});
  }
  for (const NameEdit& edit : list_->names) {
    texts.push_back({edit.node, /*is_name=*/true, edit.present, edit.name});
  }
  return texts;
}

void Edits::SetDocString(NodeId node, absl::string_view text) {
  list_->docs.push_back({node, true, Keep(text, *list_)});
}
void Edits::RemoveDocString(NodeId node) { list_->docs.push_back({node, false, ""}); }

void Edits::SetName(NodeId node, absl::string_view name) {
  list_->names.push_back({node, true, Keep(name, *list_)});
}
void Edits::RemoveName(NodeId node) { list_->names.push_back({node, false, ""}); }

void Edits::SetMetadata(NodeId node, absl::string_view key, absl::string_view value) {
  PutEntry({.node = node}, key, value, *list_);
}
void Edits::RemoveMetadata(NodeId node, absl::string_view key) {
  list_->metadata.push_back({.node = node, .key = Keep(key, *list_), .present = false});
}

void Edits::LeaveOut(NodeId node) {
  std::vector<NodeRun>& runs = list_->left_out_nodes;
  if (!runs.empty() && runs.back().EndsBefore(node)) {
    ++runs.back().count;
  } else {
    runs.push_back({node, 1});
  }
}
void Edits::PutInBefore(NodeId node, absl::string_view node_proto) {
  list_->new_nodes.push_back({.before = node, .node = Keep(node_proto, *list_)});
}
void Edits::PutInAtEnd(BlockId block, absl::string_view node_proto) {
  list_->new_nodes.push_back({.at_end = true, .block = block, .node = Keep(node_proto, *list_)});
}

void Edits::Move(NodeId node, BlockId to) { list_->moves.push_back({.node = node, .to = to}); }
void Edits::SetAttribute(NodeId node, absl::string_view name, absl::string_view attribute_proto) {
  list_->attributes.push_back(
      {.node = node, .name = Keep(name, *list_), .attribute = Keep(attribute_proto, *list_)});
}
void Edits::RemoveAttribute(NodeId node, absl::string_view name) {
  list_->attributes.push_back({.node = node, .name = Keep(name, *list_), .present = false});
}

void Edits::LeaveOut(TensorId initializer) { list_->left_out_initializers.push_back(initializer); }
void Edits::SetName(TensorId initializer, absl::string_view name) {
  list_->initializer_names.push_back({initializer, Keep(name, *list_)});
}
void Edits::Move(TensorId initializer, BlockId to) {
  list_->moves.push_back({.initializer = initializer, .to = to});
}
void Edits::AddValueInfo(BlockId block, absl::string_view value_info_proto) {
  list_->new_value_infos.push_back({block, Keep(value_info_proto, *list_)});
}
void Edits::LeaveOutValueInfo(BlockId block, absl::string_view name) {
  list_->left_out_value_infos.push_back({block, Keep(name, *list_)});
}
void Edits::LeaveOutQuantization(BlockId block, absl::string_view name) {
  list_->left_out_value_infos.push_back({block, Keep(name, *list_), /*of_quantization=*/true});
}

void Edits::SetInput(BlockId block, size_t index, absl::string_view value) {
  PutInterface({.block = block, .index = index}, value, *list_);
}
void Edits::LeaveOutInput(BlockId block, size_t index) {
  list_->interface.push_back({.block = block, .index = index, .present = false});
}
void Edits::AddInput(BlockId block, absl::string_view value) {
  PutInterface({.block = block}, value, *list_);
}
void Edits::SetOutput(BlockId block, size_t index, absl::string_view value) {
  PutInterface({.block = block, .is_output = true, .index = index}, value, *list_);
}
void Edits::LeaveOutOutput(BlockId block, size_t index) {
  list_->interface.push_back({.block = block, .is_output = true, .index = index, .present = false});
}
void Edits::AddOutput(BlockId block, absl::string_view value) {
  PutInterface({.block = block, .is_output = true}, value, *list_);
}

void Edits::SetMetadata(absl::string_view key, absl::string_view value) {
  PutEntry({.of_model = true}, key, value, *list_);
}
void Edits::RemoveMetadata(absl::string_view key) {
  list_->metadata.push_back({.of_model = true, .key = Keep(key, *list_), .present = false});
}

void Edits::AddFunction(absl::string_view function_proto) {
  list_->new_functions.push_back(Keep(function_proto, *list_));
}
void Edits::LeaveOut(BlockId function) { list_->left_out_functions.push_back(function); }

void Edits::LeaveOutTraining() { list_->leaves_out_training = true; }

void Edits::ImportOpset(absl::string_view domain, int64_t version) {
  PutOpset(domain, version, /*replaces=*/false, *list_);
}
void Edits::SetOpset(absl::string_view domain, int64_t version) {
  PutOpset(domain, version, /*replaces=*/true, *list_);
}

void Edits::LeaveOutOpset(absl::string_view domain) {
  list_->left_out_opsets.push_back(Keep(domain, *list_));
}

void Edits::RaiseIrVersion(int64_t version) {
  if (version > list_->ir_version) SetIrVersion(version);
  list_->only_raises_ir_version = true;
}

void Edits::SetIrVersion(int64_t version) {
  list_->only_raises_ir_version = false;
  std::string field;
  AppendNumber(schema::model::kIrVersion, version, &field);
  list_->ir_version = version;
  list_->ir_version_field = Keep(field, *list_);
}

}  // namespace onnx_hier
