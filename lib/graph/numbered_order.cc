// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/numbered_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kNoNumber = 0xFFFFFFFFu;
// Nodes after which a file that has no such names is given up.
constexpr size_t kTried = 64;
// Fewer neighbours of one stem, or fewer of all nodes, tell of no order.
constexpr size_t kLeastPairs = 16;
constexpr size_t kLeastShare = 4;
// Of neighbours of one stem more than one of so many stands against its number, or they are in
// order: rewriters that replace a node leave few so. Where one count goes over all, so many nodes
// stand behind one with a larger number.
constexpr size_t kOften = 20;
// Of values that counted nodes read, all but one of so many have smaller numbers, if the count is
// one: equal nodes that were merged have the name of any of them. (Of 28 optimised files one of 8
// at most, and where each stem has a count of its own, one of 4 at least.)
constexpr size_t kSeldom = 6;

// 12 for a Conv that is called "Conv_12".
uint32_t NumberOf(absl::string_view name, absl::string_view op_type) {
  uint32_t number = 0;
  const bool is_numbered = absl::ConsumePrefix(&name, op_type) && absl::ConsumePrefix(&name, "_") &&
                           absl::SimpleAtoi(name, &number);
  return is_numbered ? number : kNoNumber;
}

bool HasTwice(const IdVector<Rank, uint32_t>& numbers) {
  absl::flat_hash_set<uint32_t> seen;
  return std::any_of(numbers.begin(), numbers.end(), [&](uint32_t number) {
    return number != kNoNumber && !seen.insert(number).second;
  });
}

// Of each node; of no size if most have none, if two have the same, or if all are in that order.
IdVector<Rank, uint32_t> ReadNumbers(const Flow& flow) {
  const Graph& graph = flow.graph();
  IdVector<Rank, uint32_t> numbers;  // grown as it is read: most files are given up at once
  size_t numbered = 0;
  uint32_t last = 0;
  bool ascending = true;
  for (Rank i : flow.ranks()) {
    const NodeId node = flow.node(i);
    const uint32_t number = NumberOf(graph.node(node).name, graph.op(node).type);
    numbers.push_back(number);
    if (number == kNoNumber) {
      if (i.index() >= kTried && 2 * numbered < i.index()) return {};
      continue;
    }
    ascending = ascending && (numbered == 0 || number > last);
    last = number;
    ++numbered;
  }
  // As exported, nearly all files are.
  if (ascending || 2 * numbered < flow.size() || HasTwice(numbers)) return {};
  return numbers;
}

// What a value is called after, and how many so called were before: {"linear", 3} of "linear_3",
// {"linear", none} of "linear". No stem: it is called otherwise.
struct CountedName {
  absl::string_view stem;
  uint32_t number = kNoNumber;
};

CountedName ReadCountedName(absl::string_view name) {
  const auto is_alnum = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  if (name.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(name[0]))) return {};
  size_t last = 0;  // underscore
  bool is_number = false;
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_') {
      // onnxruntime counts what it makes, in another order.
      if (absl::StartsWith(name.substr(i), "_token")) return {};
      last = i;
      is_number = true;
    } else if (!is_alnum(name[i])) {
      return {};
    } else {
      is_number = is_number && absl::ascii_isdigit(static_cast<unsigned char>(name[i]));
    }
  }
  CountedName count = {name};
  if (is_number && absl::SimpleAtoi(name.substr(last + 1), &count.number)) {
    count.stem = name.substr(0, last);
  }
  return count;
}

// The first has no number.
uint32_t PlaceOf(const CountedName& count) { return count.number == kNoNumber ? 0 : count.number; }

// Of each node, by what it makes.
struct CountedNames {
  IdVector<Rank, CountedName> of;
  size_t pairs = 0;     // neighbours of one stem
  size_t inverted = 0;  // of these, those that stand against their numbers
  size_t late = 0;      // nodes behind one with a larger number
};

// Of no size if there are few such names.
CountedNames ReadCounts(const Flow& flow) {
  const Graph& graph = flow.graph();
  CountedNames counts;
  absl::flat_hash_map<absl::string_view, uint32_t> last;  // of each stem
  uint32_t largest = 0;
  for (Rank i : flow.ranks()) {
    if (i.index() >= kTried && counts.pairs * kLeastShare * 2 < i.index()) return {};
    const absl::Span<const ValueId> outputs = graph.outputs(flow.node(i));
    const bool is_named = !outputs.empty() && outputs[0].valid();
    const CountedName count =
        is_named ? ReadCountedName(graph.value(outputs[0]).name) : CountedName();
    counts.of.push_back(count);
    if (count.stem.empty()) continue;
    const uint32_t place = PlaceOf(count);
    if (count.number != kNoNumber && place < largest) ++counts.late;
    largest = std::max(largest, place);
    const auto [at, added] = last.try_emplace(count.stem, place);
    if (added) continue;
    ++counts.pairs;
    if (at->second > place) ++counts.inverted;
    at->second = place;
  }
  if (counts.pairs < kLeastPairs || counts.pairs * kLeastShare < flow.size()) return {};
  return counts;
}

