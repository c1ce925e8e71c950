// SPDX-License-Identifier: Apache-2.0

// Nodes in the order in which they stand in the file, which is read forwards only.
#ifndef ONNX_HIER_LIB_ONNX_FILE_ORDER_H_
#define ONNX_HIER_LIB_ONNX_FILE_ORDER_H_

#include <vector>

#include "lib/onnx/scanner.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

void SortInFileOrder(const ScannedModel& model, std::vector<NodeId>& nodes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_FILE_ORDER_H_
