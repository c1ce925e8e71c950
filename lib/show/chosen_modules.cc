// SPDX-License-Identifier: Apache-2.0
#include "lib/show/chosen_modules.h"

namespace onnx_hier {

ChosenModules::ChosenModules(const Hierarchy& hierarchy, absl::Span<const ModuleId> chosen)
    : has_all_(chosen.empty()),
      chosen_(hierarchy.modules().size()),
      shown_(hierarchy.modules().size()) {
  const ModuleTree& tree = hierarchy.modules();
  if (has_all_) {
    chosen_.AddAll();
    shown_.AddAll();
    return;
  }
  for (ModuleId module : chosen) chosen_.Add(module);
  // What is around a module comes before it: of all that is inside, once each.
  for (ModuleId id : tree.ids()) {
    const ModuleId parent = tree.module(id).parent;
    if (parent.valid() && chosen_.Has(parent)) chosen_.Add(id);
    if (!chosen_.Has(id)) continue;
    for (ModuleId at = id; at.valid() && !shown_.Has(at); at = tree.module(at).parent) {
      shown_.Add(at);
    }
  }
}

}  // namespace onnx_hier
