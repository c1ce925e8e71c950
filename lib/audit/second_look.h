// SPDX-License-Identifier: Apache-2.0

// The referee's view of tags that are about to be written: where few names are left, a node may
// have been placed by its surroundings alone, in the wrong layer of two.
#ifndef ONNX_HIER_LIB_AUDIT_SECOND_LOOK_H_
#define ONNX_HIER_LIB_AUDIT_SECOND_LOOK_H_

#include <vector>

#include "lib/audit/corrections.h"
#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/owners/least.h"
#include "lib/owners/node_owners.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// What the witnesses that compare want for nodes that are not settled, in modules that there are;
// none where that is as it is.
std::vector<Correction> CompareAssignments(const Flow& flow, const Evidence& evidence,
                                           ModulePaths& paths, const NodeOwners& owners,
                                           const IdSet<NodeId>& settled);

// What TakeSecondLook leaves alone: 1 for a node whose name or parameters place it, or that was
// placed with much confidence.
IdSet<NodeId> SettledNodes(const NodeOwners& owners);

// Moves nodes that were placed with little confidence where their counterparts in other layers, the
// order of the file and their neighbours want them: as a check would find. Returns these nodes.
// `settled` are the SettledNodes() of `owners`.
// Costs nothing where names and parameters place every node.
std::vector<NodeId> TakeSecondLook(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                   const Least& least, const IdSet<NodeId>& settled,
                                   NodeOwners& owners);

// Looks again until a check would find nothing. Counts the nodes that comparisons with other nodes
// find in a wrong module, and of these the ones that they still find there in the end: hardly ever
// any. No node gets a module that holds it less surely than `least` says.
ContaminationCount ReviewAssignments(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                                     const Least& least, NodeOwners& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_SECOND_LOOK_H_
