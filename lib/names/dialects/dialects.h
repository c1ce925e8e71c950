// SPDX-License-Identifier: Apache-2.0

// What each exporter's files are known by, and how they say where a node belongs: a file beside
// this one for each family, which says from what it was learned. ../dialect.cc asks them in turn.
#ifndef ONNX_HIER_LIB_NAMES_DIALECTS_DIALECTS_H_
#define ONNX_HIER_LIB_NAMES_DIALECTS_DIALECTS_H_

#include "lib/names/exporter_traces.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/scope_grammar.h"

namespace onnx_hier {

// A dialect, and one of the ways to know it.
struct DialectRow {
  absl::string_view name;
  bool (*fits)(const ExporterTraces& traces);
  // How names of nodes and values hold scopes; null: they hold none.
  const ScopeGrammar* (*names)(const ExporterTraces& traces) = nullptr;
};

// The producer that files of torch name.
constexpr absl::string_view kTorchProducer = "pytorch";

// torchscript.cc
extern const DialectRow kTorchscriptFunctions;
extern const DialectRow kTorchscriptScoped;
extern const DialectRow kTorchscriptFlat;

// dynamo.cc
extern const DialectRow kDynamoByMetadata;
extern const DialectRow kDynamoFunctions;
extern const DialectRow kDynamoByNames;
extern const MetadataFormat kTorchLists;
extern const MetadataFormat kTorchNamespace;

// onnxscript.cc
extern const DialectRow kOnnxscriptByMetadata;
extern const DialectRow kOnnxscriptByNames;
extern const MetadataFormat kOnnxscriptLists;

// tensorflow.cc
extern const DialectRow kTensorflowByMaker;
extern const DialectRow kTensorflowByNames;

// without_scopes.cc
extern const DialectRow kJaxFunctions;
extern const DialectRow kSklearnByMaker;
extern const DialectRow kSklearnByOperators;
extern const DialectRow kPaddleByMaker;
extern const DialectRow kPaddleByNames;
extern const DialectRow kCaffe2;
extern const DialectRow kChainer;
extern const DialectRow kCntk;

// layer_names.cc
extern const DialectRow kMatlab;
extern const DialectRow kMxnet;
extern const DialectRow kLayerNames;
// Where nodes are called after layers; else null.
const ScopeGrammar* LayerNames(const ExporterTraces& traces);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_DIALECTS_DIALECTS_H_
