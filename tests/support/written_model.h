// SPDX-License-Identifier: Apache-2.0

// The bytes of an edited model.
#ifndef ONNX_HIER_TESTS_SUPPORT_WRITTEN_MODEL_H_
#define ONNX_HIER_TESTS_SUPPORT_WRITTEN_MODEL_H_

#include <string>

#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier::testing {

inline std::string WrittenModel(const Model& model, const Edits& edits) {
  const MemoryFile file("");
  CHECK_OK(Write(model, edits, Destination::Stream(file.fd())));
  return file.Read();
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_WRITTEN_MODEL_H_
