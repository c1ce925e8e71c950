// SPDX-License-Identifier: Apache-2.0

// What to say of a name on which no file can be opened, and what may have been meant by it.
#ifndef ONNX_HIER_PROGRAM_MISSING_FILE_H_
#define ONNX_HIER_PROGRAM_MISSING_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// An error for a file that could not be opened, with `error_number` of <cerrno>: "WHAT: No such
// file or directory (did you mean 'model.onnx'?)", or that the name is an address or a pattern. Of
// a folder in which the file would be, the names are read.
absl::Status CannotOpen(const std::string& path, absl::string_view what, int error_number);

// An error for a folder that was named as a model, with the models that lie in it or right below.
absl::Status IsNoModelButFolder(const std::string& path);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_MISSING_FILE_H_
