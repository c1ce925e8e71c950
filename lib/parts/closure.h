// SPDX-License-Identifier: Apache-2.0

// What a set of nodes needs to be a model of its own, and what it gives.
//
//   own       what the part is about
//   copied    constants and shape arithmetic from elsewhere that it needs, where that can be worked
//             out from what it has
//   inputs    all else that it reads; parameters come along by themselves
//   outputs   what others read of it, or the graph gives out; not what they can work out themselves
//
// Any set of nodes makes a model that computes what the whole does. Linear in what the part holds.
#ifndef ONNX_HIER_LIB_PARTS_CLOSURE_H_
#define ONNX_HIER_LIB_PARTS_CLOSURE_H_

#include <cstddef>
#include <vector>

#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"

namespace onnx_hier {

struct Closure {
  std::vector<Unit> units;  // own and copied ones, in order
  size_t copied = 0;
  std::vector<ValueId> inputs;   // in order of first reading
  std::vector<ValueId> outputs;  // in order of their makers
};

// Values that are wanted as inputs and outputs.
struct Ends {
  absl::Span<const ValueId> inputs = {};   // where it reads them, and does not make them
  absl::Span<const ValueId> outputs = {};  // these and no others; none: as above
};

Closure Close(const Units& units, const Repeatable& repeatable, const std::vector<Unit>& own,
              const Ends& ends = {});

// Parameters that its units read, in order of first reading, and those that it gives out as they
// are.
std::vector<ValueId> ParametersIn(const Units& units, const Closure& closure);

// Units outside of `own` on a way that leaves it and comes back, in order. Repeatable ones are in
// nobody's way.
std::vector<Unit> Between(const Units& units, const Repeatable& repeatable,
                          const std::vector<Unit>& own);

// `own` and all that it needs, from the graph's inputs on, but for what makes `given`. In order.
std::vector<Unit> WithMakers(const Units& units, const std::vector<Unit>& own,
                             absl::Span<const ValueId> given = {});
// `own` and all that needs it. In order.
std::vector<Unit> WithReaders(const Units& units, const Repeatable& repeatable,
                              const std::vector<Unit>& own);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_CLOSURE_H_
