// SPDX-License-Identifier: Apache-2.0

// What 'tag' and 'apply' with an original write.
#ifndef ONNX_HIER_TOOLS_TAG_OUTPUTS_H_
#define ONNX_HIER_TOOLS_TAG_OUTPUTS_H_

#include "absl/status/status.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/job_files.h"

namespace onnx_hier::cli {

// The tagged model, the sidecar or both, as `job` says: complete or absent together. With one of
// the two on standard output, the other is written on its own.
absl::Status WriteTagOutputs(const Model& model, const Annotation& annotation,
                             const GivenNames& names, const TagForms& forms,
                             const SidecarForms& sidecar_forms, const JobFiles& job,
                             const WriteOptions& options);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TAG_OUTPUTS_H_
