// From evidence to one owner for every node.
//
//   names      a node with a scope of its own belongs there
//   decisions  the others are weighed: twins in other layers, neighbours in the file and in the
//              data flow, parameters, structure
//   calls      which call of its module a node is in, where its name does not tell
//   auxiliary  other modules whose values meet in a node, or that share what it makes
//
// No step changes what an earlier one decided. Linear or nearly so in nodes and edges, the same
// result in every run.
#ifndef ONNX_HIER_LIB_RESOLVE_RESOLVE_H_
#define ONNX_HIER_LIB_RESOLVE_RESOLVE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/evidence/evidence.h"
#include "lib/resolve/decisions.h"
#include "lib/resolve/flow.h"
#include "lib/resolve/known.h"
#include "lib/resolve/scorer.h"
#include "lib/resolve/wiring.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using Assignments = IdVector<NodeId, Assignment>;

struct Resolution {
  Assignments assignments;
  std::vector<PathId> auxiliary;  // what Assignment::auxiliary ranges over
};

// Every node has a primary path afterwards. `paths` grows by modules that only twins name. `review`
// may change what was decided, before the calls and auxiliary modules follow from it.
Resolution Resolve(
    const Wiring& wiring, const Evidence& evidence, ModulePaths& paths,
    const ResolveOptions& options = {},
    absl::FunctionRef<void(Assignments&)> review = [](Assignments&) {});

// The steps, each in a file of its own name. They return whether they decided anything.
bool ResolveByNames(const Evidence& evidence, Assignments& assignments);
bool ResolveByDecisions(const Wiring& wiring, const Evidence& evidence, const KnownModules& known,
                        const ResolveOptions& options, ModulePaths& paths,
                        Assignments& assignments);
bool ResolveCalls(const Flow& flow, const Evidence& evidence, const KnownModules& known,
                  const ModulePaths& paths, Assignments& assignments);
bool FindAuxiliary(const Wiring& wiring, const ModulePaths& paths, Resolution& resolution);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_RESOLVE_H_
