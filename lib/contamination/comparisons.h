// Nodes for which neither a name nor a parameter speaks, compared with the nodes around them.
#ifndef ONNX_HIER_LIB_CONTAMINATION_COMPARISONS_H_
#define ONNX_HIER_LIB_CONTAMINATION_COMPARISONS_H_

#include <vector>

#include "lib/contamination/ballots.h"
#include "lib/contamination/judgement.h"

namespace onnx_hier {

// Asks the witnesses that compare, in rounds, and puts right in `trial` what they agree on. Returns
// what was put right, in graph order; nothing that is settled. `fresh` may be empty.
std::vector<Ballot> HearComparisons(const IdVector<NodeId, char>& settled, const FreshTags& fresh,
                                    const ModulePaths& paths, Trial& trial);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CONTAMINATION_COMPARISONS_H_
