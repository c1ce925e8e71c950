// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "lib/api/annotate.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/readable_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/owners/infer.h"
#include "lib/show/feature_text.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {
namespace {

// What names, metadata, parameters and calls say of a node.
class OpinionTeller {
 public:
  OpinionTeller(const Graph& graph, const Evidence& evidence) : graph_(graph), evidence_(evidence) {
    for (const auto& [node, said] : evidence.nodes.overruled()) overruled_[node].push_back(said);
  }

  // What counts first.
  std::vector<Opinion> On(NodeId node) const {
    std::vector<Statement> statements = {evidence_.nodes[node]};
    if (const auto found = overruled_.find(node); found != overruled_.end()) {
      statements.insert(statements.end(), found->second.rbegin(), found->second.rend());
    }
    std::vector<Opinion> opinions;
    for (const Statement& said : statements) {
      // What a rule says is told with its line.
      if (said.place.valid() && said.method != Method::kRule) {
        opinions.push_back(OpinionOf(node, said));
      }
    }
    AddOwners(node, opinions);
    return opinions;
  }

 private:
  // A node may read the parameters of any number of modules: the names of all are found at once.
  void AddOwners(NodeId node, std::vector<Opinion>& opinions) const {
    std::vector<PathId> told;
    for (const Opinion& opinion : opinions) {
      if (opinion.method == Method::kParameters) told.push_back(opinion.path);
    }
    absl::flat_hash_map<PathId, ValueId> parameters;
    ForEachParameter(node, [&](PathId owner, ValueId value) {
      parameters.try_emplace(owner, value);
      return true;
    });
    for (PathId owner : evidence_.owners_of(node)) {
      if (absl::c_linear_search(told, owner)) continue;
      const auto found = parameters.find(owner);
      const absl::string_view name =
          found == parameters.end() ? "" : graph_.value(found->second).name;
      opinions.push_back({Method::kParameters, owner, NodeId(), std::string(name)});
    }
  }