// The numbers of all, if one count goes over all stems; else of no size.
IdVector<Rank, uint32_t> ReadOneCount(const Flow& flow, const IdVector<Rank, CountedName>& counts) {
  size_t pairs = 0;
  size_t inverted = 0;
  for (Rank i : flow.ranks()) {
    for (const Flow::Edge& edge : flow.producers(i)) {
      const uint32_t from = counts[edge.rank].number;
      if (from == kNoNumber || counts[i].number == kNoNumber) continue;
      ++pairs;
      if (from >= counts[i].number) ++inverted;
    }
  }
  if (pairs < kLeastPairs || inverted * kSeldom > pairs) return {};
  IdVector<Rank, uint32_t> numbers;
  numbers.reserve(flow.size());
  for (const CountedName& count : counts) numbers.push_back(count.number);
  return HasTwice(numbers) ? IdVector<Rank, uint32_t>() : numbers;
}

// What has no number, or that of a node that it was merged with, stands before the first that reads
// it.
IdVector<Rank, NodeId> OrderByOneCount(const Flow& flow, IdVector<Rank, uint32_t> numbers) {
  for (size_t k = flow.size(); k-- > 0;) {
    const Rank i(k);
    for (const Flow::Edge& edge : flow.consumers(i)) {
      numbers[i] = std::min(numbers[i], numbers[edge.rank]);
    }
  }
  // Those with nothing left to wait for; of the same number, the first of the file comes first.
  using Waiting = std::pair<uint32_t, Rank>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> ready;
  IdVector<Rank, uint32_t> waits_for(flow.size());
  for (Rank i : flow.ranks()) {
    waits_for[i] = static_cast<uint32_t>(flow.producers(i).size());
    if (waits_for[i] == 0) ready.push({numbers[i], i});
  }
  IdVector<Rank, NodeId> nodes;
  nodes.reserve(flow.size());
  while (!ready.empty()) {
    const Rank rank = ready.top().second;
    ready.pop();
    nodes.push_back(flow.node(rank));
    for (const Flow::Edge& edge : flow.consumers(rank)) {
      if (--waits_for[edge.rank] == 0) ready.push({numbers[edge.rank], edge.rank});
    }
  }
  return nodes;
}

// The next node of the same stem; or none.
IdVector<Rank, Rank> FindNextOfStem(const IdVector<Rank, CountedName>& counts) {
  std::vector<Rank> counted;
  for (Rank i : IdRange<Rank>(counts.size())) {
    if (!counts[i].stem.empty()) counted.push_back(i);
  }
  std::sort(counted.begin(), counted.end(), [&](Rank a, Rank b) {
    return counts[a].stem != counts[b].stem ? counts[a].stem < counts[b].stem
                                            : PlaceOf(counts[a]) < PlaceOf(counts[b]);
  });
  IdVector<Rank, Rank> next(counts.size());
  for (size_t k = 1; k < counted.size(); ++k) {
    if (counts[counted[k - 1]].stem == counts[counted[k]].stem) next[counted[k - 1]] = counted[k];
  }
  return next;
}

// Each behind the one before of its stem, unless what it makes is needed earlier; of those that may
// come next, the one that reads what was made last, as programs run.
IdVector<Rank, NodeId> OrderByStems(const Flow& flow, const IdVector<Rank, CountedName>& counts) {
  const IdVector<Rank, Rank> next = FindNextOfStem(counts);
  IdVector<Rank, uint32_t> waits_for(flow.size());
  IdSet<Rank> waits_for_stem(flow.size());
  for (Rank i : flow.ranks()) {
    waits_for[i] = static_cast<uint32_t>(flow.producers(i).size());
    if (next[i].valid()) waits_for_stem.Add(next[i]);
  }
  // By the place of what they read that was made last; of the same, the first of the file is last.
  using Waiting = std::pair<uint32_t, Rank>;
  struct IsLater {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };
  using Queue = std::priority_queue<Waiting, std::vector<Waiting>, IsLater>;
  Queue ready;
  Queue early;                                      // not all before them of their stems are listed
  IdVector<Rank, uint32_t> places(flow.size(), 0);  // counted from 1; 0: not yet
  const auto add = [&](Rank i) {
    uint32_t last = 0;
    for (const Flow::Edge& edge : flow.producers(i)) last = std::max(last, places[edge.rank]);
    (waits_for_stem.Has(i) ? early : ready).push({last, i});
  };
  for (Rank i : flow.ranks()) {
    if (waits_for[i] == 0) add(i);
  }
  IdVector<Rank, NodeId> nodes;
  nodes.reserve(flow.size());
  while (!ready.empty() || !early.empty()) {
    Queue& from = ready.empty() ? early : ready;
    const Rank rank = from.top().second;
    from.pop();
    if (places[rank] != 0) continue;
    nodes.push_back(flow.node(rank));
    places[rank] = static_cast<uint32_t>(nodes.size());
    for (const Flow::Edge& edge : flow.consumers(rank)) {
      if (--waits_for[edge.rank] == 0) add(edge.rank);
    }
    if (!next[rank].valid()) continue;
    waits_for_stem.Remove(next[rank]);
    if (waits_for[next[rank]] == 0 && places[next[rank]] == 0) add(next[rank]);
  }
  return nodes;
}

}  // namespace

std::optional<IdVector<Rank, NodeId>> OrderByNumbers(const Flow& flow) {
  IdVector<Rank, uint32_t> numbers = ReadNumbers(flow);
  if (!numbers.empty()) return OrderByOneCount(flow, std::move(numbers));
  const CountedNames counts = ReadCounts(flow);
  // As exported, or nearly so.
  if (counts.late * kOften <= counts.pairs) return std::nullopt;
  numbers = ReadOneCount(flow, counts.of);
  if (!numbers.empty()) return OrderByOneCount(flow, std::move(numbers));
  if (counts.inverted * kOften <= counts.pairs) return std::nullopt;
  return OrderByStems(flow, counts.of);
}

}  // namespace onnx_hier
