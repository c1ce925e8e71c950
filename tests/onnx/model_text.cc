// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/model_text.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier::testing {
namespace {

std::string Line(const std::string& indent, const std::vector<std::string>& words) {
  return absl::StrCat(indent, absl::StrJoin(words, " | "), "\n");
}

std::string OptionalText(bool has, absl::string_view text) {
  return has ? absl::StrCat("text:", text) : "none";
}

template <class Dims>
std::string TensorText(absl::string_view name, int32_t data_type, bool external, const Dims& dims) {
  return absl::StrCat(name, " type ", data_type, external ? " external [" : " [",
                      absl::StrJoin(dims, ","), "]");
}

// --- As protobuf sees it.

std::string TensorText(const onnx::TensorProto& tensor) {
  return TensorText(tensor.name(), tensor.data_type(),
                    tensor.data_location() == onnx::TensorProto::EXTERNAL, tensor.dims());
}

std::string TensorText(const onnx::SparseTensorProto& tensor) {
  return TensorText(tensor.values().name(), tensor.values().data_type(),
                    tensor.values().data_location() == onnx::TensorProto::EXTERNAL, tensor.dims());
}

std::string GraphText(const onnx::GraphProto& graph, const std::string& indent);

std::string NodesText(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                      const std::string& indent) {
  std::string text;
  for (const onnx::NodeProto& node : nodes) {
    const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
    text += Line(indent, {"node", OptionalText(node.has_name(), node.name()), node.op_type(),
                          domain, OptionalText(node.has_doc_string(), node.doc_string()),
                          absl::StrJoin(node.input(), ","), absl::StrJoin(node.output(), ",")});
    std::vector<std::string> tensors;
    std::string blocks;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) tensors.push_back(TensorText(attribute.t()));
      for (const auto& tensor : attribute.tensors()) tensors.push_back(TensorText(tensor));
      if (attribute.has_sparse_tensor()) tensors.push_back(TensorText(attribute.sparse_tensor()));
      for (const auto& tensor : attribute.sparse_tensors()) tensors.push_back(TensorText(tensor));
      if (attribute.has_g()) {
        blocks += Line(indent, {"graph", attribute.name(), "-1"});
        blocks += GraphText(attribute.g(), indent + "  ");
      }
      for (int i = 0; i < attribute.graphs_size(); ++i) {
        blocks += Line(indent, {"graph", attribute.name(), absl::StrCat(i)});
        blocks += GraphText(attribute.graphs(i), indent + "  ");
      }
    }
    for (const std::string& tensor : tensors) text += Line(indent, {"tensor", tensor});
    text += blocks;
  }
  return text;
}

std::string GraphText(const onnx::GraphProto& graph, const std::string& indent) {
  std::string text = Line(indent, {"name", graph.name()});
  for (const auto& input : graph.input()) text += Line(indent, {"input", input.name()});
  for (const auto& output : graph.output()) text += Line(indent, {"output", output.name()});
  std::vector<std::string> tensors;
  for (const auto& tensor : graph.initializer()) tensors.push_back(TensorText(tensor));
  for (const auto& tensor : graph.sparse_initializer()) tensors.push_back(TensorText(tensor));
  std::sort(tensors.begin(), tensors.end());
  for (const std::string& tensor : tensors) text += Line(indent, {"initializer", tensor});
  return text + NodesText(graph.node(), indent);
}

// --- As the scanner sees it.

std::string TensorText(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  return TensorText(tensor.name, tensor.data_type, tensor.external, graph.dims(id));
}

std::string Names(const Graph& graph, absl::Span<const ValueId> values) {
  return absl::StrJoin(values, ",", [&](std::string* out, ValueId value) {
    if (value.valid()) absl::StrAppend(out, graph.value(value).name);
  });
}

std::string NodesText(const Graph& graph, BlockId block, const std::string& indent);

std::string BlockText(const Graph& graph, BlockId id, const std::string& indent) {
  const auto name = [&](ValueId value) -> std::string {
    return value.valid() ? std::string(graph.value(value).name) : "";
  };
  std::string text = Line(indent, {"name", std::string(graph.block(id).name)});
  for (ValueId input : graph.inputs(id)) text += Line(indent, {"input", name(input)});
  for (ValueId output : graph.outputs(id)) text += Line(indent, {"output", name(output)});
  std::vector<std::string> tensors;
  for (TensorId tensor : graph.tensor_ids()) {
    if (graph.tensor(tensor).block == id) tensors.push_back(TensorText(graph, tensor));
  }
  std::sort(tensors.begin(), tensors.end());
  for (const std::string& tensor : tensors) text += Line(indent, {"initializer", tensor});
  return text + NodesText(graph, id, indent);
}

std::string NodesText(const Graph& graph, BlockId block, const std::string& indent) {
  std::string text;
  for (NodeId id : graph.nodes(block)) {
    const Node& node = graph.node(id);
    text += Line(indent, {"node", OptionalText(node.has_name, node.name),
                          std::string(graph.op(id).type), std::string(graph.op(id).domain),
                          OptionalText(graph.has_doc_string(id), graph.doc_string(id)),
                          Names(graph, graph.inputs(id)), Names(graph, graph.outputs(id))});
    for (TensorId tensor : graph.tensors(id)) {
      text += Line(indent, {"tensor", TensorText(graph, tensor)});
    }
    for (BlockId inner : graph.blocks(id)) {
      text += Line(indent, {"graph", std::string(graph.block(inner).attribute),
                            absl::StrCat(graph.block(inner).position)});
      text += BlockText(graph, inner, indent + "  ");
    }
  }
  return text;
}

