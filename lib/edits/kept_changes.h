// SPDX-License-Identifier: Apache-2.0

// What goes where only some of a model is kept: all between that.
#ifndef ONNX_HIER_LIB_EDITS_KEPT_CHANGES_H_
#define ONNX_HIER_LIB_EDITS_KEPT_CHANGES_H_

#include <vector>

#include "lib/edits/edit_list.h"
#include "lib/edits/field_index.h"
#include "lib/edits/splices.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// Takes no longer than there are things that are kept, and places of others between them.
std::vector<Change> ChangesToKeep(const KeptOnly& kept, const ScannedModel& model,
                                  FieldIndex& index);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_KEPT_CHANGES_H_
