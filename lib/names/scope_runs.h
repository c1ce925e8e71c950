// SPDX-License-Identifier: Apache-2.0

// How often each printed scope runs, and inside of which run of the scope around it.
//
//   /block/relu/Relu, /block/relu_1/Relu     relu twice, both in the one run of block
#ifndef ONNX_HIER_LIB_NAMES_SCOPE_RUNS_H_
#define ONNX_HIER_LIB_NAMES_SCOPE_RUNS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/repeated_calls.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// One scope run once: what `number` tells apart among scopes that are printed alike.
using RunId = Id<struct RunIdTag>;

struct ScopeRun {
  ScopeId scope;
  uint32_t number = 0;
  RunId parent;  // of the scope around it; none for the root
  NodeId first;  // of the nodes directly in it; none if it has none
  NodeId last;
};

class ScopeRuns {
 public:
  // Those that are printed alike, or mean one module; nearly always one.
  using List = absl::InlinedVector<RunId, 2>;

  // `meanings` is of all scopes in `printed`. All arguments must outlive this.
  ScopeRuns(const Graph& graph, const IdVector<NodeId, ScopeId>& scope_of,
            const IdVector<ScopeId, ScopeMeaning>& meanings, const PrintedScopes& printed);

  size_t size() const { return runs_.size(); }
  IdRange<RunId> ids() const { return IdRange<RunId>(runs_.size()); }
  const ScopeRun& operator[](RunId id) const { return runs_[id]; }
  const ScopeRun& parent(RunId id) const { return runs_[runs_[id].parent]; }

  RunId of(ScopeId scope) const { return of_scope_[scope]; }
  // None: its names have no scope.
  RunId of(NodeId node) const {
    const ScopeId scope = scope_of_[node];
    return scope.valid() ? of_scope_[scope] : RunId();
  }

  // All runs of its scope.
  const List& alike(RunId id) const { return by_scope_[runs_[id].scope]; }

  // What is around comes first.
  std::vector<RunId> ByDepth() const;

 private:
  using Edge = std::pair<RunId, RunId>;  // inner, outer

  void AddRuns(const IdVector<ScopeId, ScopeMeaning>& meanings);
  RunId Add(ScopeId scope, uint32_t number);
  void FindParents();
  void AddEdges(RunId a, RunId b, std::vector<Edge>& edges) const;
  RunId Nearest(ScopeId scope, const ScopeRun& run) const;

  const Graph& graph_;
  const IdVector<NodeId, ScopeId>& scope_of_;
  const PrintedScopes& printed_;
  IdVector<RunId, ScopeRun> runs_;
  IdVector<ScopeId, List> by_scope_;
  IdVector<ScopeId, RunId> of_scope_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_SCOPE_RUNS_H_
