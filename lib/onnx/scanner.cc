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
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanning.h"
#include "lib/onnx/schema.h"
#include "onnx_hier_program/text.h"
#include "onnx_hier_program/threads.h"

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
  if (stack_.size() == ahead_.depth) return TakeNodes();
  const uint64_t end = stack_.back().extent.end;
  if (reader_.position() >= end) return Close();
  Field field;
  OH_RETURN_IF_ERROR(reader_.ReadField(end, &field));
  switch (stack_.back().kind) {
    case MessageKind::kModel:
      return ModelField(field);
    case MessageKind::kGraph:
      // Nearly all there is.
      return field.Is(schema::graph::kNode) ? ReadNodes(field) : GraphField(field);
    case MessageKind::kFunction:
      return field.Is(schema::function::kNode) ? ReadNodes(field) : FunctionField(field);
    case MessageKind::kTraining:
      return TrainingField(field);
    case MessageKind::kNode:
      return NodeField(field);
    case MessageKind::kAttribute:
      return AttributeField(field);
  }
  return absl::OkStatus();
}

// Reads that node of the innermost open block, and those behind it where they can be read ahead.
absl::Status Scanning::ReadNodes(const Field& first) {
  if (field_by_field_ || !IsAtHand(first)) return OpenNode(first);
  if (ahead_.depth > 0) {
    ReadSpan(image_, absl::MakeConstSpan(&first, 1), builder_.hasher(), &alone_);
    if (!alone_.others.empty()) return OpenNode(first);
    reader_.Skip(first);
    return Take(alone_, 1);
  }
  FindNodesFrom(first);
  const absl::Span<const Field> fields = ahead_.fields;
  const size_t spans = (fields.size() + kSpanNodes - 1) / kSpanNodes;
  if (ahead_.spans.size() < spans) ahead_.spans.resize(spans);
  absl::Status status;
  RunInOrder<size_t>(
      fields.size(), kSpanNodes, threads_,
      [&](size_t begin, size_t end) {
        const size_t span = begin / kSpanNodes;
        ReadSpan(image_, fields.subspan(begin, end - begin), builder_.hasher(),
                 &ahead_.spans[span]);
        return span;
      },
      // While others are read; but what is read field by field may load more of the file.
      [&](size_t span) {
        if (span != ahead_.span || !ahead_.spans[span].others.empty() || !status.ok()) return;
        status = TakeAll(ahead_.spans[span]);
        ++ahead_.span;
      });
  OH_RETURN_IF_ERROR(status);
  ahead_.depth = stack_.size();
  return TakeNodes();
}

// Whether all of the node is loaded, or now is.
bool Scanning::IsAtHand(const Field& node) {
  if (node.end <= image_.readable_end()) return true;
  return node.end - node.begin <= kLargestAhead && image_.Require(node.begin, node.end).ok();
}

// Those that follow each other in the open block. What is wrong behind them is told in its turn.
void Scanning::FindNodesFrom(const Field& first) {
  const OpenMessage& block = stack_.back();
  const uint32_t number =
      block.kind == MessageKind::kGraph ? schema::graph::kNode : schema::function::kNode;
  const uint64_t end = std::min(block.extent.end, first.begin + kMostBytesAhead);
  WireReader reader(image_);
  ahead_.fields.clear();
  for (Field node = first;;) {
    ahead_.fields.push_back(node);
    reader.set_position(node.end);
    if (ahead_.fields.size() == at_once_ || node.end >= end) break;
    if (!reader.ReadField(block.extent.end, &node).ok()) break;
    if (!node.Is(number) || !IsAtHand(node)) break;
  }
  // A small graph is not worth a thread.
  if (threads_ > 1) at_once_ = std::min(4 * at_once_, kMostAhead);
}

// Of those that were read ahead, up to the next one that has to be read field by field.
absl::Status Scanning::TakeNodes() {
  if (ahead_.span * kSpanNodes >= ahead_.fields.size()) {
    ahead_.span = 0;
    ahead_.depth = 0;
    reader_.set_position(ahead_.fields.back().end);
    return absl::OkStatus();
  }
  ScannedSpan& span = ahead_.spans[ahead_.span];
  if (ahead_.other < span.others.size()) {
    const ScannedSpan::Other& other = span.others[ahead_.other++];
    OH_RETURN_IF_ERROR(Take(span, other.before));
    reader_.set_position(other.field.begin);
    return OpenNode(other.field);
  }
  OH_RETURN_IF_ERROR(TakeAll(span));
  ahead_.other = 0;
  ++ahead_.span;
  return absl::OkStatus();
}

// The nodes in front of the span's `end`th one that were not taken, into the innermost open block.
absl::Status Scanning::Take(ScannedSpan& span, uint32_t end) {
  const OpenMessage& around = stack_.back();
  const NodeSpan::Taken from = span.nodes.taken;
  const GraphBuilder::FirstTaken first = builder_.Take(span.nodes, end, around.block);
  const NodeSpan::Taken& to = span.nodes.taken;
  for (uint32_t i = from.nodes; i < to.nodes; ++i) {
    result_.node_frames.push_back(AddFrame(span.frames[i], around.frame));
  }
  const auto node_base = static_cast<uint32_t>(first.node.index()) - from.nodes;
  for (uint32_t i = from.docs; i < to.docs; ++i) {
    DocField doc = span.doc_fields[i];
    doc.node = NodeId(node_base + static_cast<uint32_t>(doc.node.index()));
    result_.doc_fields.push_back(doc);
  }
  const auto tensor_base = static_cast<uint32_t>(first.tensor.index()) - from.tensors;
  for (uint32_t i = from.tensors; i < to.tensors; ++i) {
    result_.tensor_data.push_back(span.tensor_data[i]);
  }
  std::vector<ExternalTensor>& externals = span.external_tensors;
  for (; span.taken_externals < externals.size(); ++span.taken_externals) {
    ExternalTensor external = externals[span.taken_externals];
    if (external.tensor.index() >= to.tensors) break;
    external.tensor = TensorId(tensor_base + static_cast<uint32_t>(external.tensor.index()));
    result_.external_tensors.push_back(external);
  }
  return Count(to.nodes - from.nodes + to.names - from.names);
}

absl::Status Scanning::OpenNode(const Field& field) {
  const OpenMessage& around = stack_.back();
  const BlockId block = around.block;
  const NodeId id = builder_.AddNode(block);
  const uint32_t frame = AddFrame(Frame(field), around.frame);
  result_.node_frames.push_back(frame);
  OpenMessage& message = Open(MessageKind::kNode, field);
  message.block = block;
  message.node = id;
  message.frame = frame;
  message.index = builder_.node(id).index;
  return Count(1);
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
  if (options.threads > 1) image.StartReadingAhead();
  absl::StatusOr<ScannedModel> scanned = Scanning(image, options).Run();
  image.StopReadingAhead();
  return scanned;
}

}  // namespace onnx_hier
