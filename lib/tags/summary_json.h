// SPDX-License-Identifier: Apache-2.0

// The numbers of a run, as the sidecar and the tool's own report have them.
#ifndef ONNX_HIER_LIB_TAGS_SUMMARY_JSON_H_
#define ONNX_HIER_LIB_TAGS_SUMMARY_JSON_H_

#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/summary.h"

namespace onnx_hier {

// "nodes":...,"tagged":...,"coverage":...,"by_method":{...} of an object that is already open.
void AppendSummaryFields(const Summary& summary, JsonText& json);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_SUMMARY_JSON_H_
