#include "lib/resolve/dense_index.h"

#include "lib/base/side_task.h"
#include "lib/resolve/residual.h"

namespace onnx_hier {

DenseIndex::DenseIndex(const Context& context, bool beside) {
  // Made when first asked for, which must not be by two at once.
  const Fingerprints& fingerprints = context.wiring.fingerprints();
  SideTask take_inventory(beside, [&] { inventory_ = std::make_unique<Inventory>(context); });
  habits_ = std::make_unique<AnchorHabits>(context);
  twin_groups_ = std::make_unique<TwinGroups>(fingerprints, context.known);
  FindResidualOwners(context);
}

void DenseIndex::FindResidualOwners(const Context& context) {
  ResidualOwners owners(context);
  for (Place i = 0; i < context.flow.size(); ++i) {
    if (!context.known.is_open(i) || !context.branches.is_skip_join(i)) continue;
    const PathId owner = owners.OwnerOf(i);
    if (owner.valid()) residual_owners_.emplace(i, owner);
  }
}

}  // namespace onnx_hier
