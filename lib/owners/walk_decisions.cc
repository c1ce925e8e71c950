// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/walk_decisions.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "lib/owners/module_operators.h"

namespace onnx_hier {
namespace {

// How likely a node must be in a member of a list: else it may as well be in the next one.
constexpr float kLeastInMember = 0.5f;

Basis BasisIn(PathId module, absl::string_view op_type, NamesLeft names,
              const ModuleChildren& children) {
  const bool is_leaf = children.count(module) == 0;
  if (names == NamesLeft::kSome) return is_leaf ? Basis::kNamedWalkInLeaf : Basis::kNamedWalk;
  if (is_leaf) return Basis::kNamelessInLeaf;
  return IsModuleByItself(op_type) ? Basis::kNamelessOwn : Basis::kNameless;
}

float InsideOf(PathId module, const WalkRun& run, size_t node, const Lattice& likely,
               const ModulePaths& paths) {
  float sum = 0;
  for (size_t step = 0; step < run.way.size(); ++step) {
    if (paths.Contains(module, run.way[step])) sum += likely.place(node, step);
  }
  return std::min(1.0f, sum);
}

}  // namespace

std::vector<Lattice> AskWalk(const Walk& walk, NamesLeft names, std::optional<Walk::Own> own,
                             const InferOptions& options) {
  if (options.listener != nullptr) options.listener->Hear(walk, own);
  Walk::Weights weights;
  const auto set = [&weights](const WalkWeights& rows) {
    for (size_t i = 0; i < rows.size(); ++i) weights.Set(rows[i]);
  };
  set(options.tables.walk);
  if (names == NamesLeft::kSome) set(options.tables.walk_among_names);
  return walk.Decide(weights, own, options.threads);
}

OpenDecision DecideByWalk(const WalkRun& run, size_t node, const Lattice& likely, NamesLeft names,
                          const Context& context, const InferOptions& options) {
  const ModulePaths& paths = context.paths;
  const Flow& flow = context.flow;
  const Rank rank = run.nodes[node];
  const auto inside = [&](PathId module) { return InsideOf(module, run, node, likely, paths); };
  size_t best = 0;
  for (size_t step = 1; step < run.way.size(); ++step) {
    if (likely.place(node, step) > likely.place(node, best)) best = step;
  }
  OpenDecision decided = {rank, context.NearestCallable(run.way[best])};
  decided.basis =
      BasisIn(decided.path, flow.graph().op(flow.node(rank)).type, names, context.children);
  decided.score = likely.place(node, best);
  decided.inside = inside(decided.path);
  decided.method = Method::kOrder;
  decided.witness = best > run.turn || !run.before.valid() ? run.after : run.before;
  const auto retreat_from = [&](PathId module) {
    decided.path = context.NearestCallable(paths.parent(module));
    decided.score = decided.inside = inside(decided.path);
    decided.basis = Basis::kNamelessBack;
    decided.retreat = Retreat::kUnsure;
  };
  for (PathId at = decided.path; at != paths.root(); at = paths.parent(at)) {
    if (paths.is_number(at) && inside(at) < kLeastInMember) retreat_from(at);
  }
  while (Calibrated(options.tables.containment, decided.basis, decided.inside) <
             options.least.At(decided.path) &&
         decided.path != paths.root()) {
    retreat_from(decided.path);
  }
  return decided;
}

void NoteWalk(const WalkRun& run, size_t node, const Lattice& likely, const Context& context,
              const OpenDecision& decided, DecisionTrace* trace) {
  WeighedNode* const weighed = trace == nullptr ? nullptr : trace->Find(decided.rank);
  if (weighed == nullptr) return;
  *weighed = {};
  for (size_t step = 0; step < run.way.size(); ++step) {
    weighed->candidates.push_back({run.way[step], likely.place(node, step)});
  }
  std::stable_sort(weighed->candidates.begin(), weighed->candidates.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  weighed->heard.push_back({Method::kOrder, decided.path, decided.witness});
  for (Rank end : {run.before, run.after}) {
    if (end.valid()) weighed->heard.push_back({Method::kOrder, context.known[end], end});
  }
}

}  // namespace onnx_hier
