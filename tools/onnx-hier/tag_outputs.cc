// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/tag_outputs.h"

#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

absl::Status WriteTagOutputs(const Model& model, const Annotation& annotation,
                             const GivenNames& names, const TagForms& forms,
                             const SidecarForms& sidecar_forms, const JobFiles& job,
                             const WriteOptions& options) {
  const Document sidecar = SidecarOf(model, annotation, names, sidecar_forms);
  if (job.model.empty()) return Write(model, {{sidecar, To(job.sidecar, job)}}, options);
  const Edits tags = TagEdits(model, annotation, names, forms);
  const Destination to_model = To(job.model, job);
  if (job.sidecar.empty()) return Write(model, tags, to_model, options);
  const Destination to_sidecar = To(job.sidecar, job);
  if (!to_model.is_stream() && !to_sidecar.is_stream()) {
    return Write(model, {{tags, to_model}, {sidecar, to_sidecar}}, options);
  }
  const absl::Status status = Write(model, tags, to_model, options);
  return status.ok() ? Write(model, {{sidecar, to_sidecar}}, options) : status;
}

}  // namespace onnx_hier::cli
