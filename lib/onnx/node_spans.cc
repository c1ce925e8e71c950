// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_spans.h"

#include "absl/strings/string_view.h"
#include "lib/graph/graph_builder.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

void Clear(ScannedSpan* span) {
  NodeSpan& nodes = span->nodes;
  nodes.nodes.clear();
  nodes.names.clear();
  nodes.hashes.clear();
  nodes.ops = OpTable();
  nodes.docs.clear();
  nodes.metadata.clear();
  nodes.tensors.clear();
  nodes.dims.clear();
  nodes.taken = NodeSpan::Taken();
  nodes.graph_ops = {};
  span->frames.clear();
  span->doc_fields.clear();
  span->tensor_data.clear();
  span->external_tensors.clear();
  span->others.clear();
  span->taken_externals = 0;
}

// The one that was read last.
void AddTensor(uint32_t node, ScannedSpan* span) {
  NodeSpan& read = span->nodes;
  TensorContents& contents = span->tensor;
  MeasureTensor(contents.tensor, contents.dims);
  const auto dims = static_cast<uint32_t>(read.dims.size());
  read.dims.insert(read.dims.end(), contents.dims.begin(), contents.dims.end());
  contents.tensor.dims = {dims, static_cast<uint32_t>(read.dims.size())};
  for (const ExternalPlace& place : contents.external_places) {
    span->external_tensors.push_back({TensorId(read.tensors.size()), contents.tensor.name, place});
  }
  read.tensors.push_back({node, contents.tensor});
  span->tensor_data.push_back(contents.data);
}

// False: it is none of those that can be read in one go.
bool ReadNode(FileImage& image, const Field& field, const TextHasher& hasher, ScannedSpan* span) {
  PlainNode& plain = span->plain;
  if (!ReadPlainNode(image.Text(field.begin, field.end), &plain)) return false;
  NodeSpan& read = span->nodes;
  const auto id = static_cast<uint32_t>(read.nodes.size());
  if (plain.has_tensor) {
    Field message;
    message.end = field.begin + plain.tensor_end;
    WireReader reader(image);
    reader.set_position(field.begin + plain.tensor_begin);
    if (!ReadTensor(reader, message, &span->tensor).ok()) return false;
    AddTensor(id, span);
  }
  Node& node = read.nodes.emplace_back();
  node.name = plain.name;
  node.has_name = plain.has_name;
  node.attribute_hash = plain.attribute_hash;
  node.op = read.ops.IdOf(plain.domain, plain.op_type, plain.overload);
  node.first_input = static_cast<uint32_t>(read.names.size());
  node.first_output = node.first_input + static_cast<uint32_t>(plain.inputs.size());
  node.end_of_outputs = node.first_output + static_cast<uint32_t>(plain.outputs.size());
  for (const auto* names : {&plain.inputs, &plain.outputs}) {
    for (absl::string_view name : *names) {
      read.names.push_back(name);
      read.hashes.push_back(hasher(name));
    }
  }
  for (const StringPair& pair : plain.metadata) read.metadata.push_back({id, pair});
  span->frames.emplace_back(field).doc_at = field.begin + plain.doc_at;
  if (plain.has_doc) {
    read.docs.push_back({id, plain.doc_string});
    span->doc_fields.push_back(
        {NodeId(id), field.begin + plain.doc_at, field.begin + plain.doc_end});
  }
  return true;
}

}  // namespace

void ReadSpan(FileImage& image, absl::Span<const Field> nodes, const TextHasher& hasher,
              ScannedSpan* span) {
  Clear(span);
  span->nodes.nodes.reserve(nodes.size());
  span->frames.reserve(nodes.size());
  for (const Field& field : nodes) {
    if (ReadNode(image, field, hasher, span)) continue;
    span->others.push_back({static_cast<uint32_t>(span->nodes.nodes.size()), field});
  }
}

}  // namespace onnx_hier
