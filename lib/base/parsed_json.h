// SPDX-License-Identifier: Apache-2.0

// JSON that others wrote, parsed in one place: the parser is a large template.
#ifndef ONNX_HIER_LIB_BASE_PARSED_JSON_H_
#define ONNX_HIER_LIB_BASE_PARSED_JSON_H_

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace onnx_hier {

// The value of a text; one that `is_discarded()`, and is of no type, where the text is not JSON.
nlohmann::json ParsedJson(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_PARSED_JSON_H_
