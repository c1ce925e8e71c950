// SPDX-License-Identifier: Apache-2.0

// Where outputs go when no name was given for them.
#ifndef ONNX_HIER_TOOLS_OUTPUT_NAMES_H_
#define ONNX_HIER_TOOLS_OUTPUT_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier::cli {

// "a/in.onnx" -> "a/in"; other endings stay.
std::string Stem(const std::string& path);
// "a/in.onnx" -> "in.onnx"
std::string FileName(const std::string& path);
// "a/in.onnx", "_tagged" -> "a/in_tagged.onnx", or "DIR/in_tagged.onnx" when a folder is given.
std::string ModelBeside(const std::string& input, absl::string_view suffix,
                        const std::string& folder);
// "out.onnx" -> "out_hierarchy.json"
std::string SidecarOf(const std::string& model);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OUTPUT_NAMES_H_
