#include "lib/scope/metadata_scope.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/scope/own_metadata.h"
#include "lib/scope/python_list.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// Modules that torch makes up where passes left a node without a module stack
// (pytorch/pytorch#155816).
constexpr absl::string_view kPseudoModule = "_empty_nn_module_stack_from_metadata_hook";

// onnxscript's lists hold each module's own name: ['', 'model', 'layers.0', 'mlp']. What goes on
// where paths end is in the last of them.
void MakeCumulative(std::vector<MetadataModule>& modules) {
  for (size_t i = 1; i < modules.size(); ++i) {
    const std::string& around = modules[i - 1].qualified_name;
    if (around.size() > ModulePaths::kLongest) return modules.resize(i);
    std::string& name = modules[i].qualified_name;
    if (around.empty()) continue;
    const std::string prefix = absl::StrCat(around, ".");
    if (!absl::StartsWith(name, prefix)) name.insert(0, prefix);
  }
}

// The two lists, aligned; `operators` entries at their end are no modules.
std::optional<MetadataScope> FromLists(absl::string_view names, absl::string_view classes,
                                       size_t operators) {
  std::vector<std::string> name_list;
  std::vector<std::string> class_list;
  if (!ParsePythonList(names, &name_list) || name_list.size() <= operators) return std::nullopt;
  const bool has_classes =
      ParsePythonList(classes, &class_list) && class_list.size() == name_list.size();
  MetadataScope scope;
  for (size_t i = 0; i + operators < name_list.size(); ++i) {
    if (absl::StrContains(name_list[i], kPseudoModule)) continue;
    scope.modules.push_back({name_list[i], has_classes ? class_list[i] : ""});
  }
  if (scope.modules.empty()) return std::nullopt;
  return scope;
}

// "<name>: <class>" joined by slashes; the last one is the operator.
std::optional<MetadataScope> FromNamespace(absl::string_view text) {
  MetadataScope scope;
  scope.style = MetadataStyle::kNamespace;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::vector<absl::string_view> pair = absl::StrSplit(parts[i], absl::MaxSplits(": ", 1));
    // The root may be written without its empty name.
    const bool named = pair.size() == 2;
    if (!named && i > 0) return std::nullopt;
    if (absl::StrContains(pair[0], kPseudoModule)) continue;
    scope.modules.push_back({named ? std::string(pair[0]) : "", std::string(pair.back())});
  }
  if (scope.modules.empty()) return std::nullopt;
  return scope;
}

}  // namespace

absl::string_view MetadataKey(MetadataStyle style) {
  switch (style) {
    case MetadataStyle::kTorch:
      return "pkg.torch.onnx.name_scopes";
    case MetadataStyle::kOnnxScript:
      return "pkg.onnxscript.name_scopes";
    case MetadataStyle::kNamespace:
      break;
  }
  return kNamespaceKey;
}

std::optional<MetadataScope> ReadMetadataScope(absl::Span<const StringPair> metadata) {
  if (metadata.empty()) return std::nullopt;
  if (const absl::string_view names =
          ExportersMetadata(metadata, MetadataKey(MetadataStyle::kTorch));
      !names.empty()) {
    return FromLists(names, ExportersMetadata(metadata, "pkg.torch.onnx.class_hierarchy"), 1);
  }
  if (const absl::string_view names =
          ExportersMetadata(metadata, MetadataKey(MetadataStyle::kOnnxScript));
      !names.empty()) {
    std::optional<MetadataScope> scope =
        FromLists(names, ExportersMetadata(metadata, "pkg.onnxscript.class_hierarchy"), 0);
    if (scope.has_value()) {
      scope->style = MetadataStyle::kOnnxScript;
      MakeCumulative(scope->modules);
    }
    return scope;
  }
  const absl::string_view text =
      ExportersMetadata(metadata, MetadataKey(MetadataStyle::kNamespace));
  if (absl::StrContains(text, ": ")) return FromNamespace(text);
  return std::nullopt;
}

}  // namespace onnx_hier
