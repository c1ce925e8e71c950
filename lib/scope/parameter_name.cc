#include "lib/scope/parameter_name.h"

#include "absl/strings/match.h"
#include "lib/scope/derived_name.h"

namespace onnx_hier {

PathId OwnerOfParameterName(absl::string_view name, ModulePaths& paths) {
  name = WithoutInlinePrefix(name);
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || dot + 1 == name.size()) return PathId();
  // Folded constants keep the names of values ("/encoder/..."), made-up parameters say so.
  if (name[0] == '/' || absl::StartsWith(name, "onnx::")) return PathId();
  return paths.Parse(name.substr(0, dot));
}

absl::string_view LeafOfParameterName(absl::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace onnx_hier
