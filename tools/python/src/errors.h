// SPDX-License-Identifier: Apache-2.0

// Errors of the library as exceptions of Python.
#ifndef ONNX_HIER_TOOLS_PYTHON_ERRORS_H_
#define ONNX_HIER_TOOLS_PYTHON_ERRORS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnx_hier::python {

// Nothing if `status` is OK, else the exception that its code stands for: FileNotFoundError,
// FileExistsError, PermissionError, ValueError (the model or an argument is at fault),
// KeyboardInterrupt, OSError, RuntimeError. The text is "about: message".
void Check(const absl::Status& status, const std::string& about);

// What is meant and is not there, other than a file: KeyError.
[[noreturn]] void RaiseKeyError(const std::string& text);

template <class T>
T Take(absl::StatusOr<T> result, const std::string& about) {
  Check(result.status(), about);
  return *std::move(result);
}

}  // namespace onnx_hier::python

#endif  // ONNX_HIER_TOOLS_PYTHON_ERRORS_H_
