// SPDX-License-Identifier: Apache-2.0

// From the features of a node's candidates to a decision.
#ifndef ONNX_HIER_LIB_OWNERS_DECIDER_H_
#define ONNX_HIER_LIB_OWNERS_DECIDER_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/owners/context.h"
#include "lib/owners/decisions.h"
#include "lib/owners/leads.h"
#include "lib/owners/least.h"
#include "lib/owners/scorer.h"

namespace onnx_hier {

class NodeDecider {
 public:
  // `trace` may be null. All arguments must outlive this.
  NodeDecider(const Context& context, const Scorer& scorer, const Thresholds& thresholds,
              DecisionTrace* trace)
      : context_(context),
        scorer_(scorer),
        thresholds_(thresholds),
        trace_(trace),
        leads_(context, scorer) {}

  // Fills in all of `decided` but the basis.
  Decision DecideOn(Rank rank, absl::Span<const Candidate> candidates, OpenDecision& decided);
  // Leads a decision on these candidates, the last ones that were decided on, out of its module to
  // the nearest one around it that holds the node so surely.
  void LeadOut(absl::Span<const Candidate> candidates, Basis backed_off, const Least& least,
               absl::Span<const CalibrationPoint> containment, OpenDecision& decided) const;

 private:
  // After leads_.Compare().
  void Record(Rank rank, absl::Span<const Candidate> candidates, WeighedNode& weighed) const;

  const Context& context_;
  const Scorer& scorer_;
  const Thresholds& thresholds_;
  DecisionTrace* const trace_;
  Leads leads_;
  std::vector<float> probabilities_;  // kept for its memory
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_DECIDER_H_
