// SPDX-License-Identifier: Apache-2.0
#include "tools/python/src/errors.h"

#include <pybind11/pybind11.h>

#include "absl/strings/str_cat.h"

namespace onnx_hier::python {
namespace {

PyObject* ExceptionOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kNotFound:
      return PyExc_FileNotFoundError;
    case absl::StatusCode::kAlreadyExists:
      return PyExc_FileExistsError;
    case absl::StatusCode::kPermissionDenied:
      return PyExc_PermissionError;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return PyExc_ValueError;
    case absl::StatusCode::kCancelled:
      return PyExc_KeyboardInterrupt;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return PyExc_OSError;
    default:
      return PyExc_RuntimeError;
  }
}

[[noreturn]] void Raise(PyObject* exception, const std::string& text) {
  // Names of files and nodes may be no UTF-8, and hold null characters.
  PyObject* const words =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (words != nullptr) {
    PyErr_SetObject(exception, words);
    Py_DECREF(words);
  }
  throw pybind11::error_already_set();
}

}  // namespace

void Check(const absl::Status& status, const std::string& about) {
  if (status.ok()) return;
  const std::string message(status.message());
  Raise(ExceptionOf(status.code()), about.empty() ? message : absl::StrCat(about, ": ", message));
}

void RaiseKeyError(const std::string& text) { Raise(PyExc_KeyError, text); }

}  // namespace onnx_hier::python
