// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/structure_hashes.h"

#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

IdVector<OpId, uint64_t> HashOps(const Graph& graph) {
  IdVector<OpId, uint64_t> hashes;
  hashes.reserve(graph.op_count());
  for (OpId id : IdRange<OpId>(graph.op_count())) {
    hashes.push_back(HashBytes(graph.op(id).type, HashBytes(graph.op(id).domain)));
  }
  return hashes;
}

// Attributes, sizes and the number of inputs are left out: layers grow, and the first one often
// has another stride.
uint64_t HashOfNode(const Graph& graph, NodeId id, const IdVector<OpId, uint64_t>& ops) {
  uint64_t hash = ops[graph.node(id).op];
  for (ValueId value : graph.inputs(id)) {
    if (!value.valid() || !graph.value(value).tensor.valid()) continue;
    hash = MixHash(hash, graph.dims(graph.value(value).tensor).size());
  }
  return hash;
}

}  // namespace

std::vector<IdVector<NodeId, uint64_t>> StructureHashes(const Graph& graph, size_t radius) {
  std::vector<IdVector<NodeId, uint64_t>> hashes(1);
  hashes[0].resize(graph.node_count());
  const IdVector<OpId, uint64_t> ops = HashOps(graph);
  for (NodeId id : graph.node_ids()) hashes[0][id] = HashOfNode(graph, id, ops);
  for (size_t r = 1; r <= radius; ++r) {
    const IdVector<NodeId, uint64_t>& last = hashes.back();
    IdVector<NodeId, uint64_t> next(graph.node_count());
    for (NodeId id : graph.node_ids()) {
      uint64_t before = 0;
      for (ValueId value : graph.inputs(id)) {
        const NodeId producer = value.valid() ? graph.value(value).producer : NodeId();
        before = MixHash(before, producer.valid() ? last[producer] : 0);
      }
      // Sums: readers come in no order.
      uint64_t after = 0;
      for (ValueId value : graph.outputs(id)) {
        if (!value.valid()) continue;
        for (const Use& use : graph.uses(value)) after += MixHash(use.slot, last[use.node]);
      }
      next[id] = MixHash(MixHash(last[id], before), after);
    }
    hashes.push_back(std::move(next));
  }
  return hashes;
}

}  // namespace onnx_hier
