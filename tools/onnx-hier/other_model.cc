// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/other_model.h"

#include <utility>

#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

absl::StatusOr<OtherModel> CompareWithOther(const Model& model, const Hierarchy& hierarchy,
                                            const std::string& path) {
  const absl::StatusOr<Model> other = OpenFlatModel(path, Weights::kCopied);
  if (!other.ok()) return other.status();
  OtherModel compared = {ShownFileName(path), Annotate(*other), {}};
  const Hierarchy modules(other->graph(), compared.annotation);
  absl::StatusOr<ModelDiff> diff = Compare(model, hierarchy, *other, modules);
  if (!diff.ok()) return diff.status();
  compared.diff = *std::move(diff);
  return compared;
}

}  // namespace onnx_hier::cli
