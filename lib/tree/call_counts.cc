// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/call_counts.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/tree/run_borders.h"

namespace onnx_hier {
namespace {

class CallCounter {
 public:
  CallCounter(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
              const Assignments& assignments)
      : flow_(flow),
        evidence_(evidence),
        paths_(paths),
        assignments_(assignments),
        calls_(paths.size(), 1),
        facts_(paths.size()) {}

  IdVector<PathId, uint32_t> Count() && {
    bool several = false;
    for (const Assignment& assignment : assignments_) {
      uint32_t& calls = calls_[assignment.primary];
      calls = std::max(calls, assignment.call + 1);
      several = several || assignment.call > 0;
      facts_[assignment.primary].has_nodes = true;
    }
    if (several) {
      FindModulesAround();
      ListRuns();
      for (size_t i = paths_.size(); i-- > 1;) Count(PathId(i));
    }
    return std::move(calls_);
  }

 private:
  // A run of a module, as far as it is known where it stands.
  struct NumberedRun {
    uint32_t call = 0;
    Run place;
  };
  struct Facts {
    PathId around;  // the nearest module that runs
    PathId last_inside;
    PathId next_inside;  // of those inside of `around`
    bool has_nodes = false;
    bool is_unnamed = false;        // whether some node of it, or inside, has lost its name
    std::vector<NumberedRun> runs;  // by call; some may be missing
  };

  // A list of modules does not.
  bool Runs(PathId path) const { return facts_[path].has_nodes || evidence_.MayBeCalled(path); }

  // Parents are made before their children.
  void FindModulesAround() {
    for (size_t i = 1; i < paths_.size(); ++i) {
      const PathId parent = paths_.parent(PathId(i));
      const bool is_module = parent == paths_.root() || Runs(parent);
      facts_[PathId(i)].around = is_module ? parent : facts_[parent].around;
    }
  }

  // Of the nodes alone that compute something in the main graph: constants stand anywhere.
  void ListRuns() {
    const Graph& graph = flow_.graph();
    for (Rank i : flow_.ranks()) {
      const NodeId node = flow_.node(i);
      if (flow_.is_constant(i) || graph.node(node).block != graph.main_block()) continue;
      const Assignment& assignment = assignments_[node];
      Facts& facts = facts_[assignment.primary];
      facts.runs.push_back({assignment.call, {i, i}});
      facts.is_unnamed = facts.is_unnamed || !IsNamed(assignment.method);
    }
    for (Facts& facts : facts_) Merge(facts.runs);
  }

  // Runs of one call become one. Calls count from 0, as a rule, and are looked up then; others are
  // put in order.
  static void Merge(std::vector<NumberedRun>& runs) {
    uint32_t last = 0;
    for (const NumberedRun& run : runs) last = std::max(last, run.call);
    if (last < runs.size()) {
      std::vector<NumberedRun> by_call(last + 1);
      for (const NumberedRun& run : runs) {
        NumberedRun& its = by_call[run.call];
        its = its.place.begin.valid() ? Joined(its, run) : run;
      }
      std::erase_if(by_call, [](const NumberedRun& run) { return !run.place.begin.valid(); });
      runs = std::move(by_call);
      return;
    }
    std::sort(runs.begin(), runs.end(),
              [](const NumberedRun& a, const NumberedRun& b) { return a.call < b.call; });
    size_t merged = 0;
    for (const NumberedRun& run : runs) {
      const bool is_known = merged > 0 && runs[merged - 1].call == run.call;
      if (!is_known) ++merged;
      runs[merged - 1] = is_known ? Joined(runs[merged - 1], run) : run;
    }
    runs.resize(merged);
  }
  static NumberedRun Joined(const NumberedRun& a, const NumberedRun& b) {
    return {a.call, {std::min(a.place.begin, b.place.begin), std::max(a.place.end, b.place.end)}};
  }

  static bool IsNamed(Method method) {
    return method == Method::kNodeName || method == Method::kValueName ||
           method == Method::kMetadata || method == Method::kTransferValue;
  }

