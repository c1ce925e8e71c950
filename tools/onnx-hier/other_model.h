// SPDX-License-Identifier: Apache-2.0

// Another model on the command line (--compare): what it has in each module's place.
#ifndef ONNX_HIER_TOOLS_OTHER_MODEL_H_
#define ONNX_HIER_TOOLS_OTHER_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/model.h"

namespace onnx_hier::cli {

struct OtherModel {
  std::string file;  // as reports call it
  Annotation annotation;
  ModelDiff diff;  // A is the model that it is compared with
};

// The error names the file.
absl::StatusOr<OtherModel> CompareWithOther(const Model& model, const Hierarchy& hierarchy,
                                            const std::string& path);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OTHER_MODEL_H_
