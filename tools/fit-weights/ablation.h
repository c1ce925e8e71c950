// SPDX-License-Identifier: Apache-2.0

// What each rule of inference (lib/base/rules.h) and each family of features is good for: what is
// lost without it, once the weights are fitted again, on families of models that they were fitted
// without.
//
// The first folder has the exports that are fitted on; they are decided as they are and with shares
// of their names taken away. What other folders have is decided as it is: exports that tools have
// changed, and files with tags that are known to be right or wrong, for `check`: NAME.onnx beside
// NAME.contam.json, whose nodes have "key", a node's path, and "status": "ok", "cross_layer",
// "cross_module", or what is not counted.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_ABLATION_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_ABLATION_H_

#include <string>
#include <vector>

namespace onnx_hier::fit {

// Both print to standard output, one line a rule or family, and return an exit code.
int Ablate(const std::vector<std::string>& folders);
// Without all of these at a time; names as in RULES.md, with commas between them.
int Without(const std::string& names, const std::vector<std::string>& folders);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_ABLATION_H_
