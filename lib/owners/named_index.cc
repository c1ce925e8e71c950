// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/named_index.h"

#include <vector>

#include "lib/base/side_task.h"

namespace onnx_hier {

NamedIndex::NamedIndex(const Context& context, bool parallel) {
  // Made when first asked for, which must not be by two at once.
  const Fingerprints& fingerprints = context.analysis.fingerprints();
  SideTask take_inventory(parallel, [&] { inventory_ = std::make_unique<Inventory>(context); });
  habits_ = std::make_unique<AnchorHabits>(context);
  twin_groups_ = std::make_unique<TwinGroups>(fingerprints, context.known);
  siblings_ = std::make_unique<Siblings>(context.flow, fingerprints);
  std::vector<Rank> joins;
  for (Rank i : context.flow.ranks()) {
    if (context.known.is_open(i) && context.dominators.is_skip_join(i)) joins.push_back(i);
  }
  residual_owners_ = ResidualOwners(context, joins);
}

}  // namespace onnx_hier
