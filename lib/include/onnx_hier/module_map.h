// SPDX-License-Identifier: Apache-2.0

// Modules and their classes as the live network knows them, for users who have it at hand:
//
//   {n: f"{type(m).__module__}.{type(m).__qualname__}" for n, m in model.named_modules()}
//
// written as JSON, or the metadata file of a hierarchy-preserving exporter (nested objects with
// "class_name" and "scope"). A map that has all modules, the root among them, says which other
// modules there are not; one of some modules says that there are these.
#ifndef ONNX_HIER_MODULE_MAP_H_
#define ONNX_HIER_MODULE_MAP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

struct MappedModule {
  std::string qualified_name;  // "encoder.layer.1", "" is the root
  std::string class_name;      // "transformers.models.bert.modeling_bert.BertLayer"
};

using ModuleMap = std::vector<MappedModule>;

// kInvalidArgument if the file is not JSON of either form.
absl::StatusOr<ModuleMap> ReadModuleMap(const std::string& path);

// The library that a class comes from: "torch.nn" of torch's own modules, else the first part of
// its Python module ("transformers"). "" if it has none, or is the user's own script.
absl::string_view LibraryOf(absl::string_view class_name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_MODULE_MAP_H_
