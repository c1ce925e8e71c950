// SPDX-License-Identifier: Apache-2.0

// What may be worked out twice: constants, and arithmetic with shapes. A part of a model gets its
// own copy of these nodes rather than one more input.
//
//   Shape(x) -> Gather(., 0) -> Concat -> Reshape    all but the Reshape may be repeated where x is
//                                                    at hand
//
// Only standard operators that compute the same whenever they run. Linear in nodes and edges.
#ifndef ONNX_HIER_LIB_PARTS_REPEATABLE_H_
#define ONNX_HIER_LIB_PARTS_REPEATABLE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/parts/units.h"

namespace onnx_hier {

class Repeatable {
 public:
  // `units` must outlive this.
  explicit Repeatable(const Units& units);

  // Whether the unit is repeatable: it needs nothing, or the shapes of values alone.
  bool Has(Unit unit) const { return facts_[unit].repeatable; }
  // Whether it computes from parameters and constants alone.
  bool IsConstant(Unit unit) const { return Has(unit) && facts_[unit].sources.size() == 0; }
  // The values whose shapes a repeatable unit needs, in order. None of them is made by one.
  absl::Span<const ValueId> sources(Unit unit) const {
    const Range range = facts_[unit].sources;
    return absl::MakeConstSpan(sources_).subspan(range.begin, range.size());
  }
  // Calls `visit` with each unit that is not repeatable and that `unit` needs, be it by way of
  // repeatable ones.
  template <class Visit>
  void ForEachNeeded(Unit unit, const Visit& visit) const {
    for (ValueId value : units_.reads(unit)) {
      const Unit maker = units_.maker(value);
      if (!maker.valid() || !(maker < unit)) continue;
      if (!Has(maker)) {
        visit(maker);
        continue;
      }
      for (ValueId source : sources(maker)) {
        const Unit behind = units_.maker(source);
        if (behind.valid() && behind < unit) visit(behind);
      }
    }
  }

 private:
  // Arithmetic that needs the shapes of more values is not repeated: so all is linear.
  static constexpr size_t kMostSources = 16;

  struct Facts {
    bool repeatable = false;
    Range sources;  // in sources_
  };

  bool GatherSources(Unit unit, std::vector<ValueId>& sources) const;

  const Units& units_;
  IdVector<Unit, Facts> facts_;
  std::vector<ValueId> sources_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_REPEATABLE_H_
