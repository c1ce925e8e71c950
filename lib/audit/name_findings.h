// SPDX-License-Identifier: Apache-2.0

// What names and parameters alone tell of tags.
#ifndef ONNX_HIER_LIB_AUDIT_NAME_FINDINGS_H_
#define ONNX_HIER_LIB_AUDIT_NAME_FINDINGS_H_

#include <vector>

#include "onnx_hier/check.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct NameFindings {
  IdSet<NodeId> settled;  // right or wrong, but not open to the other witnesses
  std::vector<Finding> findings;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_NAME_FINDINGS_H_
