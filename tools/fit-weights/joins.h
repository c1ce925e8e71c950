// Who owns a residual join: rules compared on joins whose owner is known and hidden.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_JOINS_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_JOINS_H_

#include <string>
#include <vector>

#include "tools/fit-weights/corpus.h"

namespace onnx_hier::fit {

// A line for each rule. A join counts when the branch that is skipped reads a weight.
std::string CompareJoinRules(const std::vector<KnownExport>& exports);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_JOINS_H_
