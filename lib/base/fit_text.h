// SPDX-License-Identifier: Apache-2.0

// Names as files have them, made fit to be written many times over.
//
// A name stands in a file once, but in what is written about the file as often as there are nodes
// in its module: without a limit, outputs would grow with the square of the input.
#ifndef ONNX_HIER_LIB_BASE_FIT_TEXT_H_
#define ONNX_HIER_LIB_BASE_FIT_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Bytes that a text takes in JSON, the quotes left out.
size_t WrittenLength(absl::string_view text);

// The text itself if it is UTF-8 and takes at most `most` bytes in JSON (at least 32). Else as much
// of its beginning as there is room for, bytes that are not UTF-8 as U+FFFD, and behind it "~" and
// a hash of the whole: what differs stays different, and what was made fit stays as it is.
std::string FitText(absl::string_view text, size_t most);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_FIT_TEXT_H_
