// SPDX-License-Identifier: Apache-2.0

// A file that holds one TensorProto, as onnxruntime dumps values, and as ONNX's tests have them.
#ifndef ONNX_HIER_LIB_NUMERICS_TENSOR_FILE_H_
#define ONNX_HIER_LIB_NUMERICS_TENSOR_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "onnx_hier/value_files.h"

namespace onnx_hier {

struct TensorFile {
  std::string name;  // "": it has none
  ValueNumbers numbers;
};

// kInvalidArgument: it is damaged, or its numbers are of a type that is not read, or elsewhere.
absl::StatusOr<TensorFile> ReadTensorFile(const std::string& path);
// Its name alone.
absl::StatusOr<std::string> NameInTensorFile(const std::string& path);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NUMERICS_TENSOR_FILE_H_
