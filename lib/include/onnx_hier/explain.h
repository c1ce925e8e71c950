// Why a node has its tag: what every witness says, what was weighed, what was decided.
//
//   const Explanations why = Explain(model, {NodeId(12)});
//   why.nodes[0].opinions;     // {kParameters, /encoder/layer.0}, {kOrder, /encoder}, ...
//   why.nodes[0].candidates;   // {/encoder/layer.0, 0.98}, ...
#ifndef ONNX_HIER_EXPLAIN_H_
#define ONNX_HIER_EXPLAIN_H_

#include "absl/types/span.h"
#include "onnx_hier/explanation.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPLAIN_H_
