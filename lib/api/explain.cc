#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/api/annotate.h"
#include "lib/report/feature_text.h"
#include "lib/resolve/names.h"
#include "lib/resolve/resolve.h"
#include "lib/scope/metadata_scope.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {
namespace {

// What names, metadata, parameters and calls say of a node.
class OpinionTeller {
 public:
  OpinionTeller(const Graph& graph, const Evidence& evidence)
      : graph_(graph), evidence_(evidence) {}

  std::vector<Opinion> On(NodeId node) const {
    std::vector<Opinion> opinions;
    const NodeEvidence& evidence = evidence_.nodes[node];
    if (evidence.place.valid()) opinions.push_back(OfWitness(node));
    if (evidence.other_place.valid()) {
      opinions.push_back({Method::kNone, evidence.other_place, NodeId(), ""});
    }
    for (PathId owner : evidence_.owners_of(node)) {
      if (evidence.witness == Witness::kParameters && owner == evidence.place) continue;
      opinions.push_back({Method::kParameters, owner, NodeId(), ParameterOf(node, owner)});
    }
    return opinions;
  }

 private:
  Opinion OfWitness(NodeId node) const {
    const NodeEvidence& evidence = evidence_.nodes[node];
    Opinion opinion = {MethodOf(evidence.witness), evidence.place, NodeId(), ""};
    switch (evidence.witness) {
      case Witness::kMetadata:
        if (const auto scope = ReadMetadataScope(graph_.metadata(node)); scope.has_value()) {
          opinion.name = std::string(MetadataKey(scope->style));
        }
        break;
      case Witness::kNodeName:
        opinion.name = std::string(graph_.node(node).name);
        break;
      case Witness::kValueName:
        opinion.name = NameOfOutput(node);
        break;
      case Witness::kParameters:
        opinion.name = ParameterOf(node, evidence.place);
        break;
      case Witness::kFunction:
        opinion.name = std::string(graph_.block(TopBlock(node)).name);
        break;
      case Witness::kReaders:
        opinion.node = graph_.uses(graph_.outputs(node)[0])[0].node;
        break;
      case Witness::kNone:
        break;
    }
    return opinion;
  }

  std::string NameOfOutput(NodeId node) const {
    for (ValueId value : graph_.outputs(node)) {
      if (value.valid()) return std::string(graph_.value(value).name);
    }
    return "";
  }

  // The first parameter of the module that the node reads, or makes a copy of.
  std::string ParameterOf(NodeId node, PathId owner) const {
    for (const absl::Span<const ValueId>& values : {graph_.outputs(node), graph_.inputs(node)}) {
      for (ValueId value : values) {
        if (value.valid() && evidence_.value_owners[value] == owner) {
          return std::string(graph_.value(value).name);
        }
      }
    }
    return "";
  }

  BlockId TopBlock(NodeId node) const {
    BlockId block = graph_.node(node).block;
    while (graph_.block(block).parent.valid()) block = graph_.block(block).parent;
    return block;
  }

  const Graph& graph_;
  const Evidence& evidence_;
};

// Tells of what was weighed for a node.
class GroundTeller {
 public:
  // All arguments must outlive this.
  GroundTeller(const Flow& flow, const IdVector<NodeId, Assignment>& assignments)
      : flow_(flow), assignments_(assignments) {}

  void Tell(const JudgedNode& judged, NodeExplanation& why) const {
    for (const JudgedNode::Heard& heard : judged.heard) {
      // Parameters have their opinions by name.
      if (heard.method == Method::kParameters) continue;
      why.opinions.push_back({heard.method, heard.path, NodeAt(heard.witness), ""});
    }
    for (const JudgedNode::Scored& scored : judged.candidates) {
      why.candidates.push_back({scored.path, scored.probability});
    }
    const Assignment& assignment = assignments_[why.node];
    if (!DecidedByWeighing(assignment)) {
      why.opinions.push_back({assignment.method, assignment.primary, NodeId(), ""});
      return;
    }
    const char* best =
        assignment.retreat == Retreat::kNone ? "this module" : "the likeliest candidate";
    for (const Lead& lead : judged.leads) {
      why.grounds.push_back({MethodOf(IdeaOf(lead.kind)), FeatureName(lead.telling),
                             FeatureText(lead.telling, lead.of_runner_up ? "the next one" : best),
                             lead.sum, NodeAt(lead.witness)});
    }
  }

 private:
  static bool DecidedByWeighing(const Assignment& assignment) {
    return assignment.method != Method::kRepaired && assignment.method != Method::kEarlierTag;
  }

  NodeId NodeAt(Place place) const { return place == kNowhere ? NodeId() : flow_.node(place); }

  const Flow& flow_;
  const IdVector<NodeId, Assignment>& assignments_;
};

}  // namespace

Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options) {
  const Graph& graph = model.graph();
  AnnotationDraft draft = BeginAnnotation(graph, options);
  const Wiring wiring(graph);
  Explanations explanations;
  std::vector<Place> places;
  const OpinionTeller opinions(graph, draft.evidence);
  for (NodeId node : nodes) {
    explanations.nodes.push_back({node, opinions.On(node), {}, {}});
    places.push_back(wiring.flow().place(node));
  }
  DecisionTrace trace(places);
  explanations.annotation = FinishAnnotation(wiring, options, std::move(draft), &trace);
  const GroundTeller grounds(wiring.flow(), explanations.annotation.assignments);
  for (size_t i = 0; i < nodes.size(); ++i) {
    grounds.Tell(*trace.Find(places[i]), explanations.nodes[i]);
  }
  return explanations;
}

}  // namespace onnx_hier
