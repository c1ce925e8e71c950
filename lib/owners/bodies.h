// SPDX-License-Identifier: Apache-2.0

// Which nodes always stand around an operator that reads parameters.
//
// A layer norm is the same nine nodes wherever it is called: a node that is met at the same place
// before (or behind) every anchor of one look is part of the same module as the anchor.
#ifndef ONNX_HIER_LIB_OWNERS_BODIES_H_
#define ONNX_HIER_LIB_OWNERS_BODIES_H_

#include <cstdint>
#include <vector>

#include "lib/graph/dominators.h"
#include "lib/graph/flow.h"
#include "lib/owners/known_modules.h"

namespace onnx_hier {

class Bodies {
 public:
  // How constant a place is over all anchors of the same look; classes as in the features.
  enum class Match : uint8_t { kNone, kFewAnchors, kAll, kMost, kSome, kRare };
  static constexpr size_t kMatches = static_cast<size_t>(Match::kRare) + 1;

  // Known nodes are the anchors. Linear: a bounded number of nodes around each is looked at.
  Bodies(const Flow& flow, const Dominators& dominators, const KnownModules& known);

  // The node is one that an anchor computes from.
  Match back(Rank rank) const { return ClassOf(back_[rank]); }
  // The node computes from an anchor.
  Match ahead(Rank rank) const { return ClassOf(ahead_[rank]); }

 private:
  struct Best {
    float share = 0;       // of the anchors of that look that show the node
    uint32_t anchors = 0;  // of that look; 0: no anchor shows it
  };
  static Match ClassOf(const Best& best);

  IdVector<Rank, Best> back_, ahead_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_BODIES_H_