  Opinion OpinionOf(NodeId node, const Statement& said) const {
    Opinion opinion = {said.method, said.place, NodeId(), ""};
    switch (said.method) {
      case Method::kMetadata:
        if (const auto scope = ReadMetadataScope(graph_.metadata(node)); scope.has_value()) {
          opinion.name = std::string(scope->format->key);
        }
        break;
      case Method::kNodeName:
        opinion.name = std::string(graph_.node(node).name);
        break;
      case Method::kValueName:
        opinion.name = NameOfOutput(node);
        break;
      case Method::kParameters:
        opinion.name = ParameterOf(node, said.place);
        break;
      case Method::kFunction:
        opinion.name = std::string(graph_.block(TopBlock(node)).name);
        break;
      case Method::kReaders:
      case Method::kLocality:
        opinion.node = said.neighbour;
        break;
      default:  // has no name
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
  std::string ParameterOf(NodeId node, PathId module) const {
    absl::string_view name;
    ForEachParameter(node, [&](PathId owner, ValueId value) {
      if (owner == module) name = graph_.value(value).name;
      return owner != module;
    });
    return std::string(name);
  }

  // Calls `visit` with each parameter that the node makes a copy of, or reads, and its owner, until
  // that returns false.
  void ForEachParameter(NodeId node, absl::FunctionRef<bool(PathId, ValueId)> visit) const {
    for (const absl::Span<const ValueId>& values : {graph_.outputs(node), graph_.inputs(node)}) {
      for (ValueId value : values) {
        if (!value.valid() || !evidence_.value_owners[value].valid()) continue;
        if (!visit(evidence_.value_owners[value], value)) return;
      }
    }
  }

  BlockId TopBlock(NodeId node) const {
    BlockId block = graph_.node(node).block;
    while (graph_.block(block).parent.valid()) block = graph_.block(block).parent;
    return block;
  }

  const Graph& graph_;
  const Evidence& evidence_;
  absl::flat_hash_map<NodeId, std::vector<Statement>> overruled_;
};

// Tells of what was weighed for a node.
class GroundTeller {
 public:
  // All arguments must outlive this.
  GroundTeller(const Flow& flow, const Annotation& annotation)
      : flow_(flow), paths_(annotation.paths), assignments_(annotation.assignments) {}

  void Tell(const WeighedNode& weighed, NodeExplanation& why) const {
    for (const WeighedNode::Heard& heard : weighed.heard) {
      // Parameters have their opinions by name.
      if (heard.method == Method::kParameters) continue;
      why.opinions.push_back({heard.method, heard.path, NodeAt(heard.witness), ""});
    }
    const Assignment& assignment = assignments_[why.node];
    // Grounds of another answer than the one that was given explain nothing.
    const bool is_corrected = weighed.decided.valid() && assignment.primary != weighed.decided;
    if (!DecidedByWeighing(assignment) || is_corrected) {
      why.opinions.push_back({assignment.method, assignment.primary, assignment.witness, ""});
      return;
    }
    for (const WeighedNode::Scored& scored : weighed.candidates) {
      why.candidates.push_back({scored.path, scored.probability});
    }
    for (const Lead& lead : weighed.leads) {
      why.grounds.push_back({MethodOf(lead.kind), FeatureName(lead.telling),
                             FeatureText(lead.telling, paths_.Tag(lead.candidate)), lead.sum,
                             NodeAt(lead.witness)});
    }
  }

 private:
  static bool DecidedByWeighing(const Assignment& assignment) {
    return assignment.method != Method::kRepaired && assignment.method != Method::kEarlierTag;
  }

  NodeId NodeAt(Rank rank) const { return !rank.valid() ? NodeId() : flow_.node(rank); }

  const Flow& flow_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
};

// First what a rule of the user's says.
void AddRules(Explanations& explanations) {
  const Annotation& annotation = explanations.annotation;
  absl::flat_hash_map<NodeId, size_t> lines;
  for (const RuledNode& ruled : annotation.ruled) lines.emplace(ruled.node, ruled.line);
  for (NodeExplanation& why : explanations.nodes) {
    const auto line = lines.find(why.node);
    if (line == lines.end()) continue;
    Opinion opinion = {Method::kRule, annotation.assignments[why.node].primary, NodeId(),
                       absl::StrCat(annotation.rules->file, ":", line->second)};
    why.opinions.insert(why.opinions.begin(), std::move(opinion));
  }
}

}  // namespace

Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options) {
  const NamedParameters named(model.graph(), options.parameter_names);
  const ReadableGraph readable(named.graph());
  const Graph& graph = readable.graph();
  std::shared_ptr<const AppliedRules> rules;
  if (options.rules != nullptr) {
    const Annotation without =
        AnnotateGraph(model.graph(), OriginsOf(model), WithoutRules(options));
    rules = RulesFor(model.graph(), without, options);
  }
  AnnotationDraft draft =
      BeginAnnotation(named, readable, OriginsOf(model), options, std::move(rules));
  const GraphAnalysis analysis(graph);
  Explanations explanations;
  std::vector<Rank> ranks;
  const OpinionTeller opinions(named.graph(), draft.evidence);
  for (NodeId node : nodes) {
    const PathId fused_with = draft.evidence.nodes[node].fused_place();
    explanations.nodes.push_back({node, fused_with, opinions.On(node), {}, {}});
    ranks.push_back(analysis.flow().rank(node));
  }
  DecisionTrace trace(ranks);
  explanations.annotation = FinishAnnotation(analysis, options, std::move(draft), &trace);
  const GroundTeller grounds(analysis.flow(), explanations.annotation);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const WeighedNode* weighed = trace.Find(ranks[i]);
    if (weighed != nullptr) grounds.Tell(*weighed, explanations.nodes[i]);
  }
  AddRules(explanations);
  return explanations;
}

}  // namespace onnx_hier
