// SPDX-License-Identifier: Apache-2.0
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/names/module_map_json.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

absl::StatusOr<ModuleMap> ReadModuleMap(const std::string& path) {
  OH_ASSIGN_OR_RETURN(FileImage image, FileImage::Open(path));
  OH_RETURN_IF_ERROR(image.Require(0, image.size()));
  return ParseModuleMap(image.Text(0, image.size()));
}

}  // namespace onnx_hier
