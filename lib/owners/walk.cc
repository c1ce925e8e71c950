// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/walk.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/hash.h"
#include "lib/owners/walk_facts.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

// Modules of a way: of longer ones, which no network has, the middle is left out.
constexpr size_t kMostSteps = 40;
// Nodes that a run counts as at most, and what a small node counts of one.
constexpr float kLongRun = 4;
constexpr float kSmallNode = 0.25f;
// How modules that are alike are drawn to where most of them begin and end: so often, each time by
// the share of them, which is never quite none.
constexpr int kRounds = 2;
constexpr float kLeastShare = 0.03f;
// Of runs that are alike, so many speak for all.
constexpr size_t kMostAsked = 8;

}  // namespace

float Walk::Weights::Sum(absl::Span<const WalkFeature> features) const {
  float sum = 0;
  for (WalkFeature feature : features) {
    const auto found = by_feature_.find(feature);
    if (found != by_feature_.end()) sum += found->second;
  }
  return sum;
}

namespace {

// Crossings of modules that are alike, with the same operators on the module's side.
class AlikeCrossings {
 public:
  AlikeCrossings(const Walk::Facts& facts, absl::Span<const WalkRun> runs) {
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> kinds;  // of group, operators
    for (size_t r = 0; r < runs.size(); ++r) {
      const WalkRun& run = runs[r];
      const std::vector<uint64_t> from_begin = facts.HashesFrom(run, /*backwards=*/false);
      const std::vector<uint64_t> from_end = facts.HashesFrom(run, /*backwards=*/true);
      for (size_t step = 0; step + 1 < run.way.size(); ++step) {
        const uint64_t group = facts.GroupOf(run, step);
        const bool leaves = run.leaves(step);
        const std::vector<uint64_t>& hashes = leaves ? from_begin : from_end;
        for (size_t i = 0; i < hashes.size(); ++i) {
          const size_t gap = leaves ? i : run.nodes.size() - i;
          const auto kind = static_cast<uint32_t>(kinds.size());
          crossings_.push_back(
              {kinds.try_emplace({group, hashes[i]}, kind).first->second, r, gap, step});
        }
      }
    }
    counts_.resize(kinds.size());
    for (const Crossing& crossing : crossings_) ++counts_[crossing.kind];
  }

  // Draws their scores to how likely the others are.
  void Draw(const std::vector<Lattice>& likely, std::vector<Lattice>& scores) const {
    std::vector<float> sums(counts_.size());
    for (const Crossing& at : crossings_) {
      sums[at.kind] += likely[at.run].crossing(at.gap, at.step);
    }
    for (const Crossing& at : crossings_) {
      if (counts_[at.kind] == 1) continue;
      const float mean = sums[at.kind] / static_cast<float>(counts_[at.kind]);
      const float share = likely[at.run].crossing(at.gap, at.step);
      scores[at.run].crossing(at.gap, at.step) +=
          std::log1p((mean - share) / (share + kLeastShare));
    }
  }

 private:
  struct Crossing {
    uint32_t kind;
    size_t run;
    size_t gap;
    size_t step;
  };

  std::vector<Crossing> crossings_;
  std::vector<uint32_t> counts_;  // by kind
};

}  // namespace

Walk::Walk(const Context& context) : context_(context) {
  auto facts = std::make_unique<Facts>(context);
  const ModulePaths& paths = context.paths;
  WalkRun run;
  const auto close = [&](Rank after) {
    const PathId from = run.before.valid() ? facts->anchor(run.before) : paths.root();
    const PathId to = after.valid() ? facts->anchor(after) : paths.root();
    run.after = after;
    PathId turn = paths.CommonAncestor(from, to);
    PathId skipped;  // the list that is left for its parent
    const bool is_inner = run.before.valid() && after.valid() && turn != paths.root();
    if (is_inner && facts->is_list(turn)) {
      run.kind = Turn::kOutOfList;
      skipped = turn;
    } else if (is_inner && facts->reads_again(after)) {
      run.kind = Turn::kAgain;
    }
    if (run.kind != Turn::kCommon) {
      turn = paths.parent(turn);
      while (turn != paths.root() && facts->is_list(turn)) turn = paths.parent(turn);
    }
    std::vector<PathId> down;
    for (PathId path = from; path != turn; path = paths.parent(path)) run.way.push_back(path);
    for (PathId path = to; path != turn; path = paths.parent(path)) {
      if (!skipped.valid() || !paths.Contains(path, skipped)) down.push_back(path);
    }
    if (run.way.size() > kMostSteps / 2) run.way.resize(kMostSteps / 2);
    if (down.size() > kMostSteps / 2) down.resize(kMostSteps / 2);
    run.turn = run.way.size();
    run.way.push_back(turn);
    run.way.insert(run.way.end(), down.rbegin(), down.rend());
    if (!run.nodes.empty()) runs_.push_back(std::move(run));
    run = WalkRun();
    run.before = after;
  };
  for (Rank rank : context.flow.ranks()) {
    if (facts->is_anchor(rank)) {
      close(rank);
    } else if (!context.known[rank].valid()) {
      run.nodes.push_back(rank);
    }
  }
  close(Rank());
  facts->CountBeginnings(runs_);
  facts_ = std::move(facts);
}

