// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/fingerprints.h"

#include <array>

#include "lib/base/hash.h"
#include "lib/base/number_table.h"
#include "lib/base/random_hash_key.h"
#include "lib/graph/node_look.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kFromProducer = 0x50;
constexpr uint64_t kFromConsumer = 0x43;
constexpr uint64_t kOfSlot = 0x53;
// Any odd number without an order of its own.
constexpr uint64_t kOfProducers = 0xA0761D6478BD642F;

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

// One round for both kinds at once. What neighbours are to a node are sums, not sequences, for a
// value's many readers have no order of their own. Prints are hashes already: a product tells the
// slots apart as well as another hash, for a third of the time.
class Refining {
 public:
  Refining(const Flow& flow, IdVector<Rank, Print>& prints)
      : flow_(flow), prints_(prints), consumers_(flow.size(), kNoConsumers) {}

  // From the last node to the first, so that each edge is gone over once: both its ends have their
  // old prints then, and whoever reads a node was here before it.
  void Round() {
    for (size_t at = prints_.size(); at-- > 0;) {
      const Rank rank(at);
      Print& own = prints_[rank];
      Print producers = {kFromProducer, kFromProducer};
      for (const Flow::Edge& edge : flow_.producers(rank)) {
        const uint64_t factor =
            edge.slot < kFactors.size() ? kFactors[edge.slot] : FactorOf(edge.slot);
        const Print& producer = prints_[edge.rank];
        producers.loose += producer.loose * factor;
        producers.tight += producer.tight * factor;
        Print& readers = consumers_[edge.rank];
        readers.loose += own.loose * factor;
        readers.tight += own.tight * factor;
      }
      Print& consumers = consumers_[rank];
      own = {MixHash(own.loose + kOfProducers * producers.loose, consumers.loose),
             MixHash(own.tight + kOfProducers * producers.tight, consumers.tight)};
      consumers = kNoConsumers;
    }
  }

 private:
  static constexpr Print kNoConsumers = {kFromConsumer, kFromConsumer};

  const Flow& flow_;
  IdVector<Rank, Print>& prints_;
  IdVector<Rank, Print> consumers_;  // the sums of a round
};

}  // namespace

Fingerprints::Fingerprints(const Flow& flow) {
  IdVector<Rank, Print> now(flow.size());
  const uint64_t factor = RandomHashKey().state | 1;
  const auto keep = [&](Likeness likeness, uint64_t Print::*kind) {
    Prints& prints = prints_[static_cast<size_t>(likeness)];
    prints.numbers.resize(now.size());
    NumberTable<uint64_t> table;
    uint32_t count = 0;
    for (Rank i : flow.ranks()) {
      // Products with an odd number differ where prints do: where they are equal, so are those.
      const uint32_t number =
          table.FindOrAdd(now[i].*kind * factor, count, [](uint32_t) { return true; });
      prints.numbers[i] = number;
      if (number == count) ++count;
    }
    prints.count = count;
  };
  for (Rank i : flow.ranks()) {
    const NodeId node = flow.node(i);
    now[i].loose = LookOf(flow.graph(), node);
    now[i].tight = MixHash(now[i].loose, flow.graph().node(node).attribute_hash);
  }
  Refining refining(flow, now);
  keep(Likeness::kLoose0, &Print::loose);
  refining.Round();
  keep(Likeness::kLoose1, &Print::loose);
  refining.Round();
  keep(Likeness::kLoose2, &Print::loose);
  refining.Round();
  keep(Likeness::kLoose3, &Print::loose);
  keep(Likeness::kTight3, &Print::tight);
  for (int round = 3; round < 6; ++round) refining.Round();
  keep(Likeness::kLoose6, &Print::loose);
  keep(Likeness::kTight6, &Print::tight);
}

}  // namespace onnx_hier
