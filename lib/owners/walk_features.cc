// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/base/hash.h"
#include "lib/owners/walk_facts.h"

namespace onnx_hier {
namespace {

// What is weighed; the numbers are in walk_weights.inc, and stay.
enum class About : uint8_t {
  // of a node at a step
  kStep,
  kOperator,
  kFlow,
  kFlowOperator,
  kDirect,
  kDirectOperator,
  kAfter,
  kBefore,
  kWeight,
  kWeightOperator,
  kDepth,
  kNumbered,
  kAround,
  kAroundBoth,
  kSourcesOperator,
  kReadersOperator,
  kLeftLike,
  kLeftLikeOperator,
  kEnteredLike,
  kEnteredLikeOperator,
  kFirstAnchor,
  kLastAnchor,
  // of a crossing
  kCrossing,
  kWhere,
  kCrossedStep,
  kNext,
  kPrevious,
  kBetween,
  kAlive,
  kFewestAlive,
  kFewestAliveOfAll,
  kGlue,
  kFewestWhere,
  kComplete,
  kCompleteNext,
  kRead,
  kLink,
  kLinkNext,
  kCrossedNumbered,
  kLeavesAnchor,
  kEntersAnchor,
  kLikeOthers,
  kMissing,         // of a place
  kCrossedMissing,  // of a crossing
  kLong,            // of a place
  kWeights,         // likewise
  kBranch,          // likewise
  kBranchOperator,  // likewise
  kChildren,        // likewise
  kChildrenOperator,
  kCrossedBranch,  // of a crossing
  kCrossedBranchNext,
};

constexpr int kFeatureBits = 26;  // of what a feature shows, behind what it is about
// Nodes of a module that are looked at for what is alive at its borders: those nearest to these.
constexpr uint32_t kMostNodesOfModule = 256;
constexpr OpKind kEdge = 127;  // of the graph, in a node's place

class FeatureList {
 public:
  void Clear() { list_.clear(); }
  template <class... Numbers>
  void Add(About about, Numbers... numbers) {
    uint64_t shown = 0;
    ((shown = MixHash(shown, static_cast<uint64_t>(numbers))), ...);
    list_.push_back(static_cast<uint32_t>(about) << kFeatureBits |
                    static_cast<uint32_t>(shown & ((1u << kFeatureBits) - 1)));
  }
  absl::Span<const WalkFeature> list() const { return list_; }

 private:
  std::vector<WalkFeature> list_;
};

// The first of `edges` that a count does not exceed; their number if it exceeds all.
int Bucket(size_t count, std::initializer_list<size_t> edges) {
  int bucket = 0;
  for (size_t edge : edges) {
    if (count <= edge) return bucket;
    ++bucket;
  }
  return bucket;
}

// Kinds of steps: at the ends of a way, between, or where it turns.
enum class StepKind : uint8_t { kOnly, kTurnFirst, kTurnLast, kTurn, kFirst, kUp, kLast, kDown };

StepKind KindOfStep(const WalkRun& run, size_t step) {
  const size_t last = run.way.size() - 1;
  if (last == 0) return StepKind::kOnly;
  if (step == run.turn) {
    return step == 0 ? StepKind::kTurnFirst : step == last ? StepKind::kTurnLast : StepKind::kTurn;
  }
  if (step < run.turn) return step == 0 ? StepKind::kFirst : StepKind::kUp;
  return step == last ? StepKind::kLast : StepKind::kDown;
}

// What is alive in each gap of a run.
struct Alive {
  uint32_t data = 0;
  uint32_t small = 0;
  bool is_read_behind = false;  // what comes in, behind the module, too
};

// Where a gap stands by a count: as few as anywhere or more, and among those with as few.
class Fewest {
 public:
  template <class Count>
  Fewest(size_t gaps, const Count& count) {
    for (size_t gap = 0; gap < gaps; ++gap) {
      if (gap == 0 || count(gap) < least_) {
        least_ = count(gap);
        number_ = 0;
        first_ = gap;
      }
      if (count(gap) != least_) continue;
      ++number_;
      last_ = gap;
    }
  }

