// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialect.h"

#include "lib/names/dialects/dialects.h"
#include "lib/names/exporter_traces.h"

namespace onnx_hier {
namespace {

// What says most comes first.
constexpr const DialectRow* kRows[] = {
    &kOnnxscriptByMetadata,
    &kOnnxscriptByNames,
    &kDynamoByMetadata,
    &kDynamoFunctions,
    &kJaxFunctions,
    &kTorchscriptFunctions,
    &kTorchscriptScoped,
    &kTensorflowByMaker,
    &kSklearnByMaker,
    &kPaddleByMaker,
    &kChainer,
    &kCaffe2,
    &kCntk,
    &kDynamoByNames,
    &kTensorflowByNames,
    &kSklearnByOperators,
    &kMatlab,
    &kMxnet,
    &kPaddleByNames,
    &kTorchscriptFlat,
    &kLayerNames,
};

}  // namespace

Dialect RecognizeDialect(const Graph& graph) {
  const ExporterTraces traces(graph);
  for (const DialectRow* row : kRows) {
    if (row->fits(traces)) return {row->name, row->names ? row->names(traces) : nullptr};
  }
  return {"unknown", nullptr};
}

}  // namespace onnx_hier
