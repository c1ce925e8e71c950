// Why nodes have their tags, for people and as JSON (schemas/explain.schema.json).
#ifndef ONNX_HIER_LIB_REPORT_EXPLAIN_TEXT_H_
#define ONNX_HIER_LIB_REPORT_EXPLAIN_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

//   node 12 Add '/encoder/Add_1'
//     module      /encoder/layer.0
//     because     built like node 45, which is in /encoder/layer.1
//     method      repetition, 98 % sure
//     in favour    80 %       repetition  all nodes that look like it put it in this module  (node
//     45) witnesses   order       /encoder/layer.0  (node 11) candidates  0.981 /encoder/layer.0
std::string ExplainText(const Graph& graph, const Explanations& explanations);
// `file` is the model's file name without its folder.
std::string ExplainJson(const Graph& graph, const Explanations& explanations,
                        absl::string_view file);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_EXPLAIN_TEXT_H_
