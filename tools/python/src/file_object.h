// SPDX-License-Identifier: Apache-2.0

// A binary file object of Python's (open, io.BytesIO, fsspec, a member of an archive) as a source
// of bytes.
#ifndef ONNX_HIER_TOOLS_PYTHON_FILE_OBJECT_H_
#define ONNX_HIER_TOOLS_PYTHON_FILE_OBJECT_H_

#include <pybind11/pybind11.h>

#include <memory>

#include "onnx_hier/byte_source.h"

namespace onnx_hier::python {

// `file` can be read and sought. Made with the interpreter's lock; read without.
std::shared_ptr<ByteSource> SourceOf(pybind11::object file);

}  // namespace onnx_hier::python

#endif  // ONNX_HIER_TOOLS_PYTHON_FILE_OBJECT_H_
