// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/siblings.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What more nodes read is read all over the model, and not by one module's parts.
constexpr size_t kMostSiblingReaders = 64;

// The first operand that is no constant: what the node works on.
Flow::Edge OperandOf(const Flow& flow, Rank rank) {
  for (const Flow::Edge& edge : flow.producers(rank)) {
    if (!flow.is_constant(edge.rank)) return edge;
  }
  return {};
}

}  // namespace

Siblings::Siblings(const Flow& flow, const Fingerprints& fingerprints) : places_(flow.size()) {
  for (Rank producer : flow.ranks()) {
    const size_t readers = flow.consumers(producer).size();
    if (readers > 1 && readers <= kMostSiblingReaders && !flow.is_constant(producer)) {
      Number(flow, fingerprints, producer);
    }
  }
}

void Siblings::Number(const Flow& flow, const Fingerprints& fingerprints, Rank producer) {
  using Look = std::pair<uint32_t, uint32_t>;  // operator and its inputs, and which of them it is
  absl::InlinedVector<std::pair<Look, Rank>, kMostSiblingReaders> readers;
  for (const Flow::Edge& edge : flow.consumers(producer)) {
    if (!WeightOf(flow.graph(), flow.node(edge.rank)).valid()) continue;
    const Flow::Edge operand = OperandOf(flow, edge.rank);
    if (operand.rank != producer || operand.slot != edge.slot) continue;
    readers.push_back({{fingerprints.at(Likeness::kLoose0, edge.rank), edge.slot}, edge.rank});
  }
  std::sort(readers.begin(), readers.end());
  for (size_t begin = 0; begin < readers.size();) {
    size_t end = begin;
    while (end < readers.size() && readers[end].first == readers[begin].first) ++end;
    for (size_t i = begin; i < end && end - begin > 1; ++i) {
      places_[readers[i].second] = {static_cast<uint8_t>(i - begin),
                                    static_cast<uint8_t>(end - begin)};
    }
    begin = end;
  }
}

}  // namespace onnx_hier
