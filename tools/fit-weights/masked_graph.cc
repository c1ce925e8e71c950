// SPDX-License-Identifier: Apache-2.0
#include "tools/fit-weights/masked_graph.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/graph/graph_builder.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier::fit {

absl::string_view MaskedGraph::NameOf(const Graph& original, ValueId value,
                                      const std::vector<bool>& masked, const Forgotten& forgotten) {
  const NodeId producer = original.value(value).producer;
  const absl::string_view name = original.value(value).name;
  if (original.value(value).kind == ValueKind::kInitializer && forgotten(name)) {
    names_.push_back(absl::StrCat("onnx::", 10000 + value.index()));
    return names_.back();
  }
  if (!producer.valid() || !masked[producer.index()]) return name;
  // Copies of parameters that were merged keep the names of parameters.
  if (!OwnerInParameterName(name).empty()) return name;
  names_.push_back(absl::StrCat("onnx::", original.op(producer).type, "_", 10000 + value.index()));
  return names_.back();
}

MaskedGraph::MaskedGraph(const Graph& original, const std::vector<bool>& masked,
                         const Forgotten& forgotten) {
  GraphBuilder builder;
  builder.info() = original.info();
  IdVector<ValueId, absl::string_view> names;
  for (ValueId value : original.value_ids())
    names.push_back(NameOf(original, value, masked, forgotten));
  IdVector<TensorId, ValueId> values(original.tensor_count());  // of initializers
  for (ValueId value : original.value_ids()) {
    if (original.value(value).tensor.valid()) values[original.value(value).tensor] = value;
  }
  const auto name_of = [&](ValueId value) {
    return value.valid() ? names[value] : absl::string_view();
  };
  const auto names_of = [&](absl::Span<const ValueId> values) {
    std::vector<absl::string_view> list;
    for (ValueId value : values) list.push_back(name_of(value));
    return list;
  };
  for (BlockId id : original.block_ids()) {
    Block copy = original.block(id);
    copy.nodes = copy.inputs = copy.outputs = copy.metadata = Range();
    const BlockId block = builder.AddBlock(copy);
    for (ValueId value : original.inputs(id)) builder.AddInput(block, name_of(value));
    for (ValueId value : original.outputs(id)) builder.AddOutput(block, name_of(value));
    for (const StringPair& pair : original.metadata(id)) builder.AddMetadata(block, pair);
  }
  for (NodeId id : original.node_ids()) {
    const NodeId node = builder.AddNode(original.node(id).block);
    builder.node(node).attribute_hash = original.node(id).attribute_hash;
    builder.node(node).has_name = original.node(id).has_name;
    const Op& op = original.op(id);
    builder.SetOp(node, op.domain, op.type, op.overload);
    builder.SetSlots(node, names_of(original.inputs(id)), names_of(original.outputs(id)));
    if (masked[id.index()]) continue;
    builder.node(node).name = original.node(id).name;
    for (const StringPair& pair : original.metadata(id)) builder.AddMetadata(node, pair);
  }
  for (TensorId id : original.tensor_ids()) {
    Tensor tensor = original.tensor(id);
    if (const ValueId value = values[id]; value.valid()) tensor.name = names[value];
    const auto dims = original.dims(id);
    const std::vector<int64_t> copy(dims.begin(), dims.end());
    if (tensor.owner.valid()) {
      builder.AddAttributeTensor(tensor.owner, tensor, copy);
    } else {
      builder.AddInitializer(tensor.block, tensor, copy);
    }
  }
  graph_ = std::move(builder).Build();
}

std::vector<bool> RandomMask(size_t nodes, uint32_t percent, uint32_t run, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<bool> masked(nodes, percent >= 100);
  if (percent >= 100) return masked;
  size_t left = nodes * percent / 100;
  while (left > 0) {
    const size_t begin = random() % nodes;
    const size_t length = run == 1 ? 1 : 1 + random() % (2 * size_t{run});
    for (size_t i = begin; i < std::min(nodes, begin + length) && left > 0; ++i) {
      left -= !masked[i];
      masked[i] = true;
    }
  }
  return masked;
}

}  // namespace onnx_hier::fit
