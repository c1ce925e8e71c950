// SPDX-License-Identifier: Apache-2.0
#include "lib/names/scope_runs.h"

#include <algorithm>
#include <vector>

#include "lib/names/printed_scopes.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
ScopeRuns::ScopeRuns(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
                     const IdVector<ScopeId, ScopeMeaning>& meanings, const PrintedScopes& printed)
    : graph_(graph), scope_of_(scope_of), printed_(printed) {
  AddRuns(meanings);
  FindParents();
}

// Every scope that means itself has a run; the list of a scope starts with that one, and those of
// its repetitions follow.
void ScopeRuns::AddRuns(const IdVector<ScopeId, ScopeMeaning>& meanings) {
  by_scope_.resize(printed_.size());
  of_scope_.resize(printed_.size());
  for (ScopeId id : printed_.ids()) {
    if (meanings[id].number == 0) of_scope_[id] = Add(id, 0);
  }
  for (ScopeId id : printed_.ids()) {
    const ScopeMeaning& meaning = meanings[id];
    if (meaning.number > 0) of_scope_[id] = Add(meaning.base, meaning.number);
  }
  for (NodeId node : graph_.node_ids()) {
    const RunId id = of(node);
    if (!id.valid()) continue;
    ScopeRun& run = runs_[id];
    if (!run.first.valid()) run.first = node;
    run.last = node;
  }
}

RunId ScopeRuns::Add(ScopeId scope, uint32_t number) {
  ScopeRun run;
  run.scope = scope;
  run.number = number;
  const RunId id = runs_.push_back(run);
  by_scope_[scope].push_back(id);
  return id;
}

// Children keep their first parent's text, so which call of the parent a run belongs to shows only
// in the flow of data and in the order of the file.
void ScopeRuns::FindParents() {
  for (RunId id : ids()) {
    const ScopeId around = printed_.scope(runs_[id].scope).parent;
    if (around.valid()) runs_[id].parent = Nearest(around, runs_[id]);
  }
  const bool any_twice =
      std::any_of(runs_.begin(), runs_.end(), [](const ScopeRun& run) { return run.number > 0; });
  if (!any_twice) return;
  std::vector<Edge> edges;
  for (ValueId value : graph_.value_ids()) {
    const NodeId producer = graph_.value(value).producer;
    if (!producer.valid() || !of(producer).valid()) continue;
    for (const Use& use : graph_.uses(value)) AddEdges(of(producer), of(use.node), edges);
  }
  std::sort(edges.begin(), edges.end());
  IdVector<RunId, RunId> chosen(runs_.size());
  for (size_t i = 0; i < edges.size();) {
    const RunId inner = edges[i].first;
    size_t most = 0;
    while (i < edges.size() && edges[i].first == inner) {
      size_t end = i;
      while (end < edges.size() && edges[end] == edges[i]) ++end;
      const bool is_nearest = edges[i].second == runs_[inner].parent;
      if (end - i > most || (end - i == most && is_nearest)) {
        most = end - i;
        chosen[inner] = edges[i].second;
      }
      i = end;
    }
    runs_[inner].parent = chosen[inner];
  }
}

// An edge between a call and a possible call around it, if there are several of those.
void ScopeRuns::AddEdges(RunId a, RunId b, std::vector<Edge>& edges) const {
  if (!a.valid() || !b.valid() || a == b) return;
  for (const Edge& edge : {Edge(a, b), Edge(b, a)}) {
    const ScopeId around = printed_.scope(runs_[edge.first].scope).parent;
    if (around == runs_[edge.second].scope && by_scope_[around].size() > 1 &&
        by_scope_[runs_[edge.first].scope].size() != by_scope_[around].size()) {
      edges.push_back(edge);
    }
  }
}

// The first run of `scope` that has not ended before the first node of `run`, or the last one: a
// child runs while its parent does. Where both run equally often, each has the other's number.
RunId ScopeRuns::Nearest(ScopeId scope, const ScopeRun& run) const {
  const List& runs = by_scope_[scope];
  if (runs.size() == 1 || !run.first.valid()) return runs[0];
  if (by_scope_[run.scope].size() == runs.size()) {
    for (RunId id : runs)
      if (runs_[id].number == run.number) return id;
  }
  const auto next = std::partition_point(runs.begin(), runs.end(), [&](RunId id) {
    return !runs_[id].last.valid() || runs_[id].last < run.first;
  });
  return next == runs.end() ? runs.back() : *next;
}

// A counting sort: depths are small.
std::vector<RunId> ScopeRuns::ByDepth() const {
  std::vector<uint32_t> at;  // where the next one of each depth goes
  const auto depth = [this](const ScopeRun& run) { return printed_.scope(run.scope).depth; };
  for (const ScopeRun& run : runs_) {
    if (depth(run) + 1 >= at.size()) at.resize(depth(run) + 2, 0);
    ++at[depth(run) + 1];
  }
  for (size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
  std::vector<RunId> sorted(runs_.size());
  for (RunId id : ids()) sorted[at[depth(runs_[id])]++] = id;
  return sorted;
}

}  // namespace onnx_hier
