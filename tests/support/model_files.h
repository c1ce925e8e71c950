// SPDX-License-Identifier: Apache-2.0

// The models of testdata/.
#ifndef ONNX_HIER_TESTS_SUPPORT_MODEL_FILES_H_
#define ONNX_HIER_TESTS_SUPPORT_MODEL_FILES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier::testing {

// The path of a file in it.
std::string InTestdata(absl::string_view name);
// Paths of all models in it, or in a folder of it, in order.
std::vector<std::string> ModelFiles(absl::string_view folder = "");
// Those in it, and those that were drawn by lot.
std::vector<std::string> AllModelFiles();

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_MODEL_FILES_H_
