// SPDX-License-Identifier: Apache-2.0

// Names of parameters, as PyTorch's state_dict has them, or with slashes between modules.
//
//   encoder.layer.0.attention.query.weight   `weight` of encoder.layer.0.attention.query
//   encoder/layers/0/Conv.weight             `weight` of the module encoder/layers/0/Conv
//   encoder.scales.3                         a list of parameters, of encoder
//   attn.q.weight__attn.k.weight__concat     several in one, of attn (mobius, _fold_concat.py)
//   scale.3                                  a number that a trace gave: says nothing
//   const_2.0_f32                            a decimal number: says nothing
//   ConvBnFusion_W_stem.0.weight             `weight` of stem.0, folded (onnxruntime,
//                                            core/optimizer/conv_*_fusion.cc)
#ifndef ONNX_HIER_LIB_NAMES_PARAMETER_NAME_H_
#define ONNX_HIER_LIB_NAMES_PARAMETER_NAME_H_

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The module that holds the parameter, as it is written; empty for names that exporters and
// optimisers made up ("onnx::MatMul_333", "/encoder/Constant_output_0", "fc_weight"). A view into
// `name`. Dots part its modules; slashes do in a file all of whose parameters are named so, for
// elsewhere a module's own name may hold one.
absl::string_view OwnerInParameterName(absl::string_view name);
// Names of values ("/encoder/..."), and those that say themselves that they are made up.
bool IsMadeUpName(absl::string_view name);
// Whether an initializer is named after an operator that reads it, not after a module: as
// "Reshape_1.shape" is, which the node Reshape_1 reads, or "stft.frame_step", which a node stft
// does, for modules hold no such single numbers. Or after the value that is read with it:
// "input.1_scale", by which "input.1" is quantised. `owner` is the one in its name.
bool IsNamedAfterReader(const Graph& graph, ValueId initializer, absl::string_view owner);

// Whether an optimiser folded another operator's parameter into this one, and named it so.
bool IsFoldedParameterName(absl::string_view name);

// What stands between the names of modules in those of parameters: a dot or a slash. Where any
// module is named with dots, a slash is a part of a module's own name.
char ModuleSeparator(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_PARAMETER_NAME_H_
