// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/template_growth.h"

#include <algorithm>

#include "lib/base/hash.h"
#include "lib/base/rules.h"
#include "lib/graph/node_look.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

constexpr size_t kLargest = 64;            // steps
constexpr size_t kWidest = 32;             // nodes at one side of the border
constexpr size_t kMostGrowthReaders = 32;  // of one node
// Readers looked at, for each node of a module and each step that there may be: some four in real
// models. Only where very much is read by very many are there more: that has no templates.
constexpr uint64_t kGrowthLooks = 64;

bool HasIn(Rank rank, const std::vector<Rank>& sorted) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

void Insert(Rank rank, std::vector<Rank>& sorted) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), rank);
  if (at == sorted.end() || *at != rank) sorted.insert(at, rank);
}

void Erase(Rank rank, std::vector<Rank>& sorted) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), rank);
  if (at != sorted.end() && *at == rank) sorted.erase(at);
}

}  // namespace

TemplateGrower::TemplateGrower(const Context& context)
    : context_(context), flow_(context.flow), taken_in_(flow_.size()), position_(flow_.size()) {}

std::vector<TemplateStep> TemplateGrower::GrowBefore(Surroundings::Interval span, bool leaf) {
  Begin(span, {});
  leaf_ = leaf;
  const size_t most_exits = std::max<size_t>(1, exits_.size());
  std::vector<TemplateStep> steps;
  barrier_ = Rank();
  while (IsWithinBounds(steps.size())) {
    TemplateStep step;
    bool found = Find(&step);
    if (!found && barrier_.valid()) {
      barrier_ = Rank();
      found = Find(&step);
    }
    if (!found) break;
    Take(step.rank, steps.size() + 1);
    Erase(step.rank, sources_);
    AddEnds(step.rank);
    step.has_matrix = ReadsMatrix(flow_.graph(), flow_.node(step.rank));
    Rank entry;
    const bool has_one_entry = HasOneEntry(&entry);
    step.is_cut = has_one_entry && exits_.size() <= most_exits;
    if (step.is_cut) step.beyond = entry;
    // Who reads the value that comes in may serve the module as well, as what computes its size:
    // these are asked before what makes that value is.
    if (has_one_entry && entry.valid() &&
        (exits_.size() > most_exits || FirstReader(entry).valid())) {
      barrier_ = entry;
    } else if (step.is_cut) {
      barrier_ = Rank();
    }
    steps.push_back(step);
  }
  return steps;
}

std::vector<TemplateStep> TemplateGrower::GrowBehind(Surroundings::Interval span,
                                                     absl::Span<const TemplateStep> before,
                                                     Behind behind) {
  Begin(span, before);
  std::vector<TemplateStep> steps;
  if (!behind.may_pass && exits_.size() < 2) return steps;
  const std::vector<Rank> sources = sources_;
  const bool reads_input = reads_input_;
  while (IsWithinBounds(before.size() + steps.size())) {
    TemplateStep step;
    for (Rank exit : exits_) step.rank = std::min(step.rank, FirstReader(exit));
    if (!step.rank.valid() || IsTaken(step.rank) || context_.known[step.rank].valid()) break;
    for (const Flow::Edge& edge : flow_.producers(step.rank)) {
      step.joins |= HasIn(edge.rank, sources);
    }
    if (step.joins && !behind.may_join) break;
    step.key = KeyBehind(step.rank);
    Take(step.rank, before.size() + steps.size() + 1);
    AddEnds(step.rank);
    step.is_cut = exits_.size() <= 1 && sources_ == sources && reads_input_ == reads_input;
    if (step.is_cut && !exits_.empty()) step.beyond = FirstReader(exits_[0]);
    steps.push_back(step);
    if (step.is_cut && !behind.may_pass) break;
  }
  return steps;
}

void TemplateGrower::Begin(Surroundings::Interval span, absl::Span<const TemplateStep> before) {
  ++round_;
  looks_left_ = kGrowthLooks * (span.last.index() - span.first.index() + 1 + kLargest);
  before_ = context_.surroundings.previous(span.first);
  behind_ = context_.surroundings.next(span.last);
  sources_.clear();
  exits_.clear();
  reads_input_ = false;
  for (Rank i = span.first; i <= span.last; ++i) {
    if (!flow_.is_constant(i)) Take(i, 0);
  }
  for (size_t k = 0; k < before.size(); ++k) Take(before[k].rank, k + 1);
  // All are taken before the first is looked at: none ceases to be read outside.
  for (Rank i = span.first; i <= span.last && IsWithinBounds(0); ++i) {
    if (IsTaken(i)) AddEnds(i, /*may_close=*/false);
  }
  for (const TemplateStep& step : before) AddEnds(step.rank, /*may_close=*/false);
}

