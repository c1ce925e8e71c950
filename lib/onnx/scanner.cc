// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/scanner.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanning.h"
#include "lib/onnx/schema.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// --- What may be wrong with a file that is no model, or a damaged one, and what to do about it.

// How far reading had come when it failed.
struct ReadingState {
  bool in_outermost = false;   // in no message inside the model
  bool has_version = false;    // the model's first field was read
  bool has_graph = false;      // and so was the beginning of its graph
  uint64_t missing_bytes = 0;  // at least so many past the end of the file; 0: it is long enough
  std::optional<uint32_t> node_index;  // of the node that was being read
  absl::string_view node_name;         // if that was read already
};

constexpr uint64_t kLookedAt = 512;
constexpr size_t kLongestQuotedName = 120;

// Formats that are taken for models, by the bytes at a place.
struct Signature {
  size_t at;
  absl::string_view bytes;
  const char* what;
};
constexpr char kCompressed[] = "is compressed: unpack it first";
constexpr char kPyTorch[] =
    "is a PyTorch file, not an ONNX model: load it in Python and export it with torch.onnx";
constexpr char kOrt[] =
    "is in onnxruntime's own ORT format, not in ONNX's: take the model that it was made from";
constexpr char kLite[] = "is a TensorFlow Lite model: convert it to ONNX first";
constexpr char kHdf5[] =
    "is an HDF5 file, as of Keras, not an ONNX model: convert it to ONNX first";
constexpr char kWeightsAlone[] =
    "holds weights and no graph, so it is not an ONNX model: export the model that they belong to";
constexpr char kEngine[] =
    "is a TensorRT engine, not an ONNX model: name the model that it was built from";
constexpr char kPickle[] =
    "is a Python pickle, not an ONNX model: load it in Python and export the model from there";
constexpr Signature kSignatures[] = {
    {0, {"\x1f\x8b", 2}, kCompressed},
    {0, {"\x28\xb5\x2f\xfd", 4}, kCompressed},  // Zstandard
    {0,
     {"\xfd"
      "7zXZ\0",
      6},
     kCompressed},  // xz
    {0, {"BZh", 3}, kCompressed},
    {0,
     {"PK\x03\x04", 4},
     "is a ZIP archive, as PyTorch's files are, not an ONNX model: unpack it, "
     "or load it in Python and export it with torch.onnx"},
    {0, {"\x80\x02\x8a\x0a\x6c\xfc", 6}, kPyTorch},  // before PyTorch 1.6
    {0, {"\x89HDF", 4}, kHdf5},
    {4, {"TFL3", 4}, kLite},
    {4, {"ORTM", 4}, kOrt},
    {0, {"GGUF", 4}, kWeightsAlone},
    {0, {"\x93NUMPY", 6}, kWeightsAlone},
    {0, {"ftrt", 4}, kEngine},
    {0, {"\x80\x02", 2}, kPickle},
    {0, {"\x80\x03", 2}, kPickle},
    {0, {"\x80\x04\x95", 3}, kPickle},
    {0, {"\x80\x05\x95", 3}, kPickle},
};

// A safetensors file begins with the size of its header, which is JSON.
bool IsSafetensors(absl::string_view start, uint64_t file_size) {
  constexpr size_t kSizeBytes = sizeof(uint64_t);
  if (start.size() <= kSizeBytes || start[kSizeBytes] != '{') return false;
  uint64_t header = 0;
  for (size_t i = kSizeBytes; i-- > 0;) header = header << 8 | static_cast<uint8_t>(start[i]);
  return header <= file_size - kSizeBytes;
}

absl::Status IsText(absl::string_view start) {
  if (absl::StartsWith(start, "{") || absl::StartsWith(start, "[")) {
    return absl::InvalidArgumentError(
        "is text (JSON, as sidecars and profiles are), not an ONNX model in binary protobuf form; "
        "name the model itself");
  }
  // ONNX has a text form of its own, which begins with '<', too.
  for (absl::string_view page : {"<!", "<?xml", "<html"}) {
    if (!absl::StartsWithIgnoreCase(start, page)) continue;
    return absl::InvalidArgumentError(
        "is text (HTML or XML, perhaps of a download that failed), not an ONNX model in binary "
        "protobuf form");
  }
  return absl::InvalidArgumentError(
      "is text, not an ONNX model in binary protobuf form; if it is a model in text form, save it "
      "in binary form first");
}

