// SPDX-License-Identifier: Apache-2.0

// What every idea looks at when an open node is judged: the graph, what its names say, and what is
// known so far.
#ifndef ONNX_HIER_LIB_OWNERS_CONTEXT_H_
#define ONNX_HIER_LIB_OWNERS_CONTEXT_H_

#include "lib/graph/graph_analysis.h"
#include "lib/names/module_children.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/surroundings.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

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
