#include "tools/fit-weights/rules.h"

#include "lib/features/residual.h"
#include "lib/features/twin_groups.h"
#include "lib/features/twins.h"

namespace onnx_hier::fit {
namespace {

// Shares of nodes with known owners, in real exports with 30 % of the names gone, that each idea
// puts into exactly the right module.
constexpr float kTwinsConfidence = 0.98f;
constexpr float kParametersConfidence = 0.96f;
constexpr float kResidualConfidence = 0.9f;
constexpr float kReadersConfidence = 0.9f;
constexpr float kOrderConfidence = 0.7f;

class Rules {
 public:
  // All arguments must outlive this.
  Rules(const Context& context, Twins& twins)
      : context_(context), twins_(twins), residual_owners_(context) {}

  OpenDecision Decide(Place place) {
    const PathId order = ByOrder(place);
    const struct {
      PathId path;
      float confidence;
    } opinions[] = {{ByTwins(place), kTwinsConfidence},
                    {AnchorOf(context_.evidence, context_.flow.node(place), context_.paths),
                     kParametersConfidence},
                    {ByBranch(place, order), kResidualConfidence},
                    {ByReaders(place), kReadersConfidence},
                    {order, kOrderConfidence}};
    for (const auto& opinion : opinions) {
      if (opinion.path.valid()) return Decided(place, opinion.path, opinion.confidence);
    }
    return Decided(place, context_.paths.root(), kOrderConfidence);
  }

 private:
  static OpenDecision Decided(Place place, PathId path, float score) {
    OpenDecision decision;
    decision.place = place;
    decision.path = path;
    decision.score = score;
    return decision;
  }

  // Where more than half of its twins put it.
  PathId ByTwins(Place place) {
    const std::vector<TwinVote> votes = twins_.VotesOn(place);
    if (votes.empty()) return PathId();
    for (const TwinVote::Candidate& candidate : votes[0].candidates) {
      if (candidate.share > 0.5f) return candidate.path;
    }
    return PathId();
  }

  // What contains the known nodes before and behind it in the file.
  PathId ByOrder(Place place) const {
    const Place before = context_.surroundings.previous(place);
    const Place after = context_.surroundings.next(place);
    if (before == kNowhere && after == kNowhere) return PathId();
    if (before == kNowhere || after == kNowhere) return context_.paths.root();
    return context_.paths.CommonAncestor(context_.known[before], context_.known[after]);
  }

  // Of a join over a skip connection.
  PathId ByBranch(Place place, PathId order) {
    if (!context_.dominators.is_skip_join(place)) return PathId();
    const PathId owner = residual_owners_.OwnerOf(place);
    return owner.valid() ? ResidualRule(owner, order, context_.paths) : PathId();
  }

  // Of a constant: what contains all known nodes that read it.
  PathId ByReaders(Place place) const {
    PathId readers;
    if (!context_.flow.is_constant(place)) return readers;
    for (const Surroundings::Near& near : context_.surroundings.downstream(place)) {
      const PathId reader = context_.known[near.place];
      readers = readers.valid() ? context_.paths.CommonAncestor(readers, reader) : reader;
    }
    return readers;
  }

  const Context& context_;
  Twins& twins_;
  ResidualOwners residual_owners_;
};

}  // namespace

std::vector<OpenDecision> DecideByRules(Scene& scene) {
  const KnownModules known = scene.Known();
  const Context context(*scene.analysis, scene.evidence, known, scene.paths);
  const TwinGroups groups(scene.analysis->fingerprints(), known);
  Twins twins(context, groups, &scene.paths);
  Rules rules(context, twins);
  std::vector<OpenDecision> decisions;
  for (Place place = 0; place < known.size(); ++place) {
    if (known.is_open(place)) decisions.push_back(rules.Decide(place));
  }
  return decisions;
}

}  // namespace onnx_hier::fit