// An error for files that are commonly mistaken for a model: empty ones, text, Git LFS pointers.
absl::Status LookAtStart(FileImage& image) {
  if (image.size() == 0) return absl::InvalidArgumentError("is empty: not an ONNX model");
  const uint64_t end = std::min(image.size(), kLookedAt);
  OH_RETURN_IF_ERROR(image.Require(0, end));
  const absl::string_view start = image.Text(0, end);
  if (absl::StartsWith(start, "version https://git-lfs")) {
    return absl::InvalidArgumentError(
        "is a Git LFS pointer, not the model itself: fetch the model with 'git lfs pull'");
  }
  // A model in binary form has bytes below 0x20 from its first field on.
  const bool text = std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<uint8_t>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  if (text) return IsText(absl::StripLeadingAsciiWhitespace(start));
  return absl::OkStatus();
}

// What a file is that could not be read as a model, and what to do with it; "" where its start does
// not tell. Only for files that failed: few formats begin with what no model can begin with.
std::string OtherFormat(FileImage& image) {
  const uint64_t end = std::min(image.size(), kLookedAt);
  if (!image.Require(0, end).ok()) return "";
  const absl::string_view start = image.Text(0, end);
  for (const Signature& signature : kSignatures) {
    if (start.size() >= signature.at &&
        absl::StartsWith(start.substr(signature.at), signature.bytes)) {
      return signature.what;
    }
  }
  return IsSafetensors(start, image.size()) ? kWeightsAlone : "";
}

// Adds to an error about the file's bytes where they stand and what to do about it; gives other
// errors back as they are.
absl::Status ExplainDamage(const absl::Status& status, const ReadingState& state) {
  if (status.code() != absl::StatusCode::kDataLoss) return status;
  // The outermost message is the file. Its first field says that it is a model.
  if (state.in_outermost && state.missing_bytes > 0 && state.has_version) {
    return absl::DataLossError(absl::StrCat("the file is cut short (bytes missing: at least ",
                                            state.missing_bytes, "): copy or export it again"));
  }
  std::string place;
  if (state.node_index.has_value()) {
    place = absl::StrCat(" (in node ", *state.node_index);
    if (!state.node_name.empty()) {
      absl::StrAppend(&place, " '", SafeForTerminal(state.node_name.substr(0, kLongestQuotedName)),
                      "'");
    }
    place += ")";
  }
  if (!state.has_graph) {
    return absl::DataLossError(
        absl::StrCat(status.message(), place, "; not an ONNX model, or a damaged one"));
  }
  return absl::DataLossError(
      absl::StrCat(status.message(), place, "; the file is damaged: copy or export it again"));
}

// Of an attribute at its end. Nodes in graphs may change, and the attribute be the same.
uint64_t HashOf(const OpenMessage& attribute) {
  const bool holds_graphs = attribute.frame != kNoFrame;
  return attribute.whole_hash.has_value() && !holds_graphs ? *attribute.whole_hash : attribute.hash;
}

}  // namespace

absl::StatusOr<ScannedModel> Scanning::Run() {
  OH_RETURN_IF_ERROR(LookAtStart(image_));
  main_ = builder_.AddBlock(Block());
  stack_.emplace_back().extent.end = image_.size();
  while (!stack_.empty()) {
    if (absl::Status status = Step(); !status.ok()) return Explain(status);
  }
  if (!has_graph_) {
    if (const std::string other = OtherFormat(image_); !other.empty()) {
      return absl::InvalidArgumentError(other);
    }
    return absl::InvalidArgumentError(
        "holds no graph: not an ONNX model, or one that was saved without its graph");
  }
  result_.graph = std::move(builder_).Build();
  return std::move(result_);
}

absl::Status Scanning::Step() {
  const uint64_t end = stack_.back().extent.end;
  if (reader_.position() >= end) return Close();
  Field field;
  OH_RETURN_IF_ERROR(reader_.ReadField(end, &field));
  switch (stack_.back().kind) {
    case MessageKind::kModel:
      return ModelField(field);
    case MessageKind::kGraph:
      // Nearly all there is.
      return field.Is(schema::graph::kNode) ? ReadNode(field) : GraphField(field);
    case MessageKind::kFunction:
      return field.Is(schema::function::kNode) ? ReadNode(field) : FunctionField(field);
    case MessageKind::kTraining:
      return TrainingField(field);
    case MessageKind::kNode:
      return NodeField(field);
    case MessageKind::kAttribute:
      return AttributeField(field);
  }
  return absl::OkStatus();
}