  int Of(size_t gap, uint32_t count) const {
    if (count > least_) return count == least_ + 1 ? 1 : 2;
    return number_ == 1 ? 3 : gap == first_ ? 4 : gap == last_ ? 5 : 6;
  }

 private:
  uint32_t least_ = 0;
  uint32_t number_ = 0;
  size_t first_ = 0;
  size_t last_ = 0;
};

// Of one run.
class RunFeatures {
 public:
  RunFeatures(const Context& context, const Walk::Facts& facts, const WalkRun& run)
      : context_(context), flow_(context.flow), facts_(facts), run_(run) {
    for (size_t step = 0; step < run.way.size(); ++step) {
      const PathId module = run.way[step];
      const int leaf = facts.is_leaf(module) ? 0 : facts.is_list(module) ? 1 : 2;
      leaves_.push_back(leaf);
      const bool turns = step == run.turn;
      const int kind = static_cast<int>(KindOfStep(run, step)) +
                       8 * (!run.before.valid() && step <= run.turn ? 1 : 0) +
                       16 * (!run.after.valid() && step >= run.turn ? 1 : 0) +
                       32 * (turns ? static_cast<int>(run.kind) : 0);
      kinds_.push_back(kind);
      if (step + 1 < run.way.size()) shares_.push_back(facts.SharesOf(run, step));
    }
    missing_ = MissingMembers();
    length_ = Bucket(run.nodes.size(), {2, 4, 8, 16, 32, 64});
    size_t weights = 0;
    for (Rank rank : run.nodes) weights += facts.unnamed_weight(rank) > 0 ? 1 : 0;
    weights_ = Bucket(weights, {0, 1, 2, 4, 8, 16});
    first_type_ = facts.anchor_type(run.before);
    last_type_ = facts.anchor_type(run.after);
  }

  void Places(Walk::Place place) {
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      Read(node);
      for (size_t step = 0; step < run_.way.size(); ++step) {
        list_.Clear();
        PlaceOf(node, step);
        place(node, step, list_.list());
      }
    }
  }

  void Crossings(Walk::Place crossing) {
    for (size_t step = 0; step + 1 < run_.way.size(); ++step) {
      const bool leaves = run_.leaves(step);
      const Rank end = leaves ? BeginOf(run_.crossed(step)) : LastOf(run_.crossed(step));
      const std::vector<Alive> alive = leaves ? AliveBehind(end) : AliveBefore(end);
      const size_t gaps = alive.size();
      const Fewest data(gaps, [&](size_t gap) { return alive[gap].data; });
      const Fewest all(gaps, [&](size_t gap) { return alive[gap].data + alive[gap].small; });
      uint32_t least_small = alive[0].small;
      for (const Alive& at : alive) least_small = std::min(least_small, at.small);
      for (size_t gap = 0; gap < gaps; ++gap) {
        list_.Clear();
        CrossingOf(gap, step, alive[gap], data, all, least_small, end);
        crossing(gap, step, list_.list());
      }
    }
  }

 private:
  // Of a way that enters a member of a list: how many members before it, behind the one that the
  // way comes from, nothing names. 0: it enters none.
  int MissingMembers() const {
    if (!run_.after.valid()) return 0;
    const ModulePaths& paths = context_.paths;
    const PathId from = run_.before.valid() ? facts_.anchor(run_.before) : paths.root();
    const PathId to = facts_.anchor(run_.after);
    const uint32_t common = paths.depth(paths.CommonAncestor(from, to));
    for (uint32_t depth = common + 1; depth <= paths.depth(to); ++depth) {
      const PathId entered = paths.AncestorAtDepth(to, depth);
      if (!paths.is_number(entered)) continue;
      const uint64_t number = paths.number(entered);
      const bool has_left = depth == common + 1 && paths.depth(from) > common;
      const PathId left = has_left ? paths.AncestorAtDepth(from, depth) : PathId();
      if (!left.valid() || !paths.is_number(left)) return 9 + Bucket(number, {0, 1, 2, 4});
      const uint64_t last = paths.number(left);
      return number <= last ? 1 : 2 + Bucket(number - last - 1, {0, 1, 2, 4});
    }
    return 0;
  }