bool TemplateGrower::IsShared(Rank source) const {
  const absl::Span<const Flow::Edge> readers = flow_.consumers(source);
  if (!IsOn(Rule::kSharedSources) || readers.empty()) return false;
  const bool before = before_.valid() && readers.front().rank < before_;
  return before || (behind_.valid() && readers.back().rank > behind_);
}

bool TemplateGrower::HasOneEntry(Rank* entry) const {
  *entry = Rank();
  size_t entries = reads_input_ ? 1 : 0;
  for (Rank source : sources_) {
    if (!leaf_ && IsShared(source)) continue;
    ++entries;
    *entry = source;
  }
  if (entries == 0 && !sources_.empty()) {
    ++entries;
    *entry = sources_.back();
  }
  return entries == 1;
}

void TemplateGrower::Take(Rank rank, size_t position) {
  taken_in_[rank] = round_;
  position_[rank] = static_cast<uint32_t>(position);
}

bool TemplateGrower::IsWithinBounds(size_t steps) const {
  return looks_left_ > 0 && steps < kLargest && sources_.size() <= kWidest &&
         exits_.size() <= kWidest;
}

void TemplateGrower::AddEnds(Rank rank, bool may_close) {
  reads_input_ |= flow_.reads_input(rank);
  for (const Flow::Edge& edge : flow_.producers(rank)) {
    if (flow_.is_constant(edge.rank)) continue;
    if (!IsTaken(edge.rank)) {
      Insert(edge.rank, sources_);
    } else if (may_close && !FirstReader(edge.rank).valid()) {
      Erase(edge.rank, exits_);
    }
    if (!IsWithinBounds(0)) return;
  }
  if (FirstReader(rank).valid()) Insert(rank, exits_);
}

Rank TemplateGrower::FirstReader(Rank rank) {
  const absl::Span<const Flow::Edge> readers = flow_.consumers(rank);
  for (size_t i = 0; i < readers.size(); ++i) {
    if (looks_left_ > 0) --looks_left_;
    if (i == kMostGrowthReaders || !IsTaken(readers[i].rank)) return readers[i].rank;
  }
  return Rank();
}

bool TemplateGrower::FindBefore(TemplateStep* step) {
  if (sources_.empty()) return false;
  const Rank rank = sources_.back();
  if (rank == barrier_ || context_.known[rank].valid() || FirstReader(rank).valid()) return false;
  step->rank = rank;
  step->is_plain =
      context_.dominators.operands(rank) < 2 && !ReadsMatrix(flow_.graph(), flow_.node(rank));
  step->key = LookOfOperator(flow_.graph(), flow_.node(rank));
  for (const Flow::Edge& edge : flow_.consumers(rank)) {
    step->key = MixHash(step->key, MixHash(position_[edge.rank], edge.slot));
  }
  return true;
}

// Where what comes in meets what was taken, as in a skip connection, the module may have ended. One
// that holds others may also work on what it computed before the two meet: a gate does.
bool TemplateGrower::FindBehind(TemplateStep* step) {
  Rank next;
  for (Rank source : sources_) next = std::min(next, FirstReader(source));
  if (exits_.size() > 1) {
    for (Rank exit : exits_) next = std::min(next, FirstReader(exit));
  }
  if (!next.valid() || IsTaken(next) || context_.known[next].valid()) return false;
  bool reads_module = false;
  bool reads_source = false;
  for (const Flow::Edge& edge : flow_.producers(next)) {
    reads_module |= !flow_.is_constant(edge.rank) && IsTaken(edge.rank);
    reads_source |= HasIn(edge.rank, sources_);
  }
  if (reads_source && (reads_module || (leaf_ && context_.dominators.is_join(next)))) return false;
  step->rank = next;
  step->key = ~KeyBehind(next);
  return true;
}

uint64_t TemplateGrower::KeyBehind(Rank rank) const {
  constexpr uint32_t kFromOutside = ~0u;
  uint64_t key = LookOfOperator(flow_.graph(), flow_.node(rank));
  for (const Flow::Edge& edge : flow_.producers(rank)) {
    if (flow_.is_constant(edge.rank)) continue;
    const uint32_t from = IsTaken(edge.rank) ? position_[edge.rank] : kFromOutside;
    key = MixHash(key, MixHash(from, edge.slot));
  }
  return key;
}

}  // namespace onnx_hier