// Into the innermost open block.
NodeId Scanning::AddNode(const Extent& extent) {
  const OpenMessage& around = stack_.back();
  const NodeId id = builder_.AddNode(around.block);
  result_.node_frames.push_back(AddFrame(extent, around.frame));
  return id;
}

absl::Status Scanning::ReadNode(const Field& field) {
  if (ReadPlain(field)) {
    AddPlain(field);
    return absl::OkStatus();
  }
  const NodeId id = AddNode(Extent(field));
  const BlockId block = stack_.back().block;
  OpenMessage& message = Open(MessageKind::kNode, field);
  message.block = block;
  message.node = id;
  message.frame = result_.node_frames[id];
  message.index = builder_.node(id).index;
  if (++names_ > kMostItems) return absl::ResourceExhaustedError("holds too many nodes");
  return absl::OkStatus();
}

// Leaves it in plain_, and its tensor, if it has one, in tensor_. False: it is to be read field by
// field, be it only to say what is wrong with it.
bool Scanning::ReadPlain(const Field& field) {
  if (field_by_field_ || field.end > image_.readable_end()) return false;
  if (!ReadPlainNode(image_.Text(field.begin, field.end), &plain_)) return false;
  const size_t names = 1 + plain_.inputs.size() + plain_.outputs.size();
  if (names > kMostItems - names_) return false;
  if (plain_.has_tensor) {
    Field tensor;
    tensor.end = field.begin + plain_.tensor_end;
    reader_.set_position(field.begin + plain_.tensor_begin);
    const bool is_read = ReadTensorField(tensor, /*sparse=*/false).ok();
    reader_.set_position(field.begin);
    if (!is_read) return false;
  }
  names_ += names;
  return true;
}

void Scanning::AddPlain(const Field& field) {
  const NodeId id = AddNode(Extent(field));
  Frame& frame = result_.frames[result_.node_frames[id]];
  frame.doc_at = field.begin + plain_.doc_at;
  builder_.SetSlots(id, plain_.inputs, plain_.outputs);
  for (const StringPair& pair : plain_.metadata) builder_.AddMetadata(id, pair);
  if (plain_.has_tensor) {
    NoteContents(builder_.AddAttributeTensor(id, tensor_.tensor, tensor_.dims));
  }
  builder_.SetOp(id, plain_.domain, plain_.op_type, plain_.overload);
  Node& node = builder_.node(id);
  node.name = plain_.name;
  node.has_name = plain_.has_name;
  node.attribute_hash = plain_.attribute_hash;
  if (plain_.has_doc) {
    builder_.SetDocString(id, plain_.doc_string);
    result_.doc_fields.push_back({id, frame.doc_at, field.begin + plain_.doc_end});
  }
  reader_.Skip(field);
}

absl::Status Scanning::Explain(const absl::Status& status) const {
  if (absl::IsDataLoss(status) && !has_graph_) {
    const std::string other = OtherFormat(image_);
    if (!other.empty()) return absl::InvalidArgumentError(other);
  }
  ReadingState state;
  state.in_outermost = stack_.size() == 1;
  state.has_version = has_version_;
  state.has_graph = has_graph_;
  state.missing_bytes = reader_.missing();
  for (auto message = stack_.rbegin(); message != stack_.rend(); ++message) {
    if (message->kind != MessageKind::kNode) continue;
    state.node_index = message->index;
    state.node_name = message->name;
    break;
  }
  return ExplainDamage(status, state);
}

absl::Status Scanning::Close() {
  const OpenMessage& message = stack_.back();
  switch (message.kind) {
    case MessageKind::kGraph:
      --graph_depth_;
      break;
    case MessageKind::kNode: {
      builder_.SetSlots(message.node, message.inputs, message.outputs);
      builder_.SetOp(message.node, message.domain, message.op, message.overload);
      Node& node = builder_.node(message.node);
      node.name = message.name;
      node.attribute_hash = message.hash;
      break;
    }
    case MessageKind::kAttribute:
      // The name may follow the graphs.
      for (size_t i = message.first_block; i < open_blocks_.size(); ++i) {
        builder_.block(open_blocks_[i]).attribute = message.name;
      }
      open_blocks_.resize(message.first_block);
      stack_[stack_.size() - 2].hash += HashOf(message);
      break;
    default:
      break;
  }
  stack_.pop_back();
  return absl::OkStatus();
}

absl::StatusOr<ScannedModel> ScanModel(FileImage& image, const ScanOptions& options) {
  if (options.parallel) image.ReadAhead();
  return Scanning(image, options).Run();
}

}  // namespace onnx_hier
