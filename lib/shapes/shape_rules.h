// SPDX-License-Identifier: Apache-2.0

// Of which shape an operator's outputs are, and what is in them where that is a shape again. Facts:
// the operators' definitions of the ONNX project (opset 24) and of onnxruntime's contributed
// operators (domains com.microsoft, com.microsoft.nchwc).
#ifndef ONNX_HIER_LIB_SHAPES_SHAPE_RULES_H_
#define ONNX_HIER_LIB_SHAPES_SHAPE_RULES_H_

#include "absl/strings/string_view.h"
#include "lib/shapes/shaped_node.h"

namespace onnx_hier {

// Makes those outputs whose shapes it knows; a node that no model that runs has is no error.
using ShapeRule = void (*)(ShapedNode& node);

// Null: none is known.
ShapeRule ShapeRuleOf(absl::string_view domain, absl::string_view op_type);

// The rules, by what operators have in common.
// element_rules.cc
void ElementwiseShape(ShapedNode& node);
void WhereShape(ShapedNode& node);
void CastShape(ShapedNode& node);
// layout_rules.cc
void ConcatShape(ShapedNode& node);
void ExpandShape(ShapedNode& node);
void FlattenShape(ShapedNode& node);
void PadShape(ShapedNode& node);
void ReshapeShape(ShapedNode& node);
void ResizeShape(ShapedNode& node);
void SliceShape(ShapedNode& node);
void SpaceShape(ShapedNode& node);  // DepthToSpace, SpaceToDepth
void SplitShape(ShapedNode& node);
void SqueezeShape(ShapedNode& node);
void TileShape(ShapedNode& node);
void TransposeShape(ShapedNode& node);
void UnsqueezeShape(ShapedNode& node);
// choice_rules.cc
void ConstantOfShapeShape(ShapedNode& node);
void CumSumShape(ShapedNode& node);
void GatherElementsShape(ShapedNode& node);
void GatherNDShape(ShapedNode& node);
void GatherShape(ShapedNode& node);
void NonZeroShape(ShapedNode& node);
void OneHotShape(ShapedNode& node);
void RandomShape(ShapedNode& node);
void RangeShape(ShapedNode& node);
void ReduceShape(ShapedNode& node);
void ScatterNDShape(ShapedNode& node);
void ShapeShape(ShapedNode& node);
void SizeShape(ShapedNode& node);
void TopKShape(ShapedNode& node);
// product_rules.cc
void ConvShape(ShapedNode& node);
void ConvTransposeShape(ShapedNode& node);
void EinsumShape(ShapedNode& node);
void EmbeddingShape(ShapedNode& node);
void GemmShape(ShapedNode& node);
void GroupedHeadsShape(ShapedNode& node);
void HeadsShape(ShapedNode& node);  // of attention, as the next ones
void ManyHeadsShape(ShapedNode& node);
void ProjectedHeadsShape(ShapedNode& node);
void GlobalPoolShape(ShapedNode& node);
void MatMulShape(ShapedNode& node);
void NBitsShape(ShapedNode& node);  // MatMulNBits and the like
void PoolShape(ShapedNode& node);
void RecurrenceShape(ShapedNode& node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_SHAPE_RULES_H_
