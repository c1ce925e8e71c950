#include "lib/resolve/rules.h"

#include "lib/resolve/resolve.h"

namespace onnx_hier {
namespace {

// Shares of nodes with known owners, in real exports with 30 % of the names gone, that each idea
// puts into exactly the right module.
constexpr float kTwinsConfidence = 0.98f;
constexpr float kParametersConfidence = 0.96f;
constexpr float kResidualConfidence = 0.9f;
constexpr float kReadersConfidence = 0.9f;
constexpr float kOrderConfidence = 0.7f;

void Assign(const Opinions& opinions, const ModulePaths& paths, Assignment& assignment) {
  assignment.primary = opinions.Best();
  const auto is_reason = [&](PathId opinion) {
    return opinion.valid() && opinion == assignment.primary;
  };
  if (!assignment.primary.valid()) assignment.primary = paths.root();
  if (is_reason(opinions.twins)) {
    assignment.method = Method::kRepetition;
    assignment.confidence = kTwinsConfidence;
  } else if (is_reason(opinions.parameters)) {
    assignment.method = Method::kParameters;
    assignment.confidence = kParametersConfidence;
  } else if (is_reason(opinions.residual)) {
    assignment.method = Method::kResidual;
    assignment.confidence = kResidualConfidence;
  } else if (is_reason(opinions.readers)) {
    assignment.method = Method::kReaders;
    assignment.confidence = kReadersConfidence;
  } else {
    assignment.method = Method::kOrder;
    assignment.confidence = kOrderConfidence;
  }
}

}  // namespace

PathId Opinions::Best() const {
  for (PathId opinion : {twins, parameters, residual, readers, order}) {
    if (opinion.valid()) return opinion;
  }
  return PathId();
}

Opinions Rules::On(Place place) {
  const KnownModules& known = context_.known;
  const Surroundings& surroundings = context_.surroundings;
  const ModulePaths& paths = context_.paths;
  Opinions opinions;
  const std::vector<TwinVote> votes = twins_.VotesOn(place);
  if (!votes.empty()) {
    for (const TwinVote::Candidate& candidate : votes[0].candidates) {
      if (candidate.share <= 0.5f) continue;
      opinions.twins = candidate.path;
      opinions.twin = candidate.twin;
    }
  }
  opinions.parameters = AnchorOf(context_.evidence, context_.flow.node(place), paths);
  const Place before = surroundings.previous(place);
  const Place after = surroundings.next(place);
  if (before != kNowhere || after != kNowhere) {
    opinions.order = before != kNowhere && after != kNowhere
                         ? paths.CommonAncestor(known[before], known[after])
                         : paths.root();
  }
  if (context_.branches.is_skip_join(place)) {
    const PathId owner = residual_owners_.OwnerOf(place);
    if (owner.valid()) opinions.residual = ResidualRule(owner, opinions.order, paths);
  }
  if (context_.flow.is_constant(place)) {
    for (const Surroundings::Near& near : surroundings.downstream(place)) {
      opinions.readers = opinions.readers.valid()
                             ? paths.CommonAncestor(opinions.readers, known[near.place])
                             : known[near.place];
    }
  }
  return opinions;
}

bool ResolveByRules(const Wiring& wiring, const Evidence& evidence, const KnownModules& known,
                    ModulePaths& paths, Assignments& assignments) {
  const Flow& flow = wiring.flow();
  const Context context(wiring, evidence, known, paths);
  const TwinGroups groups(wiring.fingerprints(), known);
  Twins twins(context, groups, &paths);
  Rules rules(context, twins);
  bool changed = false;
  for (Place i = 0; i < flow.size(); ++i) {
    Assignment& assignment = assignments[flow.node(i)];
    if (assignment.primary.valid()) continue;
    const Opinions opinions = rules.On(i);
    Assign(opinions, paths, assignment);
    if (assignment.method == Method::kRepetition) assignment.witness = flow.node(opinions.twin);
    changed = true;
  }
  return changed;
}

}  // namespace onnx_hier
