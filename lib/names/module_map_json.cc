// SPDX-License-Identifier: Apache-2.0
#include "lib/names/module_map_json.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "nlohmann/json.hpp"

namespace onnx_hier {
namespace {

using Json = nlohmann::json;

constexpr char kClassName[] = "class_name";
constexpr char kScope[] = "scope";

bool IsFlat(const Json& json) {
  return !json.empty() &&
         std::all_of(json.begin(), json.end(), [](const Json& value) { return value.is_string(); });
}

std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool IsStructural(const std::string& key) { return key == "modules" || key == "children"; }

// Walks nested objects with a stack of its own: the file may nest deeply.
ModuleMap CollectNested(const Json& json) {
  ModuleMap map;
  std::vector<std::pair<const Json*, std::string>> open = {{&json, ""}};
  while (!open.empty()) {
    const auto [object, name] = open.back();
    open.pop_back();
    std::string own = name;
    if (const std::string class_name = Text(*object, kClassName); !class_name.empty()) {
      if (object->contains(kScope)) own = Text(*object, kScope);
      map.push_back({own, class_name});
    }
    for (const auto& [key, value] : object->items()) {
      if (!value.is_object()) continue;
      const bool structural = IsStructural(key);
      open.emplace_back(&value, structural ? own : own.empty() ? key : absl::StrCat(own, ".", key));
    }
  }
  return map;
}

// ": line 3, byte 14", for the first byte that could not be read, counted from 1.
std::string Place(absl::string_view text, size_t byte) {
  const absl::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t newline = before.rfind('\n');
  const size_t column = before.size() - (newline == absl::string_view::npos ? 0 : newline + 1) + 1;
  return absl::StrCat(": line ", line, ", byte ", column);
}

}  // namespace

absl::StatusOr<ModuleMap> ParseModuleMap(absl::string_view text) {
  Json json;
  try {
    json = Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat("is not JSON", Place(text, error.byte)));
  } catch (const Json::out_of_range&) {
    return absl::InvalidArgumentError("has a number that is too large");
  }
  ModuleMap map;
  if (json.is_object() && IsFlat(json)) {
    for (const auto& [name, value] : json.items()) map.push_back({name, value.get<std::string>()});
  } else if (json.is_object()) {
    map = CollectNested(json);
  }
  if (map.empty()) {
    return absl::InvalidArgumentError(
        "is not a module map: it should be a JSON object from qualified names to classes");
  }
  std::sort(map.begin(), map.end(), [](const MappedModule& a, const MappedModule& b) {
    return a.qualified_name < b.qualified_name;
  });
  return map;
}

absl::StatusOr<ModuleMap> ReadModuleMap(const std::string& path) {
  OH_ASSIGN_OR_RETURN(FileImage image, FileImage::Open(path));
  OH_RETURN_IF_ERROR(image.Require(0, image.size()));
  return ParseModuleMap(image.Text(0, image.size()));
}

}  // namespace onnx_hier
