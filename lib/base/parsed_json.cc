// SPDX-License-Identifier: Apache-2.0
#include "lib/base/parsed_json.h"

#include "nlohmann/json.hpp"

namespace onnx_hier {

nlohmann::json ParsedJson(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

nlohmann::json ParsedJson(absl::string_view text, KeepJson keep) {
  using Json = nlohmann::json;
  const auto tell = [&](int depth, Json::parse_event_t event, Json& value) {
    return keep(static_cast<size_t>(depth), static_cast<JsonEvent>(event), value);
  };
  return Json::parse(text.begin(), text.end(), tell, false);
}

}  // namespace onnx_hier
