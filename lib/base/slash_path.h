// SPDX-License-Identifier: Apache-2.0

// Names with slashes between their parts: "encoder/layer.1/Add".
#ifndef ONNX_HIER_LIB_BASE_SLASH_PATH_H_
#define ONNX_HIER_LIB_BASE_SLASH_PATH_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// "encoder/layer.1"; "" where there is no slash.
inline absl::string_view FolderOf(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? absl::string_view() : name.substr(0, slash);
}

// "Add".
inline absl::string_view LastComponent(absl::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_SLASH_PATH_H_
