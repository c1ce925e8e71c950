// SPDX-License-Identifier: Apache-2.0

// Names of operators where those of modules stand. Builders of models and TensorFlow put what
// belongs to one node under that node's own name:
//
//   node /layers.0/norm/LayerNorm/output_0/Cast   of layers.0.norm: /layers.0/norm/LayerNorm is a
//   node parameter layers.0.mlp.up.MatMul.weight       of layers.0.mlp.up, where a MatMul reads it
//   node model/conv1d/Conv1D/ExpandDims     of model/conv1d: a Conv is called model/conv1d/Conv1D
//
// Source: onnxruntime-genai, src/python/py/models/builder.py.
#ifndef ONNX_HIER_LIB_OWNERS_OPERATOR_NAMES_H_
#define ONNX_HIER_LIB_OWNERS_OPERATOR_NAMES_H_

#include "lib/names/printed_scopes.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// For each printed scope, the one to read in its place: itself, or, where a node is called so and
// no module's parameter is read inside, what holds that node. Of no size where all mean themselves.
IdVector<ScopeId, ScopeId> FindScopesOfNodes(const Graph& graph, const PrintedScopes& printed,
                                             const IdVector<NodeId, ScopeId>& scope_of,
                                             const Evidence& evidence);

// Gives parameters that are named after the operator that reads them to the module around it, once
// the names of nodes were read.
void GiveToModules(const Graph& graph, const ModulePaths& paths, Evidence& evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_OPERATOR_NAMES_H_
