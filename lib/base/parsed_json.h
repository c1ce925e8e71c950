// SPDX-License-Identifier: Apache-2.0

// JSON that others wrote, parsed in one place: the parser is a large template.
#ifndef ONNX_HIER_LIB_BASE_PARSED_JSON_H_
#define ONNX_HIER_LIB_BASE_PARSED_JSON_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace onnx_hier {

// The value of a text; one that `is_discarded()`, and is of no type, where the text is not JSON.
nlohmann::json ParsedJson(absl::string_view text);

// What comes next: the value is there with its end. As nlohmann has them.
enum class JsonEvent : uint8_t { kObjectStart, kObjectEnd, kArrayStart, kArrayEnd, kKey, kValue };
// The same, of which `keep` says what to keep, in the depth of its objects and arrays: what it has
// seen the end of, it may take and drop, and what it drops at the start is not made at all.
using KeepJson = absl::FunctionRef<bool(size_t depth, JsonEvent event, nlohmann::json& value)>;
nlohmann::json ParsedJson(absl::string_view text, KeepJson keep);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_PARSED_JSON_H_
