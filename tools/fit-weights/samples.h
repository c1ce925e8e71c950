// SPDX-License-Identifier: Apache-2.0

// Samples to fit on, made from exports by taking names away.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_SAMPLES_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_SAMPLES_H_

#include <vector>

#include "tools/fit-weights/corpus.h"
#include "tools/fit-weights/softmax_fit.h"

namespace onnx_hier::fit {

Samples MakeSamples(const std::vector<KnownExport>& exports);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_SAMPLES_H_