  // Of the node at hand, whatever its step.
  void Read(size_t node) {
    const Rank rank = run_.nodes[node];
    const absl::Span<const Flow::Edge> makers = flow_.producers(rank);
    const absl::Span<const Flow::Edge> readers = flow_.consumers(rank);
    const auto has = [](absl::Span<const Flow::Edge> edges, Rank other) {
      return other.valid() && std::any_of(edges.begin(), edges.end(),
                                          [other](const auto& edge) { return edge.rank == other; });
    };
    const bool reads_first = has(makers, run_.before);
    const bool feeds_last = has(readers, run_.after);
    const bool feeds_it_alone =
        feeds_last && std::all_of(readers.begin(), readers.end(),
                                  [this](const auto& edge) { return edge.rank == run_.after; });
    direct_ = (reads_first ? 1 : 0) + (feeds_last ? 2 : 0) + (feeds_it_alone ? 4 : 0);
    const ModulePaths& paths = context_.paths;
    around_sources_ = around_readers_ = PathId();
    for (PathId path : facts_.sources(rank)) {
      if (path.valid()) around_sources_ = paths.Join(around_sources_, path);
    }
    for (PathId path : facts_.readers(rank)) {
      if (path.valid()) around_readers_ = paths.Join(around_readers_, path);
    }
    around_both_ =
        around_readers_.valid() ? paths.Join(around_sources_, around_readers_) : around_sources_;
  }

  // Whether modules lie in another one: none of them, all, some, or there are none.
  int InsideOf(PathId module, absl::Span<const PathId> others) const {
    if (others.empty()) return 0;
    size_t inside = 0;
    for (PathId other : others) {
      inside += other.valid() && context_.paths.Contains(module, other) ? 1 : 0;
    }
    return inside == 0 ? 1 : inside == others.size() ? 2 : 3;
  }

  // Where a module lies, seen from another one.
  int SeenFrom(PathId module, PathId other) const {
    if (!other.valid()) return 0;
    if (other == module) return 1;
    if (context_.paths.Contains(module, other)) return 2;
    return context_.paths.Contains(other, module) ? 3 : 4;
  }

  // Where a node stands in the branch that it is in, seen from a module; 0: it is in none.
  int InBranch(Rank rank, PathId module) const {
    const Walk::Facts::Branch& branch = facts_.branch(rank);
    if (!branch.begin.valid()) return 0;
    const int side = rank == branch.join ? 8 : 0;
    if (!branch.module.valid()) return side + 1;
    if (branch.module == module) return side + 2;
    if (context_.paths.Contains(branch.module, module)) return side + 3;
    if (!context_.paths.Contains(module, branch.module)) return side + 4;
    PathId around = context_.paths.parent(branch.module);
    while (around != module && facts_.is_list(around)) around = context_.paths.parent(around);
    return side + (around == module ? 5 : 6);
  }

  // Whether a gap is in the middle of a branch, and whether the module that is left (entered)
  // there begins before the branch, at `end` (ends behind it): 0: it is not, 1: no, 2: yes.
  int CrossesBranch(Rank before, Rank after, bool leaves, Rank end) const {
    if (!before.valid() || !after.valid()) return 0;
    const Walk::Facts::Branch& branch = facts_.branch(after);
    if (!branch.begin.valid() || before <= branch.begin) return 0;
    return (leaves ? end <= branch.begin : branch.join <= end) ? 2 : 1;
  }

