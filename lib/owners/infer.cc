// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/infer.h"

#include <vector>

namespace onnx_hier {
namespace {

// A file that says nothing at all: all belongs to the root, which is seldom right. Of the 17,831
// nodes of 66 exports with known owners, 462 do.
constexpr float kNothingKnownConfidence = 0.03f;

void PlaceAtRoot(const ModulePaths& paths, NodeOwners& owners) {
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    if (owners[node].primary.valid()) continue;
    owners.Decide(
        node, {.primary = paths.root(), .confidence = kNothingKnownConfidence, .containment = 1});
  }
}

}  // namespace

NodeOwners InferOwners(const GraphAnalysis& analysis, const Evidence& evidence,
                       const KnownModules& known, ModulePaths& paths, const InferOptions& options) {
  NodeOwners owners(analysis.flow().size());
  PlaceByNames(evidence, owners);
  if (known.nothing()) {
    PlaceAtRoot(paths, owners);
  } else {
    PlaceByDecisions(analysis, evidence, known, options, paths, owners);
  }
  return owners;
}

std::vector<PathId> UsedPaths(const Evidence& evidence, const NodeOwners& owners) {
  std::vector<PathId> used = evidence.owners;
  for (const Assignment& owner : owners) used.push_back(owner.primary);
  return used;
}

}  // namespace onnx_hier
