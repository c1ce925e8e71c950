// SPDX-License-Identifier: Apache-2.0

// What an operator calculates, of its shapes.
#ifndef ONNX_HIER_LIB_COST_OPERATIONS_H_
#define ONNX_HIER_LIB_COST_OPERATIONS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/shapes/shaped_node.h"

namespace onnx_hier {

struct Operations {
  Dim macs = 0;    // multiply-accumulates; not known: as many as nothing tells
  Dim others = 0;  // of operators without any: one for each element that is made or reduced
};

// What an operator calculates, whatever the node.
class OperatorWork {
 public:
  explicit OperatorWork(absl::string_view op_type);

  // `output`: the dimensions of what the node makes first.
  Operations Of(const ShapedNode& node, std::optional<absl::Span<const Dim>> output) const;

 private:
  using Macs = Dim (*)(const ShapedNode& node, std::optional<absl::Span<const Dim>> output);

  Macs macs_ = nullptr;  // null: it multiplies nothing
  bool is_mover_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_COST_OPERATIONS_H_
