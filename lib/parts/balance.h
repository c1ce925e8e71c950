// Stages of about equal weight, or of a largest size: the units in their order, cut between
// modules.
#ifndef ONNX_HIER_LIB_PARTS_BALANCE_H_
#define ONNX_HIER_LIB_PARTS_BALANCE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/stages.h"
#include "lib/parts/units.h"

namespace onnx_hier {

// How well a cut before the unit would fit the modules: 0 in the midst of one, else the more the
// further out the modules are that it parts.
using CutFit = std::function<uint32_t(Unit)>;

// At most `parts` stages, 2 or more, cut where few values cross; fewer if there are no such places.
// `weights` is what each unit adds to what its part has much or little of.
Stages BalancedStages(const Units& units, const Repeatable& repeatable,
                      const IdVector<Unit, uint64_t>& weights, const CutFit& fit, uint32_t parts);

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
