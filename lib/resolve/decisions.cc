#include "lib/resolve/decisions.h"

#include <utility>

#include "lib/resolve/dense_pass.h"
#include "lib/resolve/judge.h"
#include "lib/resolve/resolve.h"
#include "lib/resolve/sparse_features.h"

namespace onnx_hier {
namespace {

// Below this share of nodes with a name of their own, parameters say more than these.
constexpr double kSparseShare = 0.02;
// A decision of the first pass that counts as known in the second; nearly all of these are right.
constexpr float kSure = 0.95f;
constexpr int kMostPasses = 2;

constexpr Thresholds kSparseThresholds = {.exact = 0.5f, .inside = 0.6f, .layer = 0.85f};

Basis SparseBasis(const Decision& decision, bool long_gap, const ModuleChildren& children) {
  if (decision.backed_off) return Basis::kSparseBack;
  if (long_gap) return Basis::kSparseLong;
  return children.count(decision.path) > 0 ? Basis::kSparse : Basis::kSparseLeaf;
}

class Decider {
 public:
  Decider(const Wiring& wiring, const Evidence& evidence, KnownModules known,
          const ResolveOptions& options, ModulePaths& paths)
      : wiring_(wiring),
        flow_(wiring.flow()),
        evidence_(evidence),
        known_(std::move(known)),
        options_(options),
        paths_(paths),
        decisions_(flow_.size()) {}

  std::vector<OpenDecision> Run() {
    std::vector<Place> open;
    for (Place i = 0; i < flow_.size(); ++i) {
      if (known_.is_open(i)) open.push_back(i);
    }
    if (open.empty()) return {};
    if (IsSparse(flow_, known_)) {
      DecideSparse(open);
    } else {
      DecideDense(open);
    }
    std::vector<OpenDecision> decisions;
    decisions.reserve(open.size());
    for (Place place : open) decisions.push_back(decisions_[place]);
    return decisions;
  }

 private:
  void DecideDense(const std::vector<Place>& open) {
    std::vector<Place> unsure = open;
    for (int pass = 0; pass < kMostPasses && !unsure.empty(); ++pass) {
      const Context context(wiring_, evidence_, known_, paths_);
      JudgeDense(context, unsure, options_, paths_, decisions_);
      const size_t before = unsure.size();
      SettleSure(unsure);
      if (unsure.size() == before) break;
    }
  }

  // What is sure counts as known from now on, and leaves the list.
  void SettleSure(std::vector<Place>& unsure) {
    size_t kept = 0;
    for (Place place : unsure) {
      if (decisions_[place].score >= kSure) {
        known_.Settle(place, decisions_[place].path);
      } else {
        unsure[kept++] = place;
      }
    }
    unsure.resize(kept);
  }

  void DecideSparse(const std::vector<Place>& open) {
    const Scorer scorer(options_.tables.sparse);
    const Context context(wiring_, evidence_, known_, paths_);
    SparseFeatures features(context);
    Judge judge(context, scorer, kSparseThresholds, options_.trace);
    for (Place place : open) {
      if (flow_.is_constant(place)) continue;
      if (known_[place].valid()) {
        decisions_[place] = {place, known_[place], Basis::kAnchor, 1, Idea::kParameters};
        Hear(place, Method::kParameters, known_[place], kNowhere);
        continue;
      }
      const Decision decision = judge.On(place, features.Of(place), decisions_[place]);
      decisions_[place].basis = SparseBasis(decision, features.InLongGap(), context.children);
    }
    for (size_t i = open.size(); i-- > 0;) {
      if (flow_.is_constant(open[i])) FollowReaders(open[i]);
    }
  }

  // A constant belongs where all that read it belong, as surely as the least sure of these.
  void FollowReaders(Place place) {
    OpenDecision& decided = decisions_[place];
    decided = {place, PathId(), Basis::kReaders, 1, Idea::kFlow, kNowhere, Retreat::kNone, true};
    bool agree = true;
    Basis least_sure = Basis::kReaders;
    for (const Flow::Edge& edge : flow_.consumers(place)) {
      const bool open = known_.is_open(edge.place);
      const PathId reader = open ? decisions_[edge.place].path : known_[edge.place];
      agree &= !decided.path.valid() || decided.path == reader;
      decided.path = decided.path.valid() ? paths_.CommonAncestor(decided.path, reader) : reader;
      if (open && decisions_[edge.place].score <= decided.score) {
        decided.score = decisions_[edge.place].score;
        least_sure = decisions_[edge.place].basis;
      }
      if (decided.witness == kNowhere) decided.witness = edge.place;
      Hear(place, Method::kReaders, reader, edge.place);
    }
    if (agree) decided.basis = least_sure;
    if (decided.path.valid()) return;
    decided.path = paths_.root();
    decided.score = 0;
  }

  // What was not weighed is traced as well.
  void Hear(Place place, Method method, PathId path, Place witness) const {
    if (options_.trace == nullptr) return;
    JudgedNode* const judged = options_.trace->Find(place);
    if (judged != nullptr) judged->heard.push_back({method, path, witness});
  }

  const Wiring& wiring_;
  const Flow& flow_;
  const Evidence& evidence_;
  KnownModules known_;
  const ResolveOptions& options_;
  ModulePaths& paths_;
  std::vector<OpenDecision> decisions_;  // by place
};

}  // namespace

Method MethodOf(Idea idea) {
  switch (idea) {
    case Idea::kTwins:
      return Method::kRepetition;
    case Idea::kParameters:
      return Method::kParameters;
    case Idea::kStructure:
      return Method::kStructure;
    case Idea::kFlow:
      return Method::kLocality;
    case Idea::kOrder:
      return Method::kOrder;
    case Idea::kPrior:
      break;
  }
  return Method::kNone;
}

bool IsSparse(const Flow& flow, const KnownModules& known) {
  Place settled = 0;
  for (Place i = 0; i < flow.size(); ++i) settled += !known.is_open(i);
  return settled < kSparseShare * flow.size();
}

std::vector<OpenDecision> DecideOpenNodes(const Wiring& wiring, const Evidence& evidence,
                                          KnownModules known, const ResolveOptions& options,
                                          ModulePaths& paths) {
  return Decider(wiring, evidence, std::move(known), options, paths).Run();
}

bool ResolveByDecisions(const Wiring& wiring, const Evidence& evidence, const KnownModules& known,
                        const ResolveOptions& options, ModulePaths& paths,
                        Assignments& assignments) {
  const Flow& flow = wiring.flow();
  const std::vector<OpenDecision> decisions =
      DecideOpenNodes(wiring, evidence, known, options, paths);
  for (const OpenDecision& decision : decisions) {
    Assignment& assignment = assignments[flow.node(decision.place)];
    assignment.primary = decision.path;
    assignment.method = decision.by_readers ? Method::kReaders : MethodOf(decision.idea);
    assignment.retreat = decision.retreat;
    assignment.confidence = Calibrated(options.tables, decision.basis, decision.score);
    if (decision.witness != kNowhere) assignment.witness = flow.node(decision.witness);
  }
  return !decisions.empty();
}

}  // namespace onnx_hier
