#include "lib/graph/fingerprints.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/hash.h"
#include "lib/graph/node_look.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kFromProducer = 0x50;
constexpr uint64_t kFromConsumer = 0x43;
struct Print {
  uint64_t loose = 0;
  uint64_t tight = 0;
};

// One round for both kinds at once: the time goes into reaching the neighbours. Sums, not
// sequences, over these: a value's many readers have no order of their own.
void Refine(const Flow& flow, const IdVector<Rank, Print>& before, IdVector<Rank, Print>& after) {
  for (Rank i : flow.ranks()) {
    Print producers = {kFromProducer, kFromProducer};
    for (const Flow::Edge& edge : flow.producers(i)) {
      producers.loose += MixHash(before[edge.rank].loose, edge.slot);
      producers.tight += MixHash(before[edge.rank].tight, edge.slot);
    }
    Print consumers = {kFromConsumer, kFromConsumer};
    for (const Flow::Edge& edge : flow.consumers(i)) {
      consumers.loose += MixHash(before[edge.rank].loose, edge.slot);
      consumers.tight += MixHash(before[edge.rank].tight, edge.slot);
    }
    after[i].loose = MixHash(before[i].loose, MixHash(producers.loose, consumers.loose));
    after[i].tight = MixHash(before[i].tight, MixHash(producers.tight, consumers.tight));
  }
}

}  // namespace

Fingerprints::Fingerprints(const Flow& flow) {
  IdVector<Rank, Print> now(flow.size());
  IdVector<Rank, Print> next(flow.size());
  const auto keep = [&](Likeness likeness, uint64_t Print::*kind) {
    Prints& prints = prints_[static_cast<size_t>(likeness)];
    prints.numbers.reserve(now.size());
    absl::flat_hash_map<uint64_t, uint32_t> numbers;
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
