// SPDX-License-Identifier: Apache-2.0

// Which operators a runtime makes of which, where the names of what it made say nothing.
//
//   KindOf("SkipLayerNormalization") == KindOf("LayerNormalization")
//   KindOf(graph, sqrt)     // likewise, where that stands in a chain of ReduceMean, Add and Sqrt
//   ServedBy(kernel)        // kMaker for ReorderOutput: it belongs to what makes the value
//
// Source: onnxruntime (core/optimizer, contrib_ops). One operator of what was fused stands for all,
// the one that there is once in each.
#ifndef ONNX_HIER_LIB_PROFILE_FUSED_OPERATORS_H_
#define ONNX_HIER_LIB_PROFILE_FUSED_OPERATORS_H_

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// Equal for operators of which one may have been made of the other.
absl::string_view KindOf(absl::string_view op_type);
absl::string_view KindOf(const Graph& graph, NodeId node);

// For what a runtime puts in a kernel that changes only a layout.
enum class Served { kNone, kMaker, kReader };
Served ServedBy(const Kernel& kernel);
// Likewise for a kernel that may also be a node of the model: where it is none.
Served ServedByIfMade(const Kernel& kernel);
// Quantisation that was moved in between a kernel and what serves it.
bool IsMovedQuantisation(const Kernel& kernel);
// Whether a kernel may be what `servant` was put in for.
bool MayServe(const Kernel& servant, const Kernel& kernel);

// Whether a servant makes blocks of channels, or takes them apart.
bool IsReordering(const Kernel& kernel);
// Whether a kernel works in blocks, by its name; and whether it does where what it reads is in
// blocks.
bool WorksInBlocks(const Kernel& kernel);
bool PassesBlocksOn(const Kernel& kernel);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_FUSED_OPERATORS_H_
