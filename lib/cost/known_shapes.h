// SPDX-License-Identifier: Apache-2.0

// The shapes of values, whatever the sizes of inputs are: numbers, where they do not depend on
// these, else formulas ("2*seq + 1"). A batch is not taken to be 1 here, as it is where a cost is
// counted.
//
//   const absl::StatusOr<KnownShapes> shapes = KnownShapes::Find(model, types);
//   shapes->shape(value);    // {"batch", "128", "768"}
#ifndef ONNX_HIER_LIB_COST_KNOWN_SHAPES_H_
#define ONNX_HIER_LIB_COST_KNOWN_SHAPES_H_

#include <utility>

#include "absl/status/statusor.h"
#include "lib/onnx/value_types.h"
#include "lib/shapes/expressions.h"
#include "lib/shapes/value_shapes.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

class KnownShapes {
 public:
  // `model` must outlive this. Errors are those of reading it again.
  static absl::StatusOr<KnownShapes> Find(const Model& model, const ValueTypes& types);

  // None also for values in functions, which have other shapes in each call.
  CountedShape shape(ValueId value) const;

 private:
  KnownShapes(const Graph& graph, Expressions all, ValueShapes shapes);

  const Graph* graph_;
  IdVector<BlockId, BlockId> tops_;
  Expressions all_;
  ValueShapes shapes_;
};

// Where shapes are found from.
ShapeSource ShapeSourceOf(const Model& model, const ValueTypes& types);
CountedShape CountedShapeOf(std::optional<absl::Span<const Dim>> dims, const Expressions& all);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_COST_KNOWN_SHAPES_H_
