// SPDX-License-Identifier: Apache-2.0
#include "lib/cost/known_shapes.h"

#include <string>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cost/input_sizes.h"
#include "lib/files/file_place.h"
#include "lib/graph/top_blocks.h"
#include "lib/onnx/model_source.h"

namespace onnx_hier {

KnownShapes::KnownShapes(const Graph& graph, Expressions all, ValueShapes shapes)
    : graph_(&graph),
      tops_(FindTopBlocks(graph)),
      all_(std::move(all)),
      shapes_(std::move(shapes)) {}

absl::StatusOr<KnownShapes> KnownShapes::Find(const Model& model, const ValueTypes& types) {
  CostOptions options;
  options.symbolic = true;
  OH_ASSIGN_OR_RETURN(InputSizes sizes,
                      ReadInputSizes(model.graph(), types, options, BatchSize::kOpen));
  OH_ASSIGN_OR_RETURN(ValueShapes shapes,
                      ValueShapes::Find(ShapeSourceOf(model, types), sizes.shapes, sizes.all));
  return KnownShapes(model.graph(), std::move(sizes.all), std::move(shapes));
}

CountedShape KnownShapes::shape(ValueId value) const {
  if (tops_[graph_->value(value).block] != graph_->main_block()) return std::nullopt;
  return CountedShapeOf(shapes_.dims(value), all_);
}

ShapeSource ShapeSourceOf(const Model& model, const ValueTypes& types) {
  const ModelSource& source = ModelAccess::Source(model);
  return {source.image, source.scanned, model.path().empty() ? "" : DirectoryOf(model.path()),
          types};
}

CountedShape CountedShapeOf(std::optional<absl::Span<const Dim>> dims, const Expressions& all) {
  if (!dims) return std::nullopt;
  CountedShape shape = std::vector<std::string>();
  for (Dim dim : *dims) shape->push_back(dim.is_known() ? all.Text(dim) : "");
  return shape;
}

}  // namespace onnx_hier
