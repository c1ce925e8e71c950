#include "lib/evidence/known_modules.h"

namespace onnx_hier {

PathId AnchorOf(const Evidence& evidence, NodeId node, const ModulePaths& paths) {
  PathId anchor;
  for (PathId owner : evidence.owners_of(node)) anchor = paths.Join(anchor, owner);
  return anchor;
}

KnownModules CollectKnown(const Flow& flow, const Evidence& evidence, const ModulePaths& paths) {
  KnownModules known(flow.size());
  for (Rank i : flow.ranks()) {
    const NodeId node = flow.node(i);
    if (evidence.nodes[node].place.valid()) {
      known.Settle(i, evidence.nodes[node].place);
    } else if (!flow.is_constant(i)) {
      known.Presume(i, AnchorOf(evidence, node, paths));
    }
  }
  return known;
}

}  // namespace onnx_hier
