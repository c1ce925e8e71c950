// SPDX-License-Identifier: Apache-2.0

// Stages that are as even as can be, or of a largest size: the units in their order, cut between
// modules.
//
// A place between modules is one before a unit that gives something to the graph's outputs, and
// whose module is not that of the last such unit before it: that of /a/b, which follows on /a or
// on /a/c, as well as that of /d. Repeatable units are in no place of their own.
#ifndef ONNX_HIER_LIB_PARTS_BALANCE_H_
#define ONNX_HIER_LIB_PARTS_BALANCE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/stages.h"
#include "lib/parts/units.h"
#include "onnx_hier/part.h"

namespace onnx_hier {

// How well a cut before the unit would fit the modules: 0 in the midst of one, else the more the
// further out the modules are that it parts.
using CutFit = std::function<uint32_t(Unit)>;

// `request.parts` stages, 2 or more, of which the largest is as small as places between modules
// allow: fewer only where there are fewer such places, with the first unit of what is the largest
// between two of them. Of cuts that do equally well, those near even parts that few values cross.
struct Balance {
  Stages stages;
  Unit largest;  // none: there are so many stages
};
Balance BalancedStages(const Units& units, const Repeatable& repeatable,
                       const SplitRequest& request, const CutFit& fit);

// As few stages as it takes for none to have parameters of more than `max_bytes`, cut as late as
// that allows. What reads more by itself is misplaced.
Stages PackedStages(const Units& units, const Repeatable& repeatable, const CutFit& fit,
                    uint64_t max_bytes);

// The parameters that a unit reads, be it by way of repeatable ones, none of which is in `seen`:
// they are added to it.
std::vector<ValueId> ParametersOf(const Units& units, const Repeatable& repeatable, Unit unit,
                                  absl::flat_hash_set<Unit>& seen);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_BALANCE_H_
