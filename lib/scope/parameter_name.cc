#include "lib/scope/parameter_name.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "lib/scope/derived_name.h"

namespace onnx_hier {

absl::string_view OwnerInParameterName(absl::string_view name) {
  name = WithoutInlinePrefix(name);
  // A scripted model calls itself so.
  absl::ConsumePrefix(&name, "self.");
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || dot + 1 == name.size()) return "";
  // Folded constants keep the names of values ("/encoder/..."), made-up parameters say so.
  if (name[0] == '/' || absl::StartsWith(name, "onnx::")) return "";
  return name.substr(0, dot);
}

PathId OwnerOfParameterName(absl::string_view name, ModulePaths& paths) {
  const absl::string_view owner = OwnerInParameterName(name);
  return owner.empty() ? PathId() : paths.Parse(owner);
}

}  // namespace onnx_hier
