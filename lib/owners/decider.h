// SPDX-License-Identifier: Apache-2.0

// From the features of a node's candidates to a decision.
#ifndef ONNX_HIER_LIB_OWNERS_DECIDER_H_
#define ONNX_HIER_LIB_OWNERS_DECIDER_H_

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "lib/owners/context.h"
#include "lib/owners/decision_trace.h"
#include "lib/owners/least.h"
#include "lib/owners/open_decision.h"
#include "lib/owners/scorer.h"

namespace onnx_hier {

// What raised a node's best candidate above the runner-up.
class Leads {
 public:
  // Both arguments must outlive this.
  Leads(const Context& context, const Scorer& scorer)
      : context_(context), scorer_(scorer), differences_(FeatureCount(), 0.0f) {}

  // Compares two candidates of the node at `rank`; `runner_up` may be `best` itself, where there
  // is no other. Where the two are alike, what counts is what speaks for the best at all. What is
  // asked below is of the node last compared.
  void Compare(Rank rank, const Candidate& best, const Candidate& runner_up);

  // What raised the best candidate most; what holds of most nodes does not count. kNone: nothing
  // else speaks for it.
  Method deciding() const { return deciding_; }
  // The kind of such features that did most.
  Lead MostBy(Method method) const;
  // All kinds that made a difference: by method, then by lead, the largest first.
  std::vector<Lead> All() const;

 private:
  struct Sum {
    float sum = 0;
    float most = 0;   // done by one feature for the best candidate
    float least = 0;  // ... against it
    FeatureId most_telling = 0;
    FeatureId least_telling = 0;
  };

  void Subtract(Rank rank, const Candidate& best, const Candidate& runner_up);
  void AddFeature(FeatureId feature);
  void SumMethods();
  Lead LeadOf(FeatureKind kind) const;
  Rank WitnessOf(FeatureKind kind, uint32_t relation, const Candidate& candidate) const;
  // The nearest of these that the feature speaks of.
  Rank Nearest(FeatureKind kind, absl::Span<const Surroundings::Near> side, uint32_t relation,
               PathId candidate) const;

  const Context& context_;
  const Scorer& scorer_;
  std::vector<float> differences_;  // by feature: best less runner-up; 0 between two comparisons
  std::array<Sum, kFeatureKindCount> sums_;
  std::array<float, kMethodCount> by_method_{};
  Method deciding_ = Method::kNone;
  Rank rank_;
  const Candidate* best_ = nullptr;
  const Candidate* runner_up_ = nullptr;
};

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
