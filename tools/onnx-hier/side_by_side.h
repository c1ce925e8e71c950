// SPDX-License-Identifier: Apache-2.0

// Several things at a time.
#ifndef ONNX_HIER_TOOLS_SIDE_BY_SIDE_H_
#define ONNX_HIER_TOOLS_SIDE_BY_SIDE_H_

#include <cstddef>
#include <functional>

namespace onnx_hier::cli {

// Calls `work` with 0 to count - 1, up to `threads` at a time, begun in this order, and returns
// when all have returned. An interruption keeps those that have not begun from being called.
void RunSideBySide(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_SIDE_BY_SIDE_H_
