// SPDX-License-Identifier: Apache-2.0

// What every idea looks at when an open node is judged: the graph, what its names say, and what is
// known so far.
#ifndef ONNX_HIER_LIB_OWNERS_CONTEXT_H_
#define ONNX_HIER_LIB_OWNERS_CONTEXT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/graph/graph_analysis.h"
#include "lib/names/module_children.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Which known nodes surround the open ones. Linear in nodes and edges.
class Surroundings {
 public:
  // Nearest known nodes up or down the data flow that are remembered for a node.
  static constexpr size_t kMostNear = 6;
  struct Near {
    Rank rank;
    uint32_t distance = 0;  // edges
  };
  struct Interval {  // of ranks; empty: no known node
    Rank first;
    Rank last = Rank(0);
  };

  Surroundings(const Flow& flow, const KnownModules& known, const ModulePaths& paths);

  // The nearest known nodes in file order, or none.
  Rank previous(Rank rank) const { return previous_[rank]; }
  Rank next(Rank rank) const { return next_[rank]; }
  // The nearest known nodes that it is computed from, and that are computed from it, through
  // unknown nodes; nearest first. Only of open nodes.
  absl::Span<const Near> upstream(Rank rank) const { return up_[open_[rank]].nodes(); }
  absl::Span<const Near> downstream(Rank rank) const { return down_[open_[rank]].nodes(); }
  // Where the known nodes of a module and of all inside it stand.
  Interval interval(PathId path) const {
    return path.index() < intervals_.size() ? intervals_[path] : Interval();
  }
  // Whether the module itself is known to have a node.
  bool has_nodes(PathId path) const { return path.index() < seen_.size() && seen_[path] != 0; }

 private:
  class NearList {
   public:
    void Add(Rank rank, uint32_t distance);
    absl::Span<const Near> nodes() const { return absl::MakeConstSpan(nodes_, size_); }

   private:
    Near nodes_[kMostNear];
    uint32_t size_ = 0;
  };

  void FindInOrder();
  void FindUpstream();
  void FindDownstream();
  void FindIntervals(const ModulePaths& paths);

  const Flow& flow_;
  const KnownModules& known_;
  IdVector<Rank, Rank> previous_, next_;
  IdVector<Rank, uint32_t> open_;  // number of the open node
  std::vector<NearList> up_, down_;
  IdVector<PathId, Interval> intervals_;
  IdVector<PathId, uint8_t> seen_;
};

struct Context {
  // All arguments must outlive this. `known` must not change meanwhile; `paths` may grow, which
  // `children` then does not know of.
  Context(const GraphAnalysis& its_analysis, const Evidence& its_evidence,
          const KnownModules& its_known, const ModulePaths& its_paths)
      : analysis(its_analysis),
        flow(analysis.flow()),
        dominators(analysis.dominators()),
        evidence(its_evidence),
        known(its_known),
        paths(its_paths),
        surroundings(flow, known, paths),
        children(paths) {}

  // The module itself, or the nearest one around it that may have nodes of its own: a list of
  // layers is never called.
  PathId NearestCallable(PathId path) const {
    const auto is_called = [&](PathId module) {
      return surroundings.has_nodes(module) ||
             (!children.is_whole_list(module) && evidence.MayBeCalled(module));
    };
    while (path != paths.root() && !(evidence.IsCandidate(path) && is_called(path))) {
      path = paths.parent(path);
    }
    return path;
  }

  const GraphAnalysis& analysis;
  const Flow& flow;
  const Dominators& dominators;
  const Evidence& evidence;
  const KnownModules& known;
  const ModulePaths& paths;
  const Surroundings surroundings;
  const ModuleChildren children;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_CONTEXT_H_
