// SPDX-License-Identifier: Apache-2.0
#include "lib/names/dialects/module_lists.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "lib/names/python_list.h"

namespace onnx_hier {

bool IsPseudoModule(absl::string_view name) {
  return absl::StrContains(name, "_empty_nn_module_stack_from_metadata_hook");
}

std::vector<MetadataModule> ReadModuleLists(const MetadataTexts& texts, size_t operators) {
  std::vector<MetadataModule> modules;
  std::vector<std::string> names;
  std::vector<std::string> classes;
  if (!ParsePythonList(texts.names, &names) || names.size() <= operators) return modules;
  const bool has_classes =
      ParsePythonList(texts.classes, &classes) && classes.size() == names.size();
  modules.reserve(names.size());
  for (size_t i = 0; i + operators < names.size(); ++i) {
    if (IsPseudoModule(names[i])) continue;
    modules.push_back({std::move(names[i]), has_classes ? std::move(classes[i]) : ""});
  }
  return modules;
}

}  // namespace onnx_hier
