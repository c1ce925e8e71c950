// Text from files, made fit to be shown to people.
#ifndef ONNX_HIER_LIB_BASE_SAFE_TEXT_H_
#define ONNX_HIER_LIB_BASE_SAFE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Control characters, and bytes that are not UTF-8, as \x1b: names come from files and must not
// steer a terminal.
std::string SafeForTerminal(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_SAFE_TEXT_H_
