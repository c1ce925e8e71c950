#include "lib/resolve/dense_pass.h"

#include <algorithm>

#include "lib/base/side_task.h"
#include "lib/resolve/dense_features.h"
#include "lib/resolve/dense_index.h"
#include "lib/resolve/judge.h"
#include "lib/resolve/layer_doubt.h"

namespace onnx_hier {
namespace {

constexpr Thresholds kThresholds = {.exact = 0.25f, .inside = 0.5f, .layer = 0.45f};
// The score of what may be in either of two layers: not sure enough for a second pass to build on.
constexpr float kDoubt = 0.5f;
// Nodes that are judged before modules are added that were missed with them: few enough that not
// all nodes of a module which nobody names miss it, enough to pay for a thread.
constexpr size_t kNodesOfRound = 2048;

class Worker {
 public:
  Worker(const Context& context, const DenseIndex& index, const Scorer& scorer,
         DecisionTrace* trace, ModulePaths* added_to, std::vector<OpenDecision>& decisions)
      : context_(context),
        features_(context, index, added_to),
        judge_(context, scorer, kThresholds, trace),
        trace_(trace),
        decisions_(decisions) {}

  // Those whose modules are not all there stay undecided: see unsaid().
  void Work(absl::Span<const Place> places) {
    unsaid_.clear();
    for (Place place : places) JudgeOne(place);
  }
  const std::vector<Place>& unsaid() const { return unsaid_; }

 private:
  void JudgeOne(Place place) {
    const absl::Span<const Candidate> candidates = features_.Of(place);
    if (features_.left_unsaid()) {
      unsaid_.push_back(place);
      return;
    }
    OpenDecision& decided = decisions_[place];
    const Decision decision = judge_.On(place, candidates, decided);
    decided.basis = decision.backed_off ? Basis::kDenseBack : Basis::kDense;
    DoubtLayer(place, decided);
  }

  void DoubtLayer(Place place, OpenDecision& decided) const {
    const PathId both = DoubtBetweenLayers(place, decided.path, context_);
    if (!both.valid()) return;
    decided.path = judge_.Callable(both);
    decided.basis = Basis::kDenseBack;
    decided.score = std::min(decided.score, kDoubt);
    decided.retreat = Retreat::kBetweenLayers;
    decided.idea = Idea::kFlow;
    decided.witness = context_.flow.consumers(place)[0].place;
    if (trace_ == nullptr) return;
    if (JudgedNode* judged = trace_->Find(place); judged != nullptr) judged->leads.clear();
  }

  const Context& context_;
  DenseFeatures features_;
  Judge judge_;
  DecisionTrace* const trace_;
  std::vector<OpenDecision>& decisions_;
  std::vector<Place> unsaid_;
};

}  // namespace

// Adding a module changes what others read, so only this thread does it, between the rounds, and
// in the order of the nodes: the paths come out the same however many threads there are.
void JudgeDense(const Context& context, absl::Span<const Place> open, const ResolveOptions& options,
                ModulePaths& paths, std::vector<OpenDecision>& decisions) {
  const Scorer scorer(options.tables.dense);
  const DenseIndex index(context, options.beside);
  Worker first(context, index, scorer, options.trace, nullptr, decisions);
  Worker second(context, index, scorer, options.trace, nullptr, decisions);
  Worker adding(context, index, scorer, options.trace, &paths, decisions);
  while (!open.empty()) {
    const absl::Span<const Place> round = open.subspan(0, kNodesOfRound);
    open.remove_prefix(round.size());
    const size_t half = round.size() / 2;
    SideTask task(options.beside, [&] { second.Work(round.subspan(half)); });
    first.Work(round.subspan(0, half));
    task.Finish();
    adding.Work(first.unsaid());
    adding.Work(second.unsaid());
  }
}

}  // namespace onnx_hier
