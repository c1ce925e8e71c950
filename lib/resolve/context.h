// What every idea looks at when an open node is judged: the graph, what its names say, and what is
// known so far.
#ifndef ONNX_HIER_LIB_RESOLVE_CONTEXT_H_
#define ONNX_HIER_LIB_RESOLVE_CONTEXT_H_

#include "lib/evidence/evidence.h"
#include "lib/resolve/known.h"
#include "lib/resolve/module_children.h"
#include "lib/resolve/wiring.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct Context {
  // All arguments must outlive this. `known` must not change meanwhile; `paths` may grow, which
  // `children` then does not know of.
  Context(const Wiring& its_wiring, const Evidence& its_evidence, const KnownModules& its_known,
          const ModulePaths& its_paths)
      : wiring(its_wiring),
        flow(wiring.flow()),
        branches(wiring.branches()),
        evidence(its_evidence),
        known(its_known),
        paths(its_paths),
        surroundings(flow, known, paths),
        children(paths) {}

  const Wiring& wiring;
  const Flow& flow;
  const Branches& branches;
  const Evidence& evidence;
  const KnownModules& known;
  const ModulePaths& paths;
  const Surroundings surroundings;
  const ModuleChildren children;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_CONTEXT_H_
