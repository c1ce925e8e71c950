// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/calls.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/graph/node_look.h"
#include "lib/owners/evidence.h"
#include "lib/tags/method_name.h"
#include "lib/tree/parameter_reads.h"
#include "lib/tree/run_borders.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// --- How often each module ran, and where in the file each run stands.
//
//   MatMul(x, shared.fc.weight) -> Relu -> Add -> MatMul(., shared.fc.weight) -> Relu -> Add
//
// shared.fc ran twice: two nodes of one kind read its weight. So did the parameterless shared.act,
// whose Relu is left and comes again; and so did shared, since all it holds ran twice, first the
// one run and then the other.
//
// No name tells that: it is for files whose names do not count calls, or have lost their count.

class ModuleRuns {
 public:
  // Every node has a module in `assignments`. All arguments must outlive this. Nearly linear in
  // nodes, edges and modules.
  ModuleRuns(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
             const Assignments& assignments);

  // In order; empty: nothing shows that the module ran more than once.
  absl::Span<const Run> of(PathId module) const { return Slice(runs_, facts_[module].runs); }
  // The module's own nodes in the main graph, in order.
  absl::Span<const Rank> nodes(PathId module) const { return nodes_.of(module); }
  // For each of these the run it is in. Only of a module that ran more than once.
  std::vector<uint32_t> RunsOfNodes(PathId module) const;

 private:
  struct Facts {
    Range runs;            // in runs_; empty for one run
    uint32_t signs = 0;    // the last of them: number in signs_, plus 1
    bool reads = false;    // whether nodes read parameters of its own
    bool counted = false;  // whether parameters, its own or of modules inside it, tell the runs
  };
  // What tells how often a module ran: nodes that read one of its parameters, or the runs of a
  // module inside it.
  struct Sign {
    Range runs;         // in runs_
    uint32_t next = 0;  // about the same module: number in signs_, plus 1
  };

  struct Shown {
    Rank rank;
    uint64_t look = 0;
  };

  template <class T>
  static absl::Span<const T> Slice(const std::vector<T>& items, Range range) {
    return absl::MakeConstSpan(items).subspan(range.begin, range.size());
  }

  PathId ModuleOf(Rank rank) const { return assignments_[flow_.node(rank)].primary; }
  uint64_t LookAt(Rank rank) const;
  void ListNodes();
  void ReadParameters();
  void AddSign(PathId module, Range runs);
  void CountByParameters(PathId module);
  uint32_t UsualCount(const Facts& facts);
  Range MergeSigns(const Facts& facts, uint32_t count);
  bool AreRuns(PathId module, absl::Span<const Run> runs);
  std::vector<Shown> ShownNodes(PathId module) const;
  bool NodesRepeat(PathId module, uint32_t count) const;
  bool DoesAgain(Rank last, Rank rank) const;
  void CountByRepetition(PathId module);
  void AddRepeats(PathId module, absl::Span<const Shown> nodes);
  static uint32_t NearestRun(absl::Span<const Run> runs, Rank rank);

  const Flow& flow_;
  const Evidence& evidence_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  IdVector<PathId, Facts> facts_;
  Grouped<PathId, Rank> nodes_;  // of the main graph
  std::vector<Run> runs_;
  std::vector<Sign> signs_;
  std::vector<uint32_t> counts_;
  RunBorders borders_;
};

ModuleRuns::ModuleRuns(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                       const Assignments& assignments)
    : flow_(flow),
      evidence_(evidence),
      paths_(paths),
      assignments_(assignments),
      facts_(paths.size()),
      borders_(flow, paths, assignments) {
  ListNodes();
  ReadParameters();
  // Parents are made before their children. The root is what the file describes: it runs once.
  for (size_t i = paths.size(); i-- > 1;) CountByParameters(PathId(i));
  for (size_t i = 1; i < paths.size(); ++i) CountByRepetition(PathId(i));
}

void ModuleRuns::ListNodes() {
  const Graph& graph = flow_.graph();
  nodes_ = Grouped<PathId, Rank>(paths_.size(), [&](const auto& visit) {
    for (Rank i : flow_.ranks()) {
      if (graph.node(flow_.node(i)).block == graph.main_block()) visit(ModuleOf(i), i);
    }
  });
}

// A parameter that equal modules share after optimisation is read in other modules too: that says
// nothing about this one.
void ModuleRuns::ReadParameters() {
  FindParameterReads(
      flow_, evidence_,
      [this](PathId owner, Rank rank) {
        const PathId module = ModuleOf(rank);
        return owner == module || paths_.Contains(owner, module) || paths_.Contains(module, owner);
      },
      [this](PathId owner, absl::Span<const Rank> readers) {
        const auto begin = static_cast<uint32_t>(runs_.size());
        for (Rank rank : readers) runs_.push_back({rank, rank});
        AddSign(owner, {begin, static_cast<uint32_t>(runs_.size())});
        facts_[owner].reads = true;
      });
}