  // All that is inside has been counted.
  void Count(PathId module) {
    if (!Runs(module)) return;
    Facts& facts = facts_[module];
    if (!facts.has_nodes) calls_[module] = CallsOfContainer(module);
    AddInside(module, calls_[module], facts.runs);
    if (facts.runs.empty()) return;
    Facts& around = facts_[facts.around];
    facts.next_inside = around.last_inside;
    around.last_inside = module;
    around.is_unnamed = around.is_unnamed || facts.is_unnamed;
  }

  // As often as all that is inside, or as often as divides that. Where names were lost, runs of
  // what is inside may have been lost as well: as often as most of that.
  uint32_t CallsOfContainer(PathId module) {
    uint32_t divisor = 0;
    size_t runs = 0;
    EachInside(module, [&](PathId inside) {
      divisor = std::gcd(divisor, calls_[inside]);
      runs += facts_[inside].runs.size();
    });
    for (auto calls = static_cast<uint32_t>(std::min<size_t>(divisor, runs)); calls > 1; --calls) {
      if (divisor % calls == 0 && Ran(module, calls)) return calls;
    }
    const uint32_t usual = facts_[module].is_unnamed ? UsualCalls(module) : 1;
    return usual > 1 && Ran(module, usual) ? usual : 1;
  }

  // Of more than half of what is inside; 1: of none.
  uint32_t UsualCalls(PathId module) const {
    uint32_t usual = 1;
    uint32_t lead = 0;
    EachInside(module, [&](PathId inside) {
      if (lead == 0) usual = calls_[inside];
      lead += calls_[inside] == usual ? 1 : -1;
    });
    int32_t more = 0;
    EachInside(module, [&](PathId inside) { more += calls_[inside] == usual ? 1 : -1; });
    return more > 0 ? usual : 1;
  }

  void EachInside(PathId module, absl::FunctionRef<void(PathId)> visit) const {
    for (PathId i = facts_[module].last_inside; i.valid(); i = facts_[i].next_inside) visit(i);
  }

  // The runs of what is inside, as runs of the module that ran `calls` times.
  void AddInside(PathId module, uint32_t calls, std::vector<NumberedRun>& runs) const {
    EachInside(module, [&](PathId inside) {
      if (calls_[inside] % calls != 0) return;
      const uint32_t each = calls_[inside] / calls;
      for (const NumberedRun& run : facts_[inside].runs) {
        runs.push_back({run.call / each, run.place});
      }
    });
    Merge(runs);
  }

  // Whatever comes in: a module that does the same to each of several inputs, as heads of a
  // detector do to levels, cannot be told from one that is called for each.
  bool Ran(PathId module, uint32_t calls) {
    std::vector<NumberedRun> runs;
    AddInside(module, calls, runs);
    if (runs.size() != calls) return false;
    std::vector<Run> places;
    places.reserve(runs.size());
    for (const NumberedRun& run : runs) places.push_back(run.place);
    return AreInOrder(places) && HoldAll(module, calls, places);
  }

  // Whether what ran another number of times did so in runs that are there.
  bool HoldAll(PathId module, uint32_t calls, const std::vector<Run>& runs) const {
    bool hold = true;
    EachInside(module, [&](PathId inside) {
      if (calls_[inside] % calls == 0) return;
      for (const NumberedRun& run : facts_[inside].runs) {
        const auto next = std::upper_bound(runs.begin(), runs.end(), run.place.begin,
                                           [](Rank rank, const Run& a) { return rank < a.begin; });
        hold = hold && next != runs.begin() && run.place.end <= (next - 1)->end;
      }
    });
    return hold;
  }

  const Flow& flow_;
  const Evidence& evidence_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  IdVector<PathId, uint32_t> calls_;
  IdVector<PathId, Facts> facts_;
};

}  // namespace

IdVector<PathId, uint32_t> CountCalls(const Flow& flow, const Evidence& evidence,
                                      const ModulePaths& paths, const Assignments& assignments) {
  return CallCounter(flow, evidence, paths, assignments).Count();
}

}  // namespace onnx_hier
