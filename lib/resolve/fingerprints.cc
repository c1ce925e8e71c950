#include "lib/resolve/fingerprints.h"

#include <utility>

#include "lib/base/hash.h"
#include "lib/scope/parameter_name.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kFromProducer = 0x50;
constexpr uint64_t kFromConsumer = 0x43;
// A weight whose name was lost still counts as a weight.
constexpr absl::string_view kNamelessWeight = "?";

absl::string_view LeafOrNameless(absl::string_view name) {
  const bool named = name.find('.') != name.npos && name.find('/') == name.npos &&
                     name.find("::") == name.npos;
  return named ? LeafOfParameterName(name) : kNamelessWeight;
}

// Sums, not sequences, over the neighbours: a value's many readers have no order of their own.
std::vector<uint64_t> Refine(const Flow& flow, const std::vector<uint64_t>& before) {
  std::vector<uint64_t> after(before.size());
  for (Place i = 0; i < flow.size(); ++i) {
    uint64_t producers = 0;
    for (const Flow::Edge& edge : flow.producers(i)) {
      producers += MixHash(before[edge.place], edge.slot);
    }
    uint64_t consumers = 0;
    for (const Flow::Edge& edge : flow.consumers(i)) {
      consumers += MixHash(before[edge.place], edge.slot);
    }
    const uint64_t around = MixHash(producers + kFromProducer, consumers + kFromConsumer);
    after[i] = MixHash(before[i], around);
  }
  return after;
}

}  // namespace

uint64_t LookOf(const Graph& graph, NodeId node) {
  uint64_t look = MixHash(graph.node(node).op.index(), graph.inputs(node).size());
  look = MixHash(look, graph.outputs(node).size());
  uint32_t slot = 0;
  for (ValueId value : graph.inputs(node)) {
    if (value.valid() && graph.value(value).kind == ValueKind::kInitializer) {
      look = MixHash(look, HashBytes(LeafOrNameless(graph.value(value).name), slot));
    }
    ++slot;
  }
  return look;
}

Fingerprints::Fingerprints(const Flow& flow) {
  const auto at = [this](Likeness likeness) -> std::vector<uint64_t>& {
    return prints_[static_cast<size_t>(likeness)];
  };
  std::vector<uint64_t> loose(flow.size());
  std::vector<uint64_t> tight(flow.size());
  for (Place i = 0; i < flow.size(); ++i) {
    loose[i] = LookOf(flow.graph(), flow.node(i));
    tight[i] = MixHash(loose[i], flow.graph().node(flow.node(i)).attribute_hash);
  }
  at(Likeness::kLoose0) = loose;
  at(Likeness::kLoose1) = Refine(flow, at(Likeness::kLoose0));
  at(Likeness::kLoose2) = Refine(flow, at(Likeness::kLoose1));
  at(Likeness::kLoose3) = Refine(flow, at(Likeness::kLoose2));
  at(Likeness::kLoose6) = Refine(flow, Refine(flow, Refine(flow, at(Likeness::kLoose3))));
  at(Likeness::kTight3) = Refine(flow, Refine(flow, Refine(flow, tight)));
  at(Likeness::kTight6) = Refine(flow, Refine(flow, Refine(flow, at(Likeness::kTight3))));
}

}  // namespace onnx_hier
