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

Rules::Rules(const Flow& flow, const Evidence& evidence, const KnownModules& known,
             const Surroundings& surroundings, const Branches& branches, Twins& twins,
             const ModuleChildren& children, const ModulePaths& paths)
    : flow_(flow),
      evidence_(evidence),
      known_(known),
      surroundings_(surroundings),
      branches_(branches),
      twins_(twins),
      paths_(paths),
      residual_owners_(flow, branches, known, surroundings, children, paths) {}

Opinions Rules::On(Place place) {
  Opinions opinions;
  const std::vector<TwinVote> votes = twins_.VotesOn(place);
  if (!votes.empty()) {
    for (const TwinVote::Candidate& candidate : votes[0].candidates) {
      if (candidate.share <= 0.5f) continue;
      opinions.twins = candidate.path;
      opinions.twin = candidate.twin;
    }
  }
  opinions.parameters = AnchorOf(evidence_, flow_.node(place), paths_);
  const Place before = surroundings_.previous(place);
  const Place after = surroundings_.next(place);
  if (before != kNowhere || after != kNowhere) {
    opinions.order = before != kNowhere && after != kNowhere
                         ? paths_.CommonAncestor(known_[before], known_[after])
                         : paths_.root();
  }
  if (branches_.is_skip_join(place)) {
    const PathId owner = residual_owners_.OwnerOf(place);
    if (owner.valid()) opinions.residual = ResidualRule(owner, opinions.order, paths_);
  }
  if (flow_.is_constant(place)) {
    for (const Surroundings::Near& near : surroundings_.downstream(place)) {
      opinions.readers = opinions.readers.valid()
                             ? paths_.CommonAncestor(opinions.readers, known_[near.place])
                             : known_[near.place];
    }
  }
  return opinions;
}

bool ResolveByRules(const Wiring& wiring, const Evidence& evidence, const KnownModules& known,
                    ModulePaths& paths, Assignments& assignments) {
  const Flow& flow = wiring.flow();
  const Surroundings surroundings(flow, known, paths);
  const ModuleChildren children(paths);
  Twins twins(flow, wiring.fingerprints(), known, surroundings, children, paths);
  Rules rules(flow, evidence, known, surroundings, wiring.branches(), twins, children, paths);
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
