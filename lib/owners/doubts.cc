// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/doubts.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "lib/base/rules.h"

namespace onnx_hier {
namespace {

// How surely modules are called as their paths say: as names that tell of them, or else of what is
// in them, and where none does, as what is around them.
IdVector<PathId, float> SurenessOf(const Evidence& evidence, const NameSureness& sureness,
                                   const ModulePaths& paths) {
  IdVector<PathId, float> told(paths.size());
  for (const NodeEvidence& node : evidence.nodes) {
    if (!node.place.valid() || node.is_around || node.goes_by_neighbour()) continue;
    told[node.place] = std::max(told[node.place], node.confidence);
  }
  IdSet<PathId> has_parameters(paths.size());  // itself, or in what is in it
  for (PathId owner : evidence.value_owners) {
    if (!owner.valid()) continue;
    told[owner] = 1;
    paths.AddWithAround(owner, has_parameters);
  }
  IdVector<PathId, float> inside(paths.size());  // the surest of what is told of what is in it
  for (size_t i = paths.size(); i-- > 0;) {
    const PathId path(i);
    if (told[path] == 0) told[path] = inside[path];
    if (path == paths.root()) continue;
    float& around = inside[paths.parent(path)];
    around = std::max({around, told[path], inside[path]});
  }
  IdVector<PathId, float> sure(paths.size());
  sure[paths.root()] = 1;
  // What is around a path comes before it.
  for (PathId path : paths.ids()) {
    if (path == paths.root()) continue;
    const float around = sure[paths.parent(path)];
    const float own = told[path] > 0 ? told[path] : around;
    sure[path] = std::min(IsOn(Rule::kDoubtedModules) ? own : 1, sureness.all);
    if (!has_parameters.Has(path)) sure[path] = std::min(sure[path], around * sureness.untold);
  }
  return sure;
}

bool IsInDoubt(const Evidence& evidence, const NameSureness& sureness) {
  return sureness.all < 1 || sureness.untold < 1 ||
         absl::c_any_of(evidence.nodes,
                        [](const NodeEvidence& node) { return node.confidence < 1; });
}

}  // namespace

void DoubtNames(const Evidence& evidence, const NameSureness& sureness, const Least& least,
                const ModulePaths& paths, NodeOwners& owners) {
  if (least.is_anything() && !IsInDoubt(evidence, sureness)) return;  // as in most files
  const IdVector<PathId, float> sure = SurenessOf(evidence, sureness, paths);
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    PathId module = owners[node].primary;
    if (!module.valid()) continue;
    const float module_sure = sure[module];
    const float name_sure =
        evidence.nodes[node].place == module ? evidence.nodes[node].confidence : 1;
    const float held = owners[node].containment;
    owners.Doubt(node, module_sure, module_sure);
    while (owners[node].containment < least.At(module) && module != paths.root()) {
      module = paths.parent(module);
      // Where its own name is in doubt in a module that is there, it may be anywhere else.
      const bool may_hold = name_sure >= module_sure && evidence.MayBeCalled(module);
      if (!may_hold && module != paths.root()) continue;
      const bool holds_all = name_sure < 1 || module == paths.root();
      owners.Retreat(node, module, std::min(holds_all ? 1 : held, sure[module]));
    }
  }
}

}  // namespace onnx_hier