void ModuleRuns::AddSign(PathId module, Range runs) {
  signs_.push_back({runs, facts_[module].signs});
  facts_[module].signs = static_cast<uint32_t>(signs_.size());
}

void ModuleRuns::CountByParameters(PathId module) {
  Facts& facts = facts_[module];
  if (facts.signs == 0) return;
  facts.counted = true;
  const uint32_t count = UsualCount(facts);
  if (count > 1) {
    const Range runs = MergeSigns(facts, count);
    if (AreRuns(module, Slice(runs_, runs))) facts.runs = runs;
  }
  Range told = facts.runs;
  if (told.size() == 0) {
    told = signs_[facts.signs - 1].runs;
    told.end = told.begin + 1;
  }
  AddSign(paths_.parent(module), told);
}

// What most signs say; of two that are as many, the smaller.
uint32_t ModuleRuns::UsualCount(const Facts& facts) {
  if (signs_[facts.signs - 1].next == 0) return signs_[facts.signs - 1].runs.size();
  counts_.clear();
  for (uint32_t i = facts.signs; i != 0; i = signs_[i - 1].next) {
    counts_.push_back(signs_[i - 1].runs.size());
  }
  std::sort(counts_.begin(), counts_.end());
  uint32_t usual = 0;
  size_t most = 0;
  for (size_t begin = 0; begin < counts_.size();) {
    size_t end = begin + 1;
    while (end < counts_.size() && counts_[end] == counts_[begin]) ++end;
    if (end - begin > most) usual = counts_[begin];
    most = std::max(most, end - begin);
    begin = end;
  }
  return usual;
}

Range ModuleRuns::MergeSigns(const Facts& facts, uint32_t count) {
  const auto merged = static_cast<uint32_t>(runs_.size());
  runs_.resize(merged + count, {Rank(), Rank(0)});
  for (uint32_t i = facts.signs; i != 0; i = signs_[i - 1].next) {
    const Range runs = signs_[i - 1].runs;
    if (runs.size() != count) continue;
    for (uint32_t run = 0; run < count; ++run) {
      Run& whole = runs_[merged + run];
      whole.begin = std::min(whole.begin, runs_[runs.begin + run].begin);
      whole.end = std::max(whole.end, runs_[runs.begin + run].end);
    }
  }
  return {merged, merged + count};
}

bool ModuleRuns::AreRuns(PathId module, absl::Span<const Run> runs) {
  if (!AreInOrder(runs) || !NodesRepeat(module, static_cast<uint32_t>(runs.size()))) return false;
  return facts_[module].reads || borders_.RanAnew(module, runs);
}

// Not whether it reads parameters or copies of them: exporters copy what is used again.
uint64_t ModuleRuns::LookAt(Rank rank) const {
  return LookOfOperator(flow_.graph(), flow_.node(rank));
}

// The nodes that a run of the module shows itself by. One may compute from constants alone, where
// others do the same from the graph's inputs; what always does prepares parameters.
std::vector<ModuleRuns::Shown> ModuleRuns::ShownNodes(PathId module) const {
  std::vector<Shown> shown;
  std::vector<uint64_t> computed;
  for (Rank rank : nodes(module)) {
    if (flow_.graph().inputs(flow_.node(rank)).empty()) continue;
    shown.push_back({rank, LookAt(rank)});
    if (!flow_.is_constant(rank)) computed.push_back(shown.back().look);
  }
  std::sort(computed.begin(), computed.end());
  const auto never_computed = [&](const Shown& node) {
    return !std::binary_search(computed.begin(), computed.end(), node.look);
  };
  shown.erase(std::remove_if(shown.begin(), shown.end(), never_computed), shown.end());
  return shown;
}

// Whether most kinds of its own nodes are there once for each run. A node that was only guessed to
// be in the module says nothing against its parameters.
bool ModuleRuns::NodesRepeat(PathId module, uint32_t count) const {
  std::vector<Shown> shown = ShownNodes(module);
  std::sort(shown.begin(), shown.end(),
            [](const Shown& a, const Shown& b) { return a.look < b.look; });
  size_t often = 0;
  size_t seldom = 0;
  for (size_t begin = 0; begin < shown.size();) {
    bool guessed = false;
    size_t end = begin;
    for (; end < shown.size() && shown[end].look == shown[begin].look; ++end) {
      guessed |= !evidence_.nodes[flow_.node(shown[end].rank)].place.valid();
    }
    if (end - begin >= count) {
      ++often;
    } else if (!guessed || !facts_[module].reads) {
      ++seldom;
    }
    begin = end;
  }
  return often >= seldom;
}

