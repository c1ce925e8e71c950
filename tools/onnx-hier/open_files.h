// SPDX-License-Identifier: Apache-2.0

// How many files a run may have open at once.
#ifndef ONNX_HIER_TOOLS_OPEN_FILES_H_
#define ONNX_HIER_TOOLS_OPEN_FILES_H_

#include <cstddef>

namespace onnx_hier::cli {

// Outputs that appear together stay open until all are complete. Raises the process's own limit so
// that `outputs` of them can be, as far as the system lets it; where it does not, writing fails.
void AllowOutputs(size_t outputs);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OPEN_FILES_H_
