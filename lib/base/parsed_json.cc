// SPDX-License-Identifier: Apache-2.0
#include "lib/base/parsed_json.h"

#include "nlohmann/json.hpp"

namespace onnx_hier {

nlohmann::json ParsedJson(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace onnx_hier