// Whether a node does to the last one's result just what that did: one operator, used twice.
bool ModuleRuns::DoesAgain(Rank last, Rank rank) const {
  const Graph& graph = flow_.graph();
  const NodeId a = flow_.node(last);
  const NodeId b = flow_.node(rank);
  const absl::Span<const Flow::Edge> producers = flow_.producers(rank);
  return graph.node(a).op == graph.node(b).op &&
         graph.node(a).attribute_hash == graph.node(b).attribute_hash &&
         graph.inputs(a).size() == 1 && graph.inputs(b).size() == 1 && producers.size() == 1 &&
         producers[0].rank == last;
}

// A module without parameters runs in each run of the module around it, and again whenever it was
// left and all its operators come again.
void ModuleRuns::CountByRepetition(PathId module) {
  Facts& facts = facts_[module];
  if (facts.counted || nodes(module).size() < 2) return;
  const std::vector<Shown> shown = ShownNodes(module);
  PathId around = paths_.parent(module);
  while (around.valid() && facts_[around].runs.size() == 0) around = paths_.parent(around);
  const Range outer = around.valid() ? facts_[around].runs : Range();
  const auto first = static_cast<uint32_t>(runs_.size());
  if (outer.size() == 0) {
    AddRepeats(module, shown);
  } else {
    const auto run_of = [&](size_t i) { return NearestRun(Slice(runs_, outer), shown[i].rank); };
    for (size_t begin = 0; begin < shown.size();) {
      size_t end = begin + 1;
      while (end < shown.size() && run_of(end) == run_of(begin)) ++end;
      AddRepeats(module, absl::MakeConstSpan(shown).subspan(begin, end - begin));
      begin = end;
    }
  }
  const auto last = static_cast<uint32_t>(runs_.size());
  if (last - first > 1) facts.runs = {first, last};
}

// Appends the runs that the nodes, all in one run of the module around, stand in.
void ModuleRuns::AddRepeats(PathId module, absl::Span<const Shown> nodes) {
  if (nodes.empty()) return;
  std::vector<uint64_t> looks;
  for (const Shown& node : nodes) looks.push_back(node.look);
  std::sort(looks.begin(), looks.end());
  bool all_again = nodes.size() > 1;
  for (size_t i = 0; i < looks.size(); ++i) {
    all_again = all_again && ((i > 0 && looks[i] == looks[i - 1]) ||
                              (i + 1 < looks.size() && looks[i] == looks[i + 1]));
  }
  const uint64_t first = nodes[0].look;
  runs_.push_back({nodes[0].rank, nodes[0].rank});
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Rank last = nodes[i - 1].rank;
    const Rank rank = nodes[i].rank;
    if (all_again && nodes[i].look == first &&
        (borders_.IsLeft(module, last, rank) || DoesAgain(last, rank))) {
      runs_.push_back({rank, rank});
    }
    runs_.back().end = rank;
  }
}

uint32_t ModuleRuns::NearestRun(absl::Span<const Run> runs, Rank rank) {
  const auto next = std::upper_bound(runs.begin(), runs.end(), rank,
                                     [](Rank p, const Run& run) { return p < run.begin; });
  if (next == runs.begin()) return 0;
  const auto before = static_cast<uint32_t>(next - runs.begin()) - 1;
  if (next == runs.end() || rank <= runs[before].end) return before;
  return next->begin - rank < rank - runs[before].end ? before + 1 : before;
}

std::vector<uint32_t> ModuleRuns::RunsOfNodes(PathId module) const {
  const absl::Span<const Run> runs = of(module);
  const absl::Span<const Rank> ranks = nodes(module);
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    sorted.emplace_back(LookAt(ranks[i]), i);
    result.push_back(NearestRun(runs, ranks[i]));
  }
  std::sort(sorted.begin(), sorted.end());
  // A node between two runs is in the one that has no such node yet.
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end].first == sorted[begin].first) ++end;
    const size_t each = (end - begin) / runs.size();
    for (size_t i = begin; i < end && each * runs.size() == end - begin; ++i) {
      uint32_t& run = result[sorted[i].second];
      const Rank rank = ranks[sorted[i].second];
      const auto usual = static_cast<uint32_t>((i - begin) / each);
      const bool before = usual + 1 == run && rank < runs[run].begin;
      const bool behind = usual == run + 1 && rank > runs[run].end;
      if (before || behind) run = usual;
    }
    begin = end;
  }
  return result;
}

class CallNumberer {
 public:
  CallNumberer(const Flow& flow, const Evidence& evidence, const KnownModules& known,
               Assignments& assignments)
      : flow_(flow), evidence_(evidence), known_(known), assignments_(assignments) {}

  // Whether there are nodes whose call no name tells, other than constants.
  bool HasUntold() const {
    const Graph& graph = flow_.graph();
    for (Rank i : flow_.ranks()) {
      const bool counts =
          !flow_.is_constant(i) && graph.node(flow_.node(i)).block == graph.main_block();
      if (counts && !IsTold(i)) return true;
    }
    return false;
  }

