// The module of an open node by plain ideas, without weights: what fitted weights are measured
// against.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_RULES_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_RULES_H_

#include <vector>

#include "lib/infer/decisions.h"
#include "tools/fit-weights/corpus.h"

namespace onnx_hier::fit {

// The first idea that has an opinion decides, with the share of nodes that it puts into exactly
// the right module for a score. `scene.paths` grows by modules that twins suggest.
std::vector<OpenDecision> DecideByRules(Scene& scene);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_RULES_H_
