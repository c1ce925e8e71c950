#include <utility>

#include "lib/api/annotate.h"
#include "lib/resolve/names.h"
#include "lib/resolve/resolve.h"
#include "lib/resolve/rules.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {
namespace {

// What the ideas would say of a node if they were asked alone.
class OpinionTeller {
 public:
  OpinionTeller(const Wiring& wiring, const Evidence& evidence, ModulePaths& paths)
      : known_(CollectKnown(wiring.flow(), evidence, paths)),
        context_(wiring, evidence, known_, paths),
        groups_(wiring.fingerprints(), known_),
        twins_(context_, groups_, &paths),
        rules_(context_, twins_) {}

  std::vector<Opinion> On(NodeId node) {
    std::vector<Opinion> opinions;
    const auto add = [&](Method method, PathId path, Place other) {
      if (path.valid()) opinions.push_back({method, path, NodeAt(other)});
    };
    const NodeEvidence& evidence = context_.evidence.nodes[node];
    const Surroundings& surroundings = context_.surroundings;
    add(MethodOf(evidence.witness), evidence.place, kNowhere);
    add(Method::kNone, evidence.other_place, kNowhere);
    const Place place = context_.flow.place(node);
    if (!known_.is_open(place)) {
      for (PathId owner : context_.evidence.owners_of(node)) {
        add(Method::kParameters, owner, kNowhere);
      }
      return opinions;
    }
    const Opinions ideas = rules_.On(place);
    add(Method::kRepetition, ideas.twins, ideas.twin);
    add(Method::kParameters, ideas.parameters, kNowhere);
    add(Method::kResidual, ideas.residual, context_.branches.dominator(place));
    add(Method::kReaders, ideas.readers, kNowhere);
    add(Method::kOrder, ideas.order, surroundings.previous(place));
    for (const Surroundings::Near& near : surroundings.upstream(place)) {
      add(Method::kLocality, known_[near.place], near.place);
    }
    for (const Surroundings::Near& near : surroundings.downstream(place)) {
      add(Method::kLocality, known_[near.place], near.place);
    }
    return opinions;
  }

 private:
  NodeId NodeAt(Place place) const {
    return place == kNowhere ? NodeId() : context_.flow.node(place);
  }

  const KnownModules known_;
  const Context context_;
  const TwinGroups groups_;
  Twins twins_;
  Rules rules_;
};

}  // namespace

Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options) {
  const Graph& graph = model.graph();
  AnnotationDraft draft = BeginAnnotation(graph, options);
  const Wiring wiring(graph);
  Explanations explanations;
  std::vector<Place> places;
  {
    OpinionTeller teller(wiring, draft.evidence, draft.annotation.paths);
    for (NodeId node : nodes) {
      explanations.nodes.push_back({node, teller.On(node), {}});
      places.push_back(wiring.flow().place(node));
    }
  }
  DecisionTrace trace(places);
  explanations.annotation = FinishAnnotation(wiring, options, std::move(draft), &trace);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const DecisionTrace::Scored& scored : trace.scored(i)) {
      explanations.nodes[i].candidates.push_back({scored.path, scored.probability});
    }
  }
  return explanations;
}

}  // namespace onnx_hier
