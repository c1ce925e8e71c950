#include "lib/graph/fingerprints.h"

#include <array>
#include <bit>
#include <vector>

#include "lib/base/hash.h"
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

  // From the last node to the first: each edge is gone over once, when the node that reads has its
  // old print and so has the one that is read, whose other readers have mostly been here before.
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

// Counts different prints in order of first sight.
class PrintNumbers {
 public:
  uint32_t NumberOf(uint64_t print) {
    if (count_ == most_) Grow();
    Slot* const slot = Find(print);
    if (slot->number == kNone) *slot = {print, count_++};
    return slot->number;
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  struct Slot {
    uint64_t print = 0;
    uint32_t number = kNone;
  };

  // Where it is, or where it goes.
  Slot* Find(uint64_t print) {
    Slot* const slots = slots_.data();
    size_t at = (print * factor_) >> shift_;
    while (slots[at].number != kNone && slots[at].print != print) {
      at = (at + 1) & mask_;
    }
    return slots + at;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFewest : 2 * slots_.size());
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(slots_.size());
    mask_ = slots_.size() - 1;
    most_ = static_cast<uint32_t>(slots_.size() / 2);
    for (const Slot& slot : old) {
      if (slot.number != kNone) *Find(slot.print) = slot;
    }
  }

  static constexpr size_t kFewest = 64;

  std::vector<Slot> slots_;  // as many as a power of two, at most half of them taken
  // No file can be made whose prints all collide.
  const uint64_t factor_ = RandomHashKey().state | 1;
  int shift_ = 0;
  size_t mask_ = 0;
  uint32_t most_ = 0;  // as many as fit
  uint32_t count_ = 0;
};

}  // namespace

Fingerprints::Fingerprints(const Flow& flow) {
  IdVector<Rank, Print> now(flow.size());
  const auto keep = [&](Likeness likeness, uint64_t Print::*kind) {
    Prints& prints = prints_[static_cast<size_t>(likeness)];
    prints.numbers.resize(now.size());
    PrintNumbers numbers;
    for (Rank i : flow.ranks()) prints.numbers[i] = numbers.NumberOf(now[i].*kind);
    prints.count = numbers.count();
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
