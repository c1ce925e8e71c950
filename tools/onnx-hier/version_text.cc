// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/version_text.h"

#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/build_facts.h"

namespace onnx_hier::cli {
namespace {

// Of names and versions that CMake knows, none of which needs escapes: {"abseil": "20220623"}
std::string JsonObject(absl::string_view list, absl::string_view quote) {
  std::vector<std::string> members;
  for (absl::string_view item : absl::StrSplit(list, ", ", absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(item, ' ');
    members.push_back(absl::StrCat("\"", parts.first, "\": ", quote, parts.second, quote));
  }
  return absl::StrCat("{", absl::StrJoin(members, ", "), "}");
}

std::string Libraries() {
  return absl::StrCat("abseil ", ABSL_LTS_RELEASE_VERSION, ", ", kLibraries);
}

}  // namespace

std::string VersionText() {
  return absl::StrCat("onnx-hier ", Version(), "\nrevision   ", kRevision, "\ncompiler   ",
                      kCompiler, "\nlibraries  ", Libraries(), "\nschemas    ", kSchemas, "\n");
}

std::string VersionJson() {
  return absl::StrCat(
      "{\"schema\": \"onnx-hier/version\", \"schema_version\": 1,\n \"version\": \"", Version(),
      "\", \"revision\": \"", kRevision, "\", \"compiler\": \"", kCompiler,
      "\",\n \"libraries\": ", JsonObject(Libraries(), "\""),
      ",\n \"schemas\": ", JsonObject(kSchemas, ""), "}\n");
}

}  // namespace onnx_hier::cli
