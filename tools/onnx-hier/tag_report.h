// SPDX-License-Identifier: Apache-2.0

// What 'tag', and 'apply' with an original, say about a model.
#ifndef ONNX_HIER_TOOLS_TAG_REPORT_H_
#define ONNX_HIER_TOOLS_TAG_REPORT_H_

#include <string>

#include "onnx_hier_program/job_files.h"
#include "onnx_hier_program/model_results.h"

namespace onnx_hier::cli {

// With the files of the job, and nothing done yet.
TagResult ResultOf(const JobFiles& job);

// "out.onnx: 257 nodes: 240 by name, 17 inferred, 0 guesses, 5 named, 3 ms"
std::string SummaryLine(const TagResult& result);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_REPORT_H_
