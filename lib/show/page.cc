// SPDX-License-Identifier: Apache-2.0
#include "lib/base/status_macros.h"
#include "lib/cost/known_shapes.h"
#include "lib/files/file_place.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/show/page_data.h"
#include "lib/show/page_text.h"
#include "onnx_hier/model.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

absl::Status WritePage(const Model& model, const PageReport& report, ByteSink& sink) {
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  OH_ASSIGN_OR_RETURN(const KnownShapes shapes, KnownShapes::Find(model, types));
  const PageData data(report, {FileNameOf(model.path()), model.file_size(), types, shapes});
  OH_RETURN_IF_ERROR(sink.Append(kPageBeforeData));
  OH_RETURN_IF_ERROR(data.Write(sink));
  return sink.Append(kPageBehindData);
}

}  // namespace onnx_hier
