// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/plain_node.h"
#include "lib/onnx/scanning.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

// Graphs inside graphs. Exporters stay below ten; protobuf's own default stops at 33.
constexpr size_t kDeepestGraph = 1000;

}  // namespace

OpenMessage& Scanning::Open(MessageKind kind, const Field& field) {
  OpenMessage& message = stack_.emplace_back();
  message.kind = kind;
  message.extent = Frame(field);
  return message;
}

absl::Status Scanning::OpenGraph(const Field& field, BlockId block) {
  if (++graph_depth_ > kDeepestGraph) {
    return absl::ResourceExhaustedError(
        absl::StrCat("byte ", field.start, ": graphs nest more than ", kDeepestGraph, " deep"));
  }
  const uint32_t parent = stack_.back().frame;
  OpenMessage& message = Open(MessageKind::kGraph, field);
  message.block = block;
  message.frame = AddFrame(message.extent, parent);
  result_.block_frames.push_back({block, message.frame});
  return absl::OkStatus();
}

absl::Status Scanning::ModelField(const Field& field) {
  ModelInfo& info = builder_.info();
  if (field.IsVarint(schema::model::kIrVersion)) {
    info.ir_version = static_cast<int64_t>(field.value);
    has_version_ = true;
  } else if (field.IsVarint(schema::model::kModelVersion)) {
    info.model_version = static_cast<int64_t>(field.value);
  } else if (field.Is(schema::model::kProducerName)) {
    return ReadText(field, &info.producer_name);
  } else if (field.Is(schema::model::kProducerVersion)) {
    return ReadText(field, &info.producer_version);
  } else if (field.Is(schema::model::kDomain)) {
    return ReadText(field, &info.domain);
  } else if (field.Is(schema::model::kOpsetImport)) {
    info.opset_imports.emplace_back();
    return ReadOpset(reader_, field, &info.opset_imports.back());
  } else if (field.Is(schema::model::kMetadataProps)) {
    StringPair pair;
    OH_RETURN_IF_ERROR(ReadEntry(reader_, field, &pair));
    info.metadata.push_back(pair);
    return absl::OkStatus();
  } else if (field.Is(schema::model::kGraph)) {
    has_graph_ = true;
    return OpenGraph(field, main_);
  } else if (field.Is(schema::model::kFunctions)) {
    Block block;
    block.kind = BlockKind::kFunction;
    const BlockId id = builder_.AddBlock(block);
    OpenMessage& message = Open(MessageKind::kFunction, field);
    message.block = id;
    message.frame = AddFrame(message.extent, kNoFrame);
    result_.block_frames.push_back({id, message.frame});
    return absl::OkStatus();
  } else if (field.Is(schema::model::kTrainingInfo)) {
    OpenMessage& message = Open(MessageKind::kTraining, field);
    message.index = training_infos_++;
    message.frame = AddFrame(message.extent, kNoFrame);
    return absl::OkStatus();
  }
  return SkipField(field);
}

absl::Status Scanning::GraphField(const Field& field) {
  const BlockId block = stack_.back().block;
  if (field.Is(schema::graph::kInitializer) || field.Is(schema::graph::kSparseInitializer)) {
    OH_RETURN_IF_ERROR(ReadTensorField(field, field.number == schema::graph::kSparseInitializer));
    NoteContents(builder_.AddInitializer(block, tensor_.tensor, tensor_.dims));
    return absl::OkStatus();
  }
  if (field.Is(schema::graph::kName)) return ReadText(field, &builder_.block(block).name);
  if (field.Is(schema::graph::kInput) || field.Is(schema::graph::kOutput)) {
    absl::string_view name;
    OH_RETURN_IF_ERROR(ReadValueName(reader_, field, &name));
    if (field.number == schema::graph::kInput) {
      builder_.AddInput(block, name);
    } else {
      builder_.AddOutput(block, name);
    }
    return absl::OkStatus();
  }
  if (field.Is(schema::graph::kMetadataProps)) return ReadMetadata(field, block);
  return SkipField(field);
}

absl::Status Scanning::FunctionField(const Field& field) {
  const BlockId block = stack_.back().block;
  if (field.Is(schema::function::kName)) return ReadText(field, &builder_.block(block).name);
  if (field.Is(schema::function::kDomain)) return ReadText(field, &builder_.block(block).domain);
  if (field.Is(schema::function::kOverload)) {
    return ReadText(field, &builder_.block(block).overload);
  }
  if (field.Is(schema::function::kInput) || field.Is(schema::function::kOutput)) {
    absl::string_view name;
    OH_RETURN_IF_ERROR(ReadText(field, &name));
    if (field.number == schema::function::kInput) {
      builder_.AddInput(block, name);
    } else {
      builder_.AddOutput(block, name);
    }
    return absl::OkStatus();
  }
  if (field.Is(schema::function::kMetadataProps)) return ReadMetadata(field, block);
  if (field.Is(schema::function::kAttribute) || field.Is(schema::function::kAttributeProto) ||
      field.Is(schema::function::kOpsetImport)) {
    return HashHeader(field, block);
  }
  return SkipField(field);
}

absl::Status Scanning::HashHeader(const Field& field, BlockId block) {
  absl::string_view contents;
  OH_RETURN_IF_ERROR(ReadText(field, &contents));
  builder_.block(block).header_hash += MixHash(field.number, HashBytes(contents));
  return absl::OkStatus();
}

absl::Status Scanning::TrainingField(const Field& field) {
  const bool initialization = field.Is(schema::training_info::kInitialization);
  if (!initialization && !field.Is(schema::training_info::kAlgorithm)) return SkipField(field);
  BlockId& id = initialization ? stack_.back().initialization : stack_.back().algorithm;
  if (!id.valid()) {
    Block block;
    block.kind = BlockKind::kTraining;
    block.parent = main_;
    block.attribute = initialization ? "initialization" : "algorithm";
    block.position = static_cast<int32_t>(stack_.back().index);
    id = builder_.AddBlock(block);
  }
  return OpenGraph(field, id);
}

}  // namespace onnx_hier
