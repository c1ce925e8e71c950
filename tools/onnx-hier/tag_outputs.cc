// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/tag_outputs.h"

#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

absl::Status WriteTagOutputs(const Model& model, const Annotation& annotation,
                             const GivenNames& names, const TagForms& forms, const JobFiles& job,
                             const WriteOptions& options) {
  const Document sidecar = SidecarOf(model, annotation, names, forms);
  if (job.model.empty()) return Write(model, {{sidecar, To(job.sidecar)}}, options);
  const Edits tags = TagEdits(model, annotation, names, forms);
  if (job.sidecar.empty()) return Write(model, tags, To(job.model), options);
  if (!IsStream(job.model) && !IsStream(job.sidecar)) {
    return Write(model, {{tags, To(job.model)}, {sidecar, To(job.sidecar)}}, options);
  }
  const absl::Status status = Write(model, tags, To(job.model), options);
  return status.ok() ? Write(model, {{sidecar, To(job.sidecar)}}, options) : status;
}

}  // namespace onnx_hier::cli
