// SPDX-License-Identifier: Apache-2.0

// Where nodes belong that an optimiser fused, or that it or a quantiser put in.
//
//   FusedConv "/conv1/Conv", makes /relu/Relu_output_0   conv1: a fused operator is its weight's
//   Conv "/bn1/..." by its metadata, reads conv1.weight  conv1, likewise
//   Conv "/relu/Relu_output_0_nchwc"                     the module around relu: a convolution is
//                                                        not in an activation, and which module it
//                                                        was in, no name says any more
//   Conv "/fc/relu/...", reads fc.proj.bias alone        fc.proj: its bias is there still
//   HardSigmoid, makes "_inlfunc_HardSwish_HS_X"         with its readers: HardSwish in other words
//   Reshape "gemm_input_reshape_token_3"                 with the Gemm that reads it
//   ReorderOutput                                        with the convolution that makes its input
//   Identity of a parameter, as torch writes one that
//   is equal to another                                  with its readers
//   DequantizeLinear of what a node made, or of a weight
//   that no module's name is left of                     with its readers
//
// Sources: onnxruntime core/optimizer (conv_activation_fusion.cc, nchwc_transformer.cc,
// matmul_add_fusion.cc) and core/graph/function_utils.cc; onnxscript rewriter (rule_name in
// metadata_props); torch/csrc/jit/passes/onnx/deduplicate_initializers.cpp.
#ifndef ONNX_HIER_LIB_OWNERS_OPTIMISED_PLACES_H_
#define ONNX_HIER_LIB_OWNERS_OPTIMISED_PLACES_H_

#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Corrects the places that names and metadata gave to such nodes, and gives some to those without.
void PlaceOptimised(const Graph& graph, const ModulePaths& paths, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_OPTIMISED_PLACES_H_
