// SPDX-License-Identifier: Apache-2.0

// Nodes and values as onnxscript's GraphBuilder names them: after the modules around, and the
// operator. Nodes have the usual scopes without a slash in front: "model/layers.0/mlp/Mul_node_34".
//
//   v_model.layers.0.mlp.Mul_34     ->  /model/layers.0/mlp/Mul_output_0
//   v_model.layers.0.attn.Split_9_1 ->  /model/layers.0/attn/Split_output_0
//
// An optimiser gives the node that it fused from several a name of its own, and what it makes keeps
// this one. Its metadata are torch's lists without an operator at their end; each name stands for
// itself:
//
//   pkg.onnxscript.name_scopes      "['', 'model', 'layers.0', 'mlp']"
//   pkg.onnxscript.class_hierarchy  "['M', 'Model', 'Layer', 'Mlp']"
//
// Source: onnxscript, onnxscript/_internal/builder.py.
#ifndef ONNX_HIER_LIB_NAMES_DIALECTS_ONNXSCRIPT_H_
#define ONNX_HIER_LIB_NAMES_DIALECTS_ONNXSCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Whether its nodes are named so: most of the first ones that have a scope.
bool IsNamedByBuilder(const Graph& graph);

class BuilderValues {
 public:
  // `graph` must outlive this. Linear in its values.
  explicit BuilderValues(const Graph& graph);

  // Whether the file's values are named so: most that nodes make are.
  bool any() const { return any_; }
  // As torch would have named it, kept in `text`; false: it is called otherwise.
  bool Read(ValueId id, std::string& text) const;

 private:
  const Graph& graph_;
  bool any_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECTS_ONNXSCRIPT_H_
