// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/calls.h"

#include <algorithm>
#include <vector>

#include "lib/tree/module_runs.h"

namespace onnx_hier {
namespace {

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
    return (node.witness == Witness::kNodeName || node.witness == Witness::kValueName ||
            IsTransfer(node.witness)) &&
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