// --- doc_strings taken away.

void ClearDocs(google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes) {
  for (onnx::NodeProto& node : *nodes) {
    node.clear_doc_string();
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) ClearDocs(attribute.mutable_g()->mutable_node());
      for (auto& graph : *attribute.mutable_graphs()) ClearDocs(graph.mutable_node());
    }
  }
}

}  // namespace

onnx::ModelProto ParseModel(const std::string& bytes) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(10000);
  onnx::ModelProto model;
  REQUIRE(model.ParseFromCodedStream(&stream));
  REQUIRE(stream.ConsumedEntireMessage());
  return model;
}

std::string ModelText(const onnx::ModelProto& model) {
  std::string text =
      Line("", {"model", absl::StrCat(model.ir_version()), model.producer_name(),
                model.producer_version(), model.domain(), absl::StrCat(model.model_version())});
  for (const auto& opset : model.opset_import()) {
    text += Line("", {"opset", opset.domain(), absl::StrCat(opset.version())});
  }
  for (const auto& entry : model.metadata_props()) {
    text += Line("", {"metadata", entry.key(), entry.value()});
  }
  text += GraphText(model.graph(), "");
  for (int i = 0; i < model.training_info_size(); ++i) {
    const onnx::TrainingInfoProto& training = model.training_info(i);
    if (training.has_initialization()) {
      text += Line("", {"training", absl::StrCat(i), "initialization"});
      text += GraphText(training.initialization(), "  ");
    }
    if (training.has_algorithm()) {
      text += Line("", {"training", absl::StrCat(i), "algorithm"});
      text += GraphText(training.algorithm(), "  ");
    }
  }
  for (const onnx::FunctionProto& function : model.functions()) {
    text += Line("", {"function", function.domain(), absl::StrJoin(function.input(), ","),
                      absl::StrJoin(function.output(), ",")});
    text += Line("  ", {"name", function.name()});
    text += NodesText(function.node(), "  ");
  }
  return text;
}

std::string ModelText(const Graph& graph) {
  const ModelInfo& info = graph.info();
  std::string text = Line("", {"model", absl::StrCat(info.ir_version),
                               std::string(info.producer_name), std::string(info.producer_version),
                               std::string(info.domain), absl::StrCat(info.model_version)});
  for (const OpsetImport& opset : info.opset_imports) {
    text += Line("", {"opset", std::string(opset.domain), absl::StrCat(opset.version)});
  }
  for (const StringPair& pair : info.metadata) {
    text += Line("", {"metadata", std::string(pair.key), std::string(pair.value)});
  }
  text += BlockText(graph, graph.main_block(), "");
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kTraining) continue;
    text += Line("", {"training", absl::StrCat(block.position), std::string(block.attribute)});
    text += BlockText(graph, id, "  ");
  }
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction) continue;
    text += Line("", {"function", std::string(block.domain), Names(graph, graph.inputs(id)),
                      Names(graph, graph.outputs(id))});
    text += Line("  ", {"name", std::string(block.name)});
    text += NodesText(graph, id, "  ");
  }
  return text;
}

std::string WithoutDocs(const std::string& bytes) {
  onnx::ModelProto model = ParseModel(bytes);
  if (model.has_graph()) ClearDocs(model.mutable_graph()->mutable_node());
  for (auto& training : *model.mutable_training_info()) {
    if (training.has_initialization()) {
      ClearDocs(training.mutable_initialization()->mutable_node());
    }
    if (training.has_algorithm()) ClearDocs(training.mutable_algorithm()->mutable_node());
  }
  for (auto& function : *model.mutable_functions()) ClearDocs(function.mutable_node());
  return model.SerializeAsString();
}

absl::StatusOr<Scanned> Scan(const std::string& bytes, const ScanOptions& options) {
  const MemoryFile file(bytes);
  Scanned scanned{Value(FileImage::Open(file.path())), {}};
  absl::StatusOr<ScannedModel> model = ScanModel(scanned.image, options);
  if (!model.ok()) return model.status();
  scanned.model = *std::move(model);
  return scanned;
}

std::string LayoutText(const ScannedModel& model) {
  std::string text;
  for (const Frame& frame : model.frames) {
    absl::StrAppend(&text, "frame ", frame.start(), " ", frame.begin, " ", frame.end, " ",
                    frame.doc_at, " ", frame.parent, " ", frame.length_size, " ",
                    frame.has_fields_behind_metadata ? "more" : "", "\n");
  }
  for (NodeId id : model.graph.node_ids()) {
    const Node& node = model.graph.node(id);
    absl::StrAppend(&text, "node ", model.node_frames[id], " ", node.block.index(), " ", node.index,
                    " ", node.op.index(), " ", model.graph.tensors(id).size(), " ");
    absl::StrAppend(&text, node.attribute_hash);
    for (const StringPair& pair : model.graph.metadata(id)) {
      absl::StrAppend(&text, " ", pair.key, "=", pair.value);
    }
    text += '\n';
  }
  for (const BlockFrame& block : model.block_frames) {
    absl::StrAppend(&text, "block ", block.block.index(), " ", block.frame, "\n");
  }
  for (const DocField& field : model.doc_fields) {
    absl::StrAppend(&text, "doc ", field.node.index(), " ", field.begin, " ", field.end, "\n");
  }
  for (const ExternalTensor& tensor : model.external_tensors) {
    absl::StrAppend(&text, "external ", tensor.name, " ", tensor.place.location, "\n");
  }
  return text;
}

}  // namespace onnx_hier::testing
