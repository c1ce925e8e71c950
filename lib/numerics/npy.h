// SPDX-License-Identifier: Apache-2.0

// Arrays as numpy.save writes them. Source: NEP 1, numpy/lib/format.py; version 1 to 3.
#ifndef ONNX_HIER_LIB_NUMERICS_NPY_H_
#define ONNX_HIER_LIB_NUMERICS_NPY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/numerics/byte_input.h"
#include "onnx_hier/value_files.h"

namespace onnx_hier {

// kInvalidArgument: its header is damaged, or what it is is not read: objects, texts, other orders
// of bytes or elements.
absl::StatusOr<ValueNumbers> ReadNpy(std::unique_ptr<ByteInput> bytes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NUMERICS_NPY_H_