Walk::~Walk() = default;

std::vector<float> Walk::TempersOf(const WalkRun& run) const {
  std::vector<float> tempers;
  float sum = 0;
  for (Rank rank : run.nodes) {
    tempers.push_back(facts_->is_small(rank) ? kSmallNode : 1);
    sum += tempers.back();
  }
  for (float& temper : tempers) temper *= std::min(1.0f, kLongRun / std::max(1.0f, sum));
  return tempers;
}

std::vector<std::vector<size_t>> Walk::AlikeRuns() const {
  using Look = std::tuple<uint64_t, size_t, size_t>;  // and nodes, and steps
  absl::flat_hash_map<Look, size_t> places;
  std::vector<std::vector<size_t>> alike;
  for (size_t r = 0; r < runs_.size(); ++r) {
    const WalkRun& run = runs_[r];
    uint64_t look = MixHash(facts_->anchor_type(run.before), facts_->anchor_type(run.after));
    look = MixHash(look, run.turn);
    for (PathId path : run.way) {
      look = MixHash(look, facts_->below(context_.paths.root(), path));
    }
    for (Rank rank : run.nodes) look = MixHash(look, facts_->operator_hash(rank));
    const auto [place, is_new] =
        places.try_emplace({look, run.nodes.size(), run.way.size()}, alike.size());
    if (is_new) alike.emplace_back();
    alike[place->second].push_back(r);
  }
  return alike;
}

Lattice Walk::ScoresOf(absl::Span<const size_t> alike, const Weights& weights) const {
  const WalkRun& first = runs_[alike[0]];
  Lattice scores(first.nodes.size(), first.way.size());
  const size_t asked = std::min(alike.size(), kMostAsked);
  const float share = 1 / static_cast<float>(asked);
  for (size_t i = 0; i < asked; ++i) {
    const WalkRun& run = runs_[alike[i * alike.size() / asked]];
    const std::vector<float> tempers = TempersOf(run);
    FeaturesOf(
        run,
        [&](size_t node, size_t step, absl::Span<const WalkFeature> features) {
          scores.place(node, step) += share * weights.Sum(features) * tempers[node];
        },
        [&](size_t gap, size_t step, absl::Span<const WalkFeature> features) {
          scores.crossing(gap, step) += share * weights.Sum(features);
        });
  }
  return scores;
}

void Walk::AddOwn(const WalkRun& run, Own own, Lattice& scores) {
  for (size_t node = 0; node < run.nodes.size(); ++node) {
    for (size_t step = 0; step < run.way.size(); ++step) {
      scores.place(node, step) += own(run.nodes[node], run.way[step]);
    }
  }
}

std::vector<Lattice> Walk::Decide(const Weights& weights, std::optional<Own> own,
                                  size_t threads) const {
  const std::vector<std::vector<size_t>> alike = AlikeRuns();
  std::vector<Lattice> scores(runs_.size());
  RunOnThreads(alike.size(), threads, [&](size_t i) {
    const Lattice together = ScoresOf(alike[i], weights);
    for (size_t r : alike[i]) {
      scores[r] = together;
      if (own.has_value()) AddOwn(runs_[r], *own, scores[r]);
    }
  });
  const AlikeCrossings crossings(*facts_, runs_);
  std::vector<Lattice> likely(runs_.size());
  for (int round = 0; round <= kRounds; ++round) {
    if (round > 0) crossings.Draw(likely, scores);
    RunOnThreads(runs_.size(), threads, [&](size_t r) { likely[r] = Marginals(scores[r]); });
  }
  return likely;
}

}  // namespace onnx_hier
