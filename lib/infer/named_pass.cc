#include "lib/infer/named_pass.h"

#include "lib/base/side_task.h"
#include "lib/features/named_features.h"
#include "lib/features/named_index.h"
#include "lib/infer/decider.h"

namespace onnx_hier {
namespace {

constexpr Thresholds kThresholds = {.exact = 0.25f, .inside = 0.5f, .layer = 0.45f};
// Nodes that are weighed before modules are added that were missed with them: few enough that not
// all nodes of a module which nobody names miss it, enough to pay for a thread.
constexpr size_t kNodesOfRound = 2048;

class Worker {
 public:
  Worker(const Context& context, const NamedIndex& index, const Scorer& scorer,
         const InferOptions& options, ModulePaths* added_to,
         IdVector<Rank, OpenDecision>& decisions)
      : options_(options),
        features_(context, index, added_to),
        decider_(context, scorer, kThresholds, options.trace),
        decisions_(decisions) {}

  // Those whose modules are not all there stay undecided: see deferred().
  void Work(absl::Span<const Rank> ranks) {
    deferred_.clear();
    for (Rank rank : ranks) DecideOne(rank);
  }
  const std::vector<Rank>& deferred() const { return deferred_; }

 private:
  void DecideOne(Rank rank) {
    const absl::Span<const Candidate> candidates = features_.Of(rank);
    if (features_.deferred()) {
      deferred_.push_back(rank);
      return;
    }
    OpenDecision& decided = decisions_[rank];
    const Decision decision = decider_.DecideOn(rank, candidates, decided);
    decided.basis = decision.backed_off ? Basis::kNamedBack : Basis::kNamed;
    if (options_.least_containment > 0) {
      decider_.LeadOut(candidates, Basis::kNamedBack, options_.least_containment,
                       options_.tables.containment, decided);
    }
  }

  const InferOptions& options_;
  NamedFeatures features_;
  NodeDecider decider_;
  IdVector<Rank, OpenDecision>& decisions_;
  std::vector<Rank> deferred_;
};

}  // namespace

// Adding a module changes what others read, so only this thread does it, between the rounds, and
// in the order of the nodes: the paths come out the same however many threads there are.
void DecideNamed(const Context& context, absl::Span<const Rank> open, const InferOptions& options,
                 ModulePaths& paths, IdVector<Rank, OpenDecision>& decisions) {
  const Scorer scorer(options.tables.named);
  const NamedIndex index(context, options.parallel);
  Worker first(context, index, scorer, options, nullptr, decisions);
  Worker second(context, index, scorer, options, nullptr, decisions);
  Worker adding(context, index, scorer, options, &paths, decisions);
  while (!open.empty()) {
    const absl::Span<const Rank> round = open.subspan(0, kNodesOfRound);
    open.remove_prefix(round.size());
    const size_t half = round.size() / 2;
    SideTask task(options.parallel, [&] { second.Work(round.subspan(half)); });
    first.Work(round.subspan(0, half));
    task.Finish();
    adding.Work(first.deferred());
    adding.Work(second.deferred());
  }
}

}  // namespace onnx_hier