  void PlaceOf(size_t node, size_t step) {
    const Rank rank = run_.nodes[node];
    const PathId module = run_.way[step];
    const int op = facts_.kind(rank);
    const int leaf = leaves_[step];
    const int kind = kinds_[step];
    const int kind_leaf = 4 * kind + leaf;
    const int base = kind % 8;
    const size_t behind = run_.nodes.size() - node;
    const int flow =
        4 * InsideOf(module, facts_.sources(rank)) + InsideOf(module, facts_.readers(rank));
    const int weight = facts_.unnamed_weight(rank);
    const int from_turn =
        std::clamp(static_cast<int>(step) - static_cast<int>(run_.turn), -3, 3) + 3;
    const int sources = SeenFrom(module, around_sources_);
    const int readers = SeenFrom(module, around_readers_);
    const int numbered = context_.paths.is_number(module) ? 1 : 0;
    list_.Add(About::kStep, kind_leaf);
    list_.Add(About::kOperator, kind_leaf, op);
    list_.Add(About::kFlow, kind_leaf, flow);
    list_.Add(About::kFlowOperator, base, flow, op);
    list_.Add(About::kDirect, kind_leaf, direct_);
    list_.Add(About::kDirectOperator, kind, direct_, op);
    list_.Add(About::kAfter, kind_leaf, Bucket(node, {0, 1, 2, 3, 6, 12}));
    list_.Add(About::kBefore, kind_leaf, Bucket(behind, {1, 2, 3, 6, 12}));
    list_.Add(About::kWeight, kind_leaf, weight, std::min<size_t>(behind, 3));
    list_.Add(About::kWeightOperator, kind, weight, op);
    if (missing_ > 0) list_.Add(About::kMissing, kind_leaf, missing_);
    list_.Add(About::kLong, kind_leaf, length_);
    list_.Add(About::kWeights, kind_leaf, weights_, weight > 0 ? 1 : 0);
    list_.Add(About::kDepth, from_turn, run_.way.size() > 3 ? 1 : 0);
    list_.Add(About::kNumbered, leaf, numbered, op);
    const int children = Bucket(context_.children.count(module), {0, 1, 2, 4});
    if (leaf != 0) {
      list_.Add(About::kChildren, kind, numbered, children);
      list_.Add(About::kChildrenOperator, base, children, op);
    }
    const int branch = InBranch(rank, module);
    if (branch > 0) {
      list_.Add(About::kBranch, kind_leaf, branch);
      list_.Add(About::kBranchOperator, leaf, branch, op);
    }
    list_.Add(About::kAround, kind_leaf, sources, readers);
    list_.Add(About::kAroundBoth, kind, SeenFrom(module, around_both_), sources, readers);
    list_.Add(About::kSourcesOperator, base, leaf, sources, op);
    list_.Add(About::kReadersOperator, base, leaf, readers, op);
    if (step < run_.turn && node < shares_[step].size()) {
      const int share = static_cast<int>(shares_[step][node]);
      list_.Add(About::kLeftLike, leaf, share);
      list_.Add(About::kLeftLikeOperator, leaf, share, op);
    }
    if (step > run_.turn && behind - 1 < shares_[step - 1].size()) {
      const int share = static_cast<int>(shares_[step - 1][behind - 1]);
      list_.Add(About::kEnteredLike, leaf, share);
      list_.Add(About::kEnteredLikeOperator, leaf, share, op);
    }
    if (step == 0 && run_.turn > 0) list_.Add(About::kFirstAnchor, leaf, first_type_, op);
    if (step + 1 == run_.way.size() && step > run_.turn) {
      list_.Add(About::kLastAnchor, leaf, last_type_, op);
    }
  }

