// SPDX-License-Identifier: Apache-2.0

// What the features of the nodes of a file with some names left are looked up in: worked out once,
// then read by as many threads as there are.
#ifndef ONNX_HIER_LIB_OWNERS_NAMED_INDEX_H_
#define ONNX_HIER_LIB_OWNERS_NAMED_INDEX_H_

#include <memory>

#include "lib/owners/anchor_habits.h"
#include "lib/owners/context.h"
#include "lib/owners/inventory.h"
#include "lib/owners/residual.h"
#include "lib/owners/siblings.h"
#include "lib/owners/twin_groups.h"

namespace onnx_hier {

class NamedIndex {
 public:
  // `context` must outlive this. `parallel`: a second thread may help.
  NamedIndex(const Context& context, bool parallel);

  const TwinGroups& twin_groups() const { return *twin_groups_; }
  const Siblings& siblings() const { return *siblings_; }
  const Inventory& inventory() const { return *inventory_; }
  const AnchorHabits& habits() const { return *habits_; }
  // Whose branch a skip connection jumps over to reach this open node; none: no such join, or
  // nothing is known of the branch.
  PathId ResidualOwner(Rank join) const { return residual_owners_.OwnerOf(join); }

 private:
  std::unique_ptr<const TwinGroups> twin_groups_;
  std::unique_ptr<const Siblings> siblings_;
  std::unique_ptr<const Inventory> inventory_;
  std::unique_ptr<const AnchorHabits> habits_;
  ResidualOwners residual_owners_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMED_INDEX_H_
