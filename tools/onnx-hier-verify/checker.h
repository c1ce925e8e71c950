// SPDX-License-Identifier: Apache-2.0

// What the installed onnx's own checker says of a model.
//
//   CheckModel(file).text
//     -> "onnx 1.12.0 knows operators of domain '' up to version 17, the model needs 21"
#ifndef ONNX_HIER_TOOLS_VERIFY_CHECKER_H_
#define ONNX_HIER_TOOLS_VERIFY_CHECKER_H_

#include <string>

#include "tools/onnx-hier-verify/model_file.h"

namespace onnx_hier::verify {

struct CheckResult {
  enum Kind { kPassed, kRefused, kImpossible } kind;
  std::string text;  // in one line: why it was refused, or cannot be checked
};

// A model that is newer than the installed onnx cannot be checked: it would be refused for that.
CheckResult CheckModel(const ModelFile& file);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_CHECKER_H_
