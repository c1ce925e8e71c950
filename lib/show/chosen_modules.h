// SPDX-License-Identifier: Apache-2.0

// The modules that an export is about.
#ifndef ONNX_HIER_LIB_SHOW_CHOSEN_MODULES_H_
#define ONNX_HIER_LIB_SHOW_CHOSEN_MODULES_H_

#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class ChosenModules {
 public:
  // With all that is inside of them; none: all modules.
  ChosenModules(const Hierarchy& hierarchy, absl::Span<const ModuleId> chosen);

  // Whether the module is one of them, or inside of one.
  bool Has(ModuleId module) const { return chosen_.Has(module); }
  // Whether it is, or one of them is inside of it.
  bool Shows(ModuleId module) const { return shown_.Has(module); }
  bool HasAll() const { return has_all_; }

 private:
  bool has_all_;
  IdSet<ModuleId> chosen_;
  IdSet<ModuleId> shown_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_CHOSEN_MODULES_H_
