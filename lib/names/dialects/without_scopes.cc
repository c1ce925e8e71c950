// SPDX-License-Identifier: Apache-2.0

// Exporters whose names of nodes and values hold no scopes. Where they say anything of modules, it
// is in names of parameters or functions, which are read alike whoever wrote them.
#include "lib/names/dialects/dialects.h"

namespace onnx_hier {

constexpr absl::string_view kSklearn = "sklearn";
constexpr absl::string_view kPaddle = "paddle";

// jax2onnx: local functions in the domain "custom" or "custom....".
constinit const DialectRow kJaxFunctions = {
    .name = "jax-functions",
    .fits = [](const ExporterTraces& traces) { return traces.functions().custom > 0; },
};

// sklearn-onnx, onnxmltools: operators of ai.onnx.ml; no hierarchy.
constinit const DialectRow kSklearnByMaker = {
    .name = kSklearn,
    .fits = [](const ExporterTraces& traces) { return traces.IsMadeBy("skl2onnx"); },
};
constinit const DialectRow kSklearnByOperators = {
    .name = kSklearn,
    .fits = [](const ExporterTraces& traces) { return traces.has_ml_operators(); },
};

// Paddle2ONNX: nodes "p2o.Conv.3", parameters "conv2d_0.w_0".
constinit const DialectRow kPaddleByMaker = {
    .name = kPaddle,
    .fits =
        [](const ExporterTraces& traces) {
          return traces.IsMadeBy("PaddlePaddle") || traces.IsMainGraph("paddle-onnx");
        },
};
constinit const DialectRow kPaddleByNames = {
    .name = kPaddle,
    .fits =
        [](const ExporterTraces& traces) {
          return traces.names().paddle > 0 ||
                 traces.parameters().paddle > traces.parameters().of_modules ||
                 traces.AreMost(traces.names().dotted);
        },
};

// Parameters "param_conv1_W".
constinit const DialectRow kChainer = {
    .name = "chainer",
    .fits = [](const ExporterTraces& traces) { return traces.IsMadeBy("Chainer"); },
};

// Parameters "gpu_0/conv1_w_0".
constinit const DialectRow kCaffe2 = {
    .name = "caffe2",
    .fits = [](const ExporterTraces& traces) { return traces.IsMadeBy("onnx-caffe2"); },
};

// No hierarchy.
constinit const DialectRow kCntk = {
    .name = "cntk",
    .fits =
        [](const ExporterTraces& traces) {
          return traces.IsMadeBy("CNTK") || traces.IsMainGraph("CNTKGraph");
        },
};

}  // namespace onnx_hier