  void FollowRuns(const ModulePaths& paths) {
    const ModuleRuns runs(flow_, evidence_, paths, assignments_);
    settled_ = IdSet<PathId>(paths.size());
    for (PathId module : paths.ids()) {
      if (runs.of(module).empty() || runs.nodes(module).empty()) continue;
      if (FollowRuns(runs.nodes(module), runs.RunsOfNodes(module))) settled_.Add(module);
    }
  }

  // Whether any name tells of a second call.
  bool HasCalls() const {
    return std::any_of(evidence_.nodes.begin(), evidence_.nodes.end(),
                       [](const NodeEvidence& node) { return node.call > 0; });
  }

  void FollowNearest(const ModulePaths& paths) {
    holds_others_ = IdSet<PathId>(paths.size());
    for (const Assignment& assignment : assignments_) {
      const PathId around = paths.parent(assignment.primary);
      if (around.valid()) holds_others_.Add(around);
    }
    NumberStretches();
    constexpr uint32_t kFar = 0xFFFFFFFFu;
    IdVector<Rank, uint32_t> distance(flow_.size(), kFar);
    for (Rank i : flow_.ranks()) FollowLast(i, distance[i]);
    last_.clear();
    for (size_t i = flow_.size(); i-- > 0;) FollowLast(Rank(i), distance[Rank(i)]);
  }

 private:
  struct Seen {
    Rank rank;
    uint32_t call = 0;
  };

  // Only scopes in names count calls, and only those of their own module.
  bool IsTold(Rank rank) const {
    const NodeEvidence& node = evidence_.nodes[flow_.node(rank)];
    return (node.method == Method::kNodeName || node.method == Method::kValueName ||
            IsTransfer(node.method)) &&
           node.place == assignments_[flow_.node(rank)].primary;
  }

  // Names that count otherwise know better.
  bool FollowRuns(absl::Span<const Rank> nodes, const std::vector<uint32_t>& runs) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (IsTold(nodes[i]) && assignments_[flow_.node(nodes[i])].call != runs[i]) return false;
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      assignments_[flow_.node(nodes[i])].call = runs[i];
    }
    return true;
  }

  // Constants stand anywhere.
  void NumberStretches() {
    stretch_.resize(flow_.size());
    uint32_t stretch = 0;
    PathId module;
    for (Rank i : flow_.ranks()) {
      const PathId own = assignments_[flow_.node(i)].primary;
      if (!flow_.is_constant(i) && own != module) {
        module = own;
        ++stretch;
      }
      stretch_[i] = stretch;
    }
  }

  // A module that holds no others does all of its work in one go: where the same operator comes
  // again behind nodes of other modules, that is another call.
  bool IsOtherCall(Rank rank, Rank seen) const {
    const Graph& graph = flow_.graph();
    return !holds_others_.Has(assignments_[flow_.node(rank)].primary) &&
           stretch_[rank] != stretch_[seen] && !flow_.is_constant(rank) &&
           graph.node(flow_.node(rank)).op == graph.node(flow_.node(seen)).op;
  }

  void FollowLast(Rank rank, uint32_t& distance) {
    Assignment& assignment = assignments_[flow_.node(rank)];
    const size_t path = assignment.primary.index();
    if (settled_.Contains(assignment.primary)) return;
    if (path >= last_.size()) last_.resize(path + 1);
    if (!known_.is_open(rank)) {
      last_[path] = {rank, assignment.call};
      return;
    }
    const Seen& seen = last_[path];
    if (!seen.rank.valid()) return;
    const uint32_t away = rank > seen.rank ? rank - seen.rank : seen.rank - rank;
    if (away >= distance) return;
    distance = away;
    assignment.call = seen.call;
    if (!IsOtherCall(rank, seen.rank)) return;
    if (rank > seen.rank) {
      ++assignment.call;
    } else if (seen.call > 0) {
      --assignment.call;
    }
  }

  const Flow& flow_;
  const Evidence& evidence_;
  const KnownModules& known_;
  Assignments& assignments_;
  IdSet<PathId> settled_;   // by the module's runs
  std::vector<Seen> last_;  // by module
  IdSet<PathId> holds_others_;
  IdVector<Rank, uint32_t> stretch_;  // numbers of stretches of nodes of one module
};

}  // namespace

void NumberCalls(const Flow& flow, const Evidence& evidence, const KnownModules& known,
                 const ModulePaths& paths, Assignments& assignments) {
  CallNumberer calls(flow, evidence, known, assignments);
  if (calls.HasUntold()) calls.FollowRuns(paths);
  if (calls.HasCalls()) calls.FollowNearest(paths);
}

}  // namespace onnx_hier
