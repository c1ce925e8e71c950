// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/diff.h"

#include "lib/api/data_faults.h"
#include "lib/api/model_source.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/stored_tensor_hashes.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/relate/model_comparison.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

absl::StatusOr<ModelDiff> Compare(const Model& a, const Hierarchy& modules_a, const Model& b,
                                  const Hierarchy& modules_b, const DiffOptions& options) {
  const ModelSource& source_a = ModelAccess::Source(a);
  const ModelSource& source_b = ModelAccess::Source(b);
  StoredTensorHashes hashes_a = HashesOf(a);
  StoredTensorHashes hashes_b = HashesOf(b);
  StoredTensorValues values_a = ValuesOf(a);
  StoredTensorValues values_b = ValuesOf(b);
  OH_ASSIGN_OR_RETURN(ModelDiff diff, CompareModules(modules_a, {hashes_a, values_a}, modules_b,
                                                     {hashes_b, values_b}, options));
  OH_RETURN_IF_ERROR(source_a.image.VerifyUnchanged());
  OH_RETURN_IF_ERROR(source_b.image.VerifyUnchanged());
  TellFaults("A", hashes_a, diff.warnings);
  TellFaults("B", hashes_b, diff.warnings);
  return diff;
}

}  // namespace onnx_hier