  void CrossingOf(size_t gap, size_t step, const Alive& alive, const Fewest& data,
                  const Fewest& all, uint32_t least_small, Rank end) {
    const bool leaves = run_.leaves(step);
    const size_t crossed = leaves ? step : step + 1;
    const PathId module = run_.way[crossed];
    const size_t last_gap = run_.nodes.size();
    const Rank before = gap > 0 ? run_.nodes[gap - 1] : run_.before;
    const Rank after = gap < last_gap ? run_.nodes[gap] : run_.after;
    const int previous = before.valid() ? facts_.kind(before) : kEdge;
    const int next = after.valid() ? facts_.kind(after) : kEdge;
    const int way = 4 * (leaves ? 0 : 1) + leaves_[crossed];
    const int in_or_out = leaves ? 0 : 1;
    const int where = gap == 0 ? 0 : gap == last_gap ? 1 : 2;
    const int fewest = data.Of(gap, alive.data);
    const Rank complete = facts_.complete_at(module);
    const bool is_complete =
        leaves ? !complete.valid() || (run_.before.valid() && complete <= run_.before)
               : complete.valid() && (!run_.after.valid() || complete < run_.after);
    const int links = LinksAt(before, after);
    list_.Add(About::kCrossing, way);
    if (missing_ > 0) list_.Add(About::kCrossedMissing, way, kinds_[crossed], missing_, where);
    list_.Add(About::kWhere, way, where);
    list_.Add(About::kCrossedStep, way, kinds_[crossed], where != 2 ? 1 : 0);
    list_.Add(About::kNext, way, next);
    list_.Add(About::kPrevious, way, previous);
    list_.Add(About::kBetween, in_or_out, previous, next);
    list_.Add(About::kAlive, way, std::min<uint32_t>(alive.data, 4));
    list_.Add(About::kFewestAlive, way, fewest);
    list_.Add(About::kFewestAliveOfAll, way, all.Of(gap, alive.data + alive.small));
    list_.Add(About::kGlue, way, std::min<uint32_t>(alive.small - least_small, 3));
    list_.Add(About::kFewestWhere, way, fewest, where);
    list_.Add(About::kComplete, way, is_complete ? 1 : 0, where);
    list_.Add(About::kCompleteNext, way, is_complete ? 1 : 0, next);
    list_.Add(About::kRead, way,
              leaves                 ? 2
              : alive.is_read_behind ? 1
                                     : 0,
              std::min<uint32_t>(alive.data, 2));
    const int branch = CrossesBranch(before, after, leaves, end);
    if (branch > 0) {
      list_.Add(About::kCrossedBranch, way, branch, where);
      list_.Add(About::kCrossedBranchNext, way, branch, next);
    }
    list_.Add(About::kLink, way, links);
    list_.Add(About::kLinkNext, in_or_out, links, next);
    list_.Add(About::kCrossedNumbered, way, context_.paths.is_number(module) ? 1 : 0, next);
    if (leaves && step == 0) list_.Add(About::kLeavesAnchor, way, first_type_, next);
    if (!leaves && step + 2 == run_.way.size()) {
      list_.Add(About::kEntersAnchor, way, last_type_, next);
    }
    const std::vector<Walk::Facts::Share>& shares = shares_[step];
    const size_t inner = leaves ? gap : last_gap - gap;  // operators on the module's side
    const auto share = [&](size_t i) {
      return i < shares.size() ? static_cast<int>(shares[i]) : 20;
    };
    list_.Add(About::kLikeOthers, way, inner > 0 ? share(inner - 1) : 21, share(inner));
  }

  // Whether the node behind a gap reads the one before it, and any that is not small; and whether
  // what that one makes is still needed.
  int LinksAt(Rank before, Rank after) const {
    bool reads_previous = false;
    bool reads_data = false;
    if (after.valid()) {
      for (const Flow::Edge& edge : flow_.producers(after)) {
        reads_previous = reads_previous || edge.rank == before;
        reads_data = reads_data || !facts_.is_small(edge.rank);
      }
    }
    const Rank last = before.valid() ? facts_.last_reader(before) : Rank();
    const bool is_needed = last.valid() && (!after.valid() || last >= after);
    return (reads_previous ? 1 : 0) + (reads_data ? 2 : 0) + (is_needed ? 4 : 0);
  }

  // The first of the anchors before the run that are in a module that is left, one behind the
  // other.
  Rank BeginOf(PathId module) const {
    if (!run_.before.valid()) return Rank(0);
    const std::vector<Rank>& anchors = facts_.anchors();
    size_t place = facts_.place_among_anchors(run_.before);
    while (place > 0 && context_.paths.Contains(module, facts_.anchor(anchors[place - 1]))) {
      --place;
      if (run_.before - anchors[place] > kMostNodesOfModule) break;
    }
    return anchors[place];
  }

  // The last of those behind it that are in one that is entered.
  Rank LastOf(PathId module) const {
    if (!run_.after.valid()) return Rank(static_cast<uint32_t>(flow_.size() - 1));
    const std::vector<Rank>& anchors = facts_.anchors();
    size_t place = facts_.place_among_anchors(run_.after);
    while (place + 1 < anchors.size() &&
           context_.paths.Contains(module, facts_.anchor(anchors[place + 1]))) {
      ++place;
      if (anchors[place] - run_.after > kMostNodesOfModule) break;
    }
    return anchors[place];
  }

