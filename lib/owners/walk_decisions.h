// SPDX-License-Identifier: Apache-2.0

// What the walk says of one node of a run.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_DECISIONS_H_
#define ONNX_HIER_LIB_OWNERS_WALK_DECISIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/owners/context.h"
#include "lib/owners/lattice.h"
#include "lib/owners/open_decision.h"
#include "lib/owners/walk.h"

namespace onnx_hier {

// Of a file: decides what is known of its walk, and how sure that is.
enum class NamesLeft : uint8_t { kNone, kSome };

// Asks the walk, with the weights for such files; `own` as Walk::Decide takes it.
std::vector<Lattice> AskWalk(const Walk& walk, NamesLeft names, std::optional<Walk::Own> own,
                             const InferOptions& options);

// The likeliest step of the way, or the nearest module around it that is sure enough. `likely` is
// of the run, `node` one of its nodes.
OpenDecision DecideByWalk(const WalkRun& run, size_t node, const Lattice& likely, NamesLeft names,
                          const Context& context, const InferOptions& options);

// Notes what was weighed for such a decision, and nothing else. `trace` may be null.
void NoteWalk(const WalkRun& run, size_t node, const Lattice& likely, const Context& context,
              const OpenDecision& decided, DecisionTrace* trace);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_DECISIONS_H_
