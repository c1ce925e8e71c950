// SPDX-License-Identifier: Apache-2.0

// What the walk's weights are fitted to: runs of nodes whose owners are known, with what is to be
// weighed in them (lib/owners/walk.h), for tools/fit-weights/fit_walk.py.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_WALK_RUNS_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_WALK_RUNS_H_

#include <string>
#include <vector>

namespace onnx_hier::fit {

// To standard output, as 32-bit words, for each run of each export of the folders, all names of
// whose nodes are taken away, and of two copies that lost names of parameters besides; or, `among
// names`, of three copies of which 30 and 60 % of the nodes have none:
//
//   a number of the family, of nodes T, of steps K
//   for each node: how much it counts (a float)
//   for each node: the steps that are right (bits; 0: unknown)
//   for each node and each step: what else speaks for it (a float: Walk::Own)
//   for each node and each step, then for each crossing and each gap: how many features, and these
//
// A module that nothing names is right where the nearest one around it is that has a name. Returns
// an exit code.
int WriteWalkRuns(const std::vector<std::string>& folders, bool among_names);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_WALK_RUNS_H_
