// SPDX-License-Identifier: Apache-2.0

// Why open nodes were given their modules: what was weighed when they were last weighed.
#ifndef ONNX_HIER_LIB_OWNERS_DECISION_TRACE_H_
#define ONNX_HIER_LIB_OWNERS_DECISION_TRACE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/features.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What one kind of feature did for the best candidate against the runner-up.
struct Lead {
  FeatureKind kind = FeatureKind::kRoot;
  float sum = 0;          // of weight x difference in value
  FeatureId telling = 0;  // the feature that did most to make the sum what it is
  PathId candidate;       // which of the two has that feature, or more of it
  Rank witness;           // a node that the telling feature points at
};

struct WeighedNode {
  struct Scored {
    PathId path;
    float probability = 0;
  };
  struct Heard {
    Method method = Method::kNone;
    PathId path;
    Rank witness;
  };
  std::vector<Scored> candidates;  // the most likely first
  std::vector<Lead> leads;         // the deciding one first; empty: something else decided
  std::vector<Heard> heard;        // what each idea goes by says on its own
  PathId decided;                  // what came of it, before corrections; none: it was not open
};

class DecisionTrace {
 public:
  // The nodes that somebody will ask for.
  explicit DecisionTrace(absl::Span<const Rank> ranks) {
    for (Rank rank : ranks) nodes_[rank];
  }

  // Null: nobody will ask for it. Several threads may write, of different nodes.
  WeighedNode* Find(Rank rank) {
    const auto found = nodes_.find(rank);
    return found == nodes_.end() ? nullptr : &found->second;
  }

 private:
  absl::flat_hash_map<Rank, WeighedNode> nodes_;
};

// What was not weighed is traced as well. `trace` may be null.
inline void NoteHeard(DecisionTrace* trace, Rank rank, const WeighedNode::Heard& heard) {
  WeighedNode* const weighed = trace == nullptr ? nullptr : trace->Find(rank);
  if (weighed != nullptr) weighed->heard.push_back(heard);
}
// What was weighed decided nothing in the end.
inline void NoteUnweighed(DecisionTrace* trace, Rank rank) {
  WeighedNode* const weighed = trace == nullptr ? nullptr : trace->Find(rank);
  if (weighed != nullptr) weighed->leads.clear();
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_DECISION_TRACE_H_
