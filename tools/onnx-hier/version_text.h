// SPDX-License-Identifier: Apache-2.0

// What 'onnx-hier --version' prints.
#ifndef ONNX_HIER_TOOLS_VERSION_TEXT_H_
#define ONNX_HIER_TOOLS_VERSION_TEXT_H_

#include <string>

namespace onnx_hier::cli {

//   onnx-hier 0.2.0
//   revision   5f1c9a2b7d31
//   compiler   GNU 12.2.0
//   libraries  abseil 20220623, ...
//   schemas    check-report 1, ...
std::string VersionText();
// schemas/version.schema.json
std::string VersionJson();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_VERSION_TEXT_H_
