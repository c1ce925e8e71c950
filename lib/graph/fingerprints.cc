#include "lib/graph/fingerprints.h"

#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/hash.h"
#include "lib/graph/node_look.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kFromProducer = 0x50;
constexpr uint64_t kFromConsumer = 0x43;
constexpr uint64_t kOfSlot = 0x53;

// Odd numbers without any order, by slot.
constexpr uint64_t FactorOf(uint32_t slot) { return MixHash(kOfSlot, slot) | 1; }
constexpr std::array<uint64_t, 16> ListFactors() {
  std::array<uint64_t, 16> factors{};
  for (uint32_t slot = 0; slot < factors.size(); ++slot) factors[slot] = FactorOf(slot);
  return factors;
}
constexpr std::array<uint64_t, 16> kFactors = ListFactors();

struct Print {
  uint64_t loose = 0;
  uint64_t tight = 0;
};

// A print is a hash already.
struct AsItIs {
  size_t operator()(uint64_t print) const { return print; }
};

// What neighbours are to a node: sums, not sequences, over these, for a value's many readers have
// no order of their own. Prints are hashes already: a product tells the slots apart as well as
// another hash, for a third of the time.
void AddNeighbours(absl::Span<const Flow::Edge> edges, const IdVector<Rank, Print>& before,
                   Print& sum) {
  for (const Flow::Edge& edge : edges) {
    const Print& neighbour = before[edge.rank];
    const uint64_t factor = edge.slot < kFactors.size() ? kFactors[edge.slot] : FactorOf(edge.slot);
    sum.loose += neighbour.loose * factor;
    sum.tight += neighbour.tight * factor;
  }
}

// One round for both kinds at once: the time goes into reaching the neighbours.
void Refine(const Flow& flow, const IdVector<Rank, Print>& before, IdVector<Rank, Print>& after) {
  for (Rank i : flow.ranks()) {
    Print producers = {kFromProducer, kFromProducer};
    Print consumers = {kFromConsumer, kFromConsumer};
    AddNeighbours(flow.producers(i), before, producers);
    AddNeighbours(flow.consumers(i), before, consumers);
    const Print& own = before[i];
    after[i] = {MixHash(own.loose, MixHash(producers.loose, consumers.loose)),
                MixHash(own.tight, MixHash(producers.tight, consumers.tight))};
  }
}

}  // namespace

Fingerprints::Fingerprints(const Flow& flow) {
  IdVector<Rank, Print> now(flow.size());
  IdVector<Rank, Print> next(flow.size());
  const auto keep = [&](Likeness likeness, uint64_t Print::*kind) {
    Prints& prints = prints_[static_cast<size_t>(likeness)];
    prints.numbers.reserve(now.size());
    absl::flat_hash_map<uint64_t, uint32_t, AsItIs> numbers;
    for (const Print& print : now) {
      const auto next_number = static_cast<uint32_t>(numbers.size());
      prints.numbers.push_back(numbers.try_emplace(print.*kind, next_number).first->second);
    }
    prints.count = static_cast<uint32_t>(numbers.size());
  };
  const auto refine = [&](int rounds) {
    for (; rounds > 0; --rounds) {
      Refine(flow, now, next);
      std::swap(now, next);
    }
  };
  for (Rank i : flow.ranks()) {
    const NodeId node = flow.node(i);
    now[i].loose = LookOf(flow.graph(), node);
    now[i].tight = MixHash(now[i].loose, flow.graph().node(node).attribute_hash);
  }
  keep(Likeness::kLoose0, &Print::loose);
  refine(1);
  keep(Likeness::kLoose1, &Print::loose);
  refine(1);
  keep(Likeness::kLoose2, &Print::loose);
  refine(1);
  keep(Likeness::kLoose3, &Print::loose);
  keep(Likeness::kTight3, &Print::tight);
  refine(3);
  keep(Likeness::kLoose6, &Print::loose);
  keep(Likeness::kTight6, &Print::tight);
}

}  // namespace onnx_hier
