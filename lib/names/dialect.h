// SPDX-License-Identifier: Apache-2.0

// The families of exporters, by how their files say where a node belongs.
//
// Recognised from what the names of a file hold, and where they are silent, from who made it. The
// first one that fits is the file's dialect (each is described in dialects/):
//
//   dynamo               torch >= 2.5: metadata_props with name_scopes
//   onnxscript-builder   models built with onnxscript's GraphBuilder: its own metadata keys, or
//                        "encoder/layers.0/Add_node_3"
//   dynamo-functions     torch 2.1-2.4 dynamo_export: a local function for each module call
//   torchscript-functions  export_modules_as_functions: a local function for each module class
//   torchscript-scoped   torch >= 1.13: "/encoder/layer.0/Add"
//   tensorflow           tf2onnx, keras2onnx: "model/conv1/Conv2D", values ending in ":0"
//   jax-functions        jax2onnx: local functions in domain "custom" or "custom...."
//   sklearn              sklearn-onnx, onnxmltools: operators of ai.onnx.ml; no hierarchy
//   paddle               Paddle2ONNX: "p2o.Conv.3", parameters "conv2d_0.w_0"
//   cntk                 no hierarchy
//   dynamo               the same without its metadata: "node_MatMul_3"
//   matlab               "fc_MatMul": layers, operators after them
//   mxnet                "stage1_conv0_fwd": words joined by underscores, operators after them
//   torchscript-flat     torch < 1.13: flat node names, parameters named by module
//   layer-names          "conv2d_1": nodes, and what they make, are called after layers
//   unknown
#ifndef ONNX_HIER_LIB_NAMES_DIALECT_H_
#define ONNX_HIER_LIB_NAMES_DIALECT_H_

#include "absl/strings/string_view.h"
#include "lib/names/scope_grammar.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct Dialect {
  absl::string_view name;
  const ScopeGrammar* names = nullptr;  // of nodes and values; null: they hold no scopes
};

Dialect RecognizeDialect(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECT_H_
