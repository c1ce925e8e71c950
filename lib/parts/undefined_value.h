// SPDX-License-Identifier: Apache-2.0

// What users are told of a value that is read and that nothing makes.
#ifndef ONNX_HIER_LIB_PARTS_UNDEFINED_VALUE_H_
#define ONNX_HIER_LIB_PARTS_UNDEFINED_VALUE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/graph.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

// kFailedPrecondition.
inline absl::Status NothingMakes(const Graph& graph, ValueId value) {
  return absl::FailedPreconditionError(
      absl::StrCat("nothing makes the value ", QuotedName(graph.value(value).name),
                   ", which is read: the file is damaged, or was cut out of another one"));
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_UNDEFINED_VALUE_H_
