// SPDX-License-Identifier: Apache-2.0

// Runs of modules, contracted to calls from the inside out, so that what is left is a graph whose
// nodes are units and calls, and so is each call's body.
//
//   before   a -> b1 -> b2 -> c -> d1 -> d2      after   a -> [b] -> c -> [d]
//
// A run can be called where no way leaves it and comes back. Where one does, cheap units of the run
// that feed it stay outside, or a few units of others that only this run reads are taken in; else
// the run stays where it is, and what is inside of it is contracted by itself. Whether a way comes
// back is asked of the graph as it is by then: two runs may each be free of such ways, and not both
// at once.
//
// Linear in nodes and edges where the runs stand one behind the other in the file; where they are
// mixed the work is bounded, and runs that are left then stay where they are.
#ifndef ONNX_HIER_LIB_PARTS_CONTRACTION_H_
#define ONNX_HIER_LIB_PARTS_CONTRACTION_H_

#include <cstdint>
#include <vector>

#include "lib/parts/runs.h"
#include "lib/parts/units.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

using ItemId = Id<struct ItemTag>;

// A unit, or a call of the run that a few items became.
struct FoldItem {
  Unit unit;                   // or else a call:
  FoldRunId run;               // of this run
  std::vector<ItemId> items;   // in an order in which makers come first, else that of the file
  std::vector<ValueId> reads;  // made elsewhere, in order of first reading
  std::vector<ValueId> makes;  // read elsewhere or given out by the graph, in order of makers
  uint32_t first = 0;          // the place in the file of the first unit in it
};

struct LeftInline {
  enum class Why { kComesBack, kNothingRead, kEntangled };
  FoldRunId run;
  Why why = Why::kComesBack;
  NodeId through;  // kComesBack: a node on such a way
};

// What is asked of a unit besides what it reads and makes.
struct FoldTraits {
  IdSet<Unit> cheap;      // may stand outside of its run
  IdSet<Unit> pinned;     // stays in the outermost graph, and behind the pinned ones before it
  IdSet<Unit> untouched;  // of these, those that also stay where they are in the file
};

// What becomes of runs.
struct RunChoices {
  IdSet<FoldRunId> skipped;  // they are none: what is in them is in the runs around them
  // Of these, cheap units that others read as well stay outside: an exporter that computes a thing
  // once leaves it in the first layer that needs it, which else would be like no other.
  IdSet<FoldRunId> lending;
};

struct Contraction {
  IdVector<ItemId, FoldItem> items;
  std::vector<ItemId> top;  // the outermost graph, sorted like a body
  std::vector<LeftInline> left;
  size_t hoisted = 0;  // units that stay outside of their runs
  size_t taken = 0;    // units in runs that are not their own
};

Contraction Contract(const Units& units, const FoldRuns& runs, const FoldTraits& traits,
                     const RunChoices& choices);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_CONTRACTION_H_
