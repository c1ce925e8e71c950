#include "lib/infer/container_doubt.h"

#include <algorithm>

#include "lib/graph/weight.h"
#include "lib/infer/infer.h"
#include "lib/layers/module_children.h"

namespace onnx_hier {
namespace {

// How often such a node is exactly there: no kernel of 326, 75 of 799 matrices (attentions that
// multiply by their own), in 197 files of 59 models whose names were taken away.
constexpr float kKernelInContainer = 0.005f;
constexpr float kMatrixInContainer = 0.1f;

}  // namespace

void DoubtWeightsInContainers(const Graph& graph, const Evidence& evidence,
                              const ModulePaths& paths, Assignments& assignments) {
  ModuleChildren children;  // most files have no such node
  bool counted = false;
  for (NodeId node : graph.node_ids()) {
    Assignment& assignment = assignments[node];
    if (evidence.nodes[node].place.valid() || !evidence.owners_of(node).empty() ||
        !HasOwnWeight(graph, node)) {
      continue;
    }
    if (!counted) children = ModuleChildren(paths, UsedPaths(evidence, assignments));
    counted = true;
    if (children.count(assignment.primary) == 0) continue;
    assignment.confidence =
        std::min(assignment.confidence,
                 IsOwnersAlone(graph.op(node).type) ? kKernelInContainer : kMatrixInContainer);
  }
}

}  // namespace onnx_hier
