// SPDX-License-Identifier: Apache-2.0

// What a JSON parser makes of a text that is read without one.
#ifndef ONNX_HIER_TESTS_SUPPORT_OWN_TEXT_ORACLE_H_
#define ONNX_HIER_TESTS_SUPPORT_OWN_TEXT_ORACLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/tags/own_text.h"
#include "nlohmann/json.hpp"

namespace onnx_hier::testing {

// "" or the key in which the two readings of `text` differ.
inline std::string DifferenceFromParser(const OwnText& own, absl::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return "no object";
  const char* const original = own.is_base64 ? "doc_string_base64" : "doc_string";
  for (const char* key : {"hierarchy_tags", "hierarchy_path", "hierarchy_count", "hierarchy_method",
                          "hierarchy_confidence", own.has_original ? original : "hierarchy_path"}) {
    if (!json.contains(key)) return key;
  }
  if (json["hierarchy_tags"] !=
      nlohmann::json(std::vector<std::string>(own.tags.begin(), own.tags.end()))) {
    return "hierarchy_tags";
  }
  if (json["hierarchy_path"] != std::string(own.path)) return "hierarchy_path";
  if (json["hierarchy_confidence"] != own.confidence) return "hierarchy_confidence";
  const std::string name = json.contains("name") ? json["name"].dump() : "";
  if (name != (own.name == NameBefore::kSame   ? ""
               : own.name == NameBefore::kNone ? "null"
                                               : "\"\"")) {
    return "name";
  }
  if (own.has_original && json[original] != own.original) return original;
  if (own.has_original) return "";
  return json.contains("doc_string") || json.contains("doc_string_base64") ? "doc_string" : "";
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_OWN_TEXT_ORACLE_H_
