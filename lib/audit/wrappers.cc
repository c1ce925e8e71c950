// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/wrappers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lib/base/rules.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kMostWrappers = 3;

}  // namespace

uint32_t CountWrappers(const TagAudit& audit, const IdVector<NodeId, PathId>& places,
                       ModulePaths& paths) {
  if (!IsOn(Rule::kWrappers)) return 0;
  std::array<size_t, kMostWrappers> fits = {};
  for (NodeId node : audit.graph.node_ids()) {
    const PathId place = places[node];
    const PathId tag = audit.tags[node];
    if (!place.valid() || !tag.valid() || tag == paths.root()) continue;
    for (uint32_t count = 0; count < kMostWrappers && count < paths.depth(place); ++count) {
      if (!audit.layers.Compare(WithoutWrappers(place, count, paths), tag).compatible()) continue;
      ++fits[count];
      break;
    }
  }
  return static_cast<uint32_t>(std::max_element(fits.begin(), fits.end()) - fits.begin());
}

PathId WithoutWrappers(PathId path, uint32_t count, ModulePaths& paths) {
  if (count == 0) return path;
  std::vector<PathId> atoms;
  for (; paths.depth(path) > count; path = paths.parent(path)) atoms.push_back(path);
  PathId result = paths.root();
  for (size_t i = atoms.size(); i-- > 0;) result = paths.Child(result, paths.name(atoms[i]));
  return result;
}

}  // namespace onnx_hier