  // What the module that is left, and begins there, has made and others read, if it ends in a gap.
  std::vector<Alive> AliveBehind(Rank begin) const {
    const size_t count = run_.nodes.size();
    const auto border = [&](size_t gap) {
      return gap < count          ? run_.nodes[gap]
             : run_.after.valid() ? run_.after
                                  : Rank(static_cast<uint32_t>(flow_.size()));
    };
    // By the first gap whose border is behind the last reader: what ends there.
    std::vector<Alive> alive(count + 1);
    std::vector<int64_t> data(count + 2, 0);
    std::vector<int64_t> small(count + 2, 0);
    const Rank end = border(count);
    const bool to_the_end = !run_.after.valid();
    size_t first_gap = 0;
    for (Rank rank = begin; rank < end; ++rank) {
      while (border(first_gap) <= rank) ++first_gap;
      const Rank last = facts_.last_reader(rank);
      size_t behind = first_gap;  // the first gap that is behind the last reader
      if (to_the_end && facts_.is_output(rank)) {
        behind = count + 1;
      } else if (last.valid()) {
        behind = static_cast<size_t>(std::upper_bound(run_.nodes.begin(), run_.nodes.end(), last) -
                                     run_.nodes.begin());
        if (behind == count && last >= end) behind = count + 1;
        behind = std::max(behind, first_gap);
      }
      std::vector<int64_t>& counts = facts_.is_small(rank) ? small : data;
      ++counts[first_gap];
      --counts[behind];
    }
    int64_t sums[2] = {0, 0};
    for (size_t gap = 0; gap <= count; ++gap) {
      alive[gap].data = static_cast<uint32_t>(sums[0] += data[gap]);
      alive[gap].small = static_cast<uint32_t>(sums[1] += small[gap]);
    }
    return alive;
  }

  // What the module that is entered, and ends there, reads, if it begins in a gap.
  std::vector<Alive> AliveBefore(Rank last) const {
    const size_t count = run_.nodes.size();
    const Graph& graph = flow_.graph();
    absl::flat_hash_set<ValueId> data, small, behind;
    const auto take = [&](Rank rank) {
      const NodeId node = flow_.node(rank);
      for (ValueId output : graph.outputs(node)) {
        data.erase(output);
        small.erase(output);
        behind.erase(output);
      }
      for (ValueId input : graph.inputs(node)) {
        if (!input.valid()) continue;
        const Value& value = graph.value(input);
        if (!value.producer.valid() && value.kind != ValueKind::kInput) continue;
        const bool is_small = value.producer.valid() && facts_.is_small(flow_.rank(value.producer));
        (is_small ? small : data).insert(input);
        if (is_small) continue;
        const absl::Span<const Use> uses = graph.uses(input);
        const bool later = !uses.empty() && flow_.rank(uses.back().node) > last;
        if (later) behind.insert(input);
      }
    };
    std::vector<Alive> alive(count + 1);
    const auto note = [&](size_t gap) {
      alive[gap] = {static_cast<uint32_t>(data.size()), static_cast<uint32_t>(small.size()),
                    !behind.empty()};
    };
    const Rank begin = run_.after.valid() ? run_.after : Rank(static_cast<uint32_t>(flow_.size()));
    for (Rank rank = last + 1; rank > begin;) take(--rank);
    note(count);
    for (size_t gap = count; gap-- > 0;) {
      take(run_.nodes[gap]);
      note(gap);
    }
    return alive;
  }

  const Context& context_;
  const Flow& flow_;
  const Walk::Facts& facts_;
  const WalkRun& run_;
  std::vector<int> kinds_;   // of steps
  std::vector<int> leaves_;  // likewise: what modules they are
  std::vector<std::vector<Walk::Facts::Share>> shares_;
  int missing_ = 0;  // see MissingMembers()
  int length_ = 0;   // of the run, in nodes, and in weights that nothing names: buckets
  int weights_ = 0;
  uint64_t first_type_ = 0;
  uint64_t last_type_ = 0;
  FeatureList list_;
  // Of the node at hand: see Read().
  int direct_ = 0;
  PathId around_sources_, around_readers_, around_both_;
};

}  // namespace

void Walk::FeaturesOf(const WalkRun& run, Place place, Place crossing) const {
  RunFeatures features(context_, *facts_, run);
  features.Places(place);
  features.Crossings(crossing);
}

}  // namespace onnx_hier
