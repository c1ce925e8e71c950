// SPDX-License-Identifier: Apache-2.0

// Whether edits fit a model and each other.
#ifndef ONNX_HIER_LIB_EDITS_EDIT_CHECKS_H_
#define ONNX_HIER_LIB_EDITS_EDIT_CHECKS_H_

#include "absl/status/status.h"
#include "lib/edits/edit_list.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// kInvalidArgument that says which edit does not, and of what.
absl::Status CheckEdits(const ScannedModel& model, const EditList& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_EDIT_CHECKS_H_
