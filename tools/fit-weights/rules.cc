#include "tools/fit-weights/rules.h"

#include "lib/features/residual.h"
#include "lib/features/siblings.h"
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

  OpenDecision Decide(Rank rank) {
    const PathId order = ByOrder(rank);
    const struct {
      PathId path;
      float confidence;
    } opinions[] = {{ByTwins(rank), kTwinsConfidence},
                    {AnchorOf(context_.evidence, context_.flow.node(rank), context_.paths),
                     kParametersConfidence},
                    {ByBranch(rank, order), kResidualConfidence},
                    {ByReaders(rank), kReadersConfidence},
                    {order, kOrderConfidence}};
    for (const auto& opinion : opinions) {
      if (opinion.path.valid()) return Decided(rank, opinion.path, opinion.confidence);
    }
    return Decided(rank, context_.paths.root(), kOrderConfidence);
  }

 private:
  static OpenDecision Decided(Rank rank, PathId path, float score) {
    OpenDecision decision;
    decision.rank = rank;
    decision.path = path;
    decision.score = score;
    return decision;
  }

  // Where more than half of its twins put it.
  PathId ByTwins(Rank rank) {
    const std::vector<TwinVote> votes = twins_.VotesOn(rank);
    if (votes.empty()) return PathId();
    for (const TwinVote::Candidate& candidate : votes[0].candidates) {
      if (candidate.share > 0.5f) return candidate.path;
    }
    return PathId();
  }

  // What contains the known nodes before and behind it in the file.
  PathId ByOrder(Rank rank) const {
    const Rank before = context_.surroundings.previous(rank);
    const Rank after = context_.surroundings.next(rank);
    if (!before.valid() && !after.valid()) return PathId();
    if (!before.valid() || !after.valid()) return context_.paths.root();
    return context_.paths.CommonAncestor(context_.known[before], context_.known[after]);
  }

  // Of a join over a skip connection.
  PathId ByBranch(Rank rank, PathId order) {
    if (!context_.dominators.is_skip_join(rank)) return PathId();
    const PathId owner = residual_owners_.OwnerOf(rank);
    return owner.valid() ? ResidualRule(owner, order, context_.paths) : PathId();
  }

  // Of a constant: what contains all known nodes that read it.
  PathId ByReaders(Rank rank) const {
    PathId readers;
    if (!context_.flow.is_constant(rank)) return readers;
    for (const Surroundings::Near& near : context_.surroundings.downstream(rank)) {
      const PathId reader = context_.known[near.rank];
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
  const Siblings siblings(scene.analysis->flow(), scene.analysis->fingerprints());
  Twins twins(context, groups, siblings, &scene.paths);
  Rules rules(context, twins);
  std::vector<OpenDecision> decisions;
  for (Rank rank : known.ranks()) {
    if (known.is_open(rank)) decisions.push_back(rules.Decide(rank));
  }
  return decisions;
}

}  // namespace onnx_hier::fit
