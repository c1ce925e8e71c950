// SPDX-License-Identifier: Apache-2.0
#include "lib/api/annotate.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "lib/audit/earlier_tags.h"
#include "lib/audit/second_look.h"
#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/graph/flow.h"
#include "lib/names/readable_graph.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/owners/doubts.h"
#include "lib/owners/evidence.h"
#include "lib/owners/infer.h"
#include "lib/owners/joined_evidence.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/leaves.h"
#include "lib/owners/open_decision.h"
#include "lib/owners/rule_places.h"
#include "lib/parts/flat_model.h"
#include "lib/tree/auxiliary.h"
#include "lib/tree/calls.h"
#include "lib/tree/learned_classes.h"
#include "lib/tree/module_tree.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier/version.h"
#include "onnx_hier/weights.h"

namespace onnx_hier {
namespace {

class ModelsDecider {
 public:
  ModelsDecider(const Flow& flow, const Evidence& evidence, const InferOptions& options,
                ModulePaths& paths, ContaminationCount& contamination)
      : flow_(flow),
        evidence_(evidence),
        options_(options),
        paths_(paths),
        contamination_(contamination) {}

  NodeOwners Decide() {
    NodeOwners owners(evidence_.nodes.size());
    contamination_ = {};
    for (const ModelEvidence& model : evidence_.models) Decide(model, owners);
    return owners;
  }

 private:
  void Decide(const ModelEvidence& model, NodeOwners& owners) {
    const GraphAnalysis analysis(*model.graph);
    const Evidence evidence = EvidenceOf(model, evidence_);
    DecisionTrace trace(TracedIn(model, analysis.flow()));
    const InferOptions options = {.tables = options_.tables,
                                  .trace = options_.trace == nullptr ? nullptr : &trace,
                                  .threads = options_.threads,
                                  .least = options_.least,
                                  .sureness = model.sureness};
    ContaminationCount contamination;
    const NodeOwners decided =
        DecideOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths_), options,
                     paths_, contamination);
    contamination_.found += contamination.found;
    contamination_.unresolved += contamination.unresolved;
    for (NodeId id : model.graph->node_ids()) {
      Assignment owner = decided[id];
      if (!paths_.Contains(model.top, owner.primary)) owner.primary = model.top;
      if (owner.witness.valid()) owner.witness = model.part->InWhole(owner.witness);
      owners.Decide(model.part->InWhole(id), owner);
    }
    TakeOver(model, analysis.flow(), trace);
  }

  // Nodes that somebody will ask for.
  std::vector<Rank> TracedIn(const ModelEvidence& model, const Flow& flow) const {
    std::vector<Rank> traced;
    for (NodeId id : model.graph->node_ids()) {
      if (TraceOf(model, id) != nullptr) traced.push_back(flow.rank(id));
    }
    return traced;
  }
  WeighedNode* TraceOf(const ModelEvidence& model, NodeId id) const {
    if (options_.trace == nullptr) return nullptr;
    return options_.trace->Find(flow_.rank(model.part->InWhole(id)));
  }

  void TakeOver(const ModelEvidence& model, const Flow& flow, DecisionTrace& trace) const {
    const auto in_file = [&](Rank rank) {
      return rank.valid() ? flow_.rank(model.part->InWhole(flow.node(rank))) : rank;
    };
    for (NodeId id : model.graph->node_ids()) {
      WeighedNode* const traced = TraceOf(model, id);
      if (traced == nullptr) continue;
      *traced = std::move(*trace.Find(flow.rank(id)));
      for (Lead& lead : traced->leads) lead.witness = in_file(lead.witness);
      for (WeighedNode::Heard& heard : traced->heard) heard.witness = in_file(heard.witness);
    }
  }

  const Flow& flow_;
  const Evidence& evidence_;
  const InferOptions& options_;
  ModulePaths& paths_;
  ContaminationCount& contamination_;
};

// Of each of `evidence.models` as of a file of its own. `flow` is of the whole file.
NodeOwners DecideOwnersOfModels(const Flow& flow, const Evidence& evidence,
                                const InferOptions& options, ModulePaths& paths,
                                ContaminationCount& contamination) {
  return ModelsDecider(flow, evidence, options, paths, contamination).Decide();
}

// Whether some node may say nothing of where it is, so that it will be compared with others. Names
// with a slash nearly always have a scope; where one has none, what was not foreseen is made later.
bool MayBeOpen(const Graph& graph) {
  for (NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    if (absl::StartsWith(node.name, "/")) continue;
    if (graph.metadata(id).empty() && !absl::StrContains(node.name, '/')) return true;
  }
  return false;
}

// Whether any name may tell of a module: where none does, there is nothing to compare nodes for.
bool MayBeKnown(const Graph& graph) {
  const auto has_parts = [](absl::string_view name) {
    return name.find_first_of("/.") != absl::string_view::npos;
  };
  for (NodeId id : graph.node_ids()) {
    if (has_parts(graph.node(id).name) || !graph.metadata(id).empty()) return true;
  }
  for (ValueId id : graph.value_ids()) {
    if (has_parts(graph.value(id).name)) return true;
  }
  return false;
}

// What goes by a parameter is no surer than the name that it was given.
void DoubtParameters(const Graph& graph, const NamedParameters& named, Evidence& evidence) {
  for (const auto& [value, probability] : named.doubtful()) {
    for (const Use& use : graph.uses(value)) {
      if (evidence.nodes[use.node].method != Method::kParameters) continue;
      evidence.nodes.Doubt(use.node, probability);
    }
  }
}

// What was compared with other nodes may have been moved to where these would have it.
void KeepToMap(const Evidence& evidence, const ModulePaths& paths, NodeOwners& owners) {
  if (evidence.mapped_owners.size() == 0) return;
  const IdVector<PathId, PathId> nearest = evidence.NearestOwners(paths);
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    if (owners[node].primary.valid()) owners.Move(node, nearest[owners[node].primary]);
  }
}

}  // namespace

absl::string_view Version() { return kVersion; }

NodeOwners DecideOwners(const GraphAnalysis& analysis, const Evidence& evidence,
                        const KnownModules& known, const InferOptions& options, ModulePaths& paths,
                        ContaminationCount& contamination) {
  const Flow& flow = analysis.flow();
  if (!evidence.models.empty()) {
    return DecideOwnersOfModels(flow, evidence, options, paths, contamination);
  }
  NodeOwners owners = InferOwners(analysis, evidence, known, paths, options);
  contamination = ReviewAssignments(flow, evidence, paths, options.least, owners);
  KeepToMap(evidence, paths, owners);
  CorrectByLeaves(flow, evidence, paths, owners);
  DoubtNames(evidence, options.sureness, options.least, paths, owners);
  // Tags that this program wrote claim what all of the above says, and are not heard again.
  if (RecallEarlierTags(flow, evidence, paths, options.least, owners)) {
    contamination = ReviewAssignments(flow, evidence, paths, options.least, owners);
    KeepToMap(evidence, paths, owners);
  }
  return owners;
}

absl::Status NameParameters(const Model& model, AnnotateOptions& options,
                            std::vector<std::string>& warnings) {
  if (options.checkpoint == nullptr) return absl::OkStatus();
  const Checkpoint& checkpoint = *options.checkpoint;
  OH_ASSIGN_OR_RETURN(const WeightMatches matches, MatchWeights(model, checkpoint));
  warnings.insert(warnings.end(), matches.warnings.begin(), matches.warnings.end());
  TakeNames(NamesOf(model, checkpoint, matches), options);
  return absl::OkStatus();
}

void TakeNames(ParameterNames names, AnnotateOptions& options) {
  // A map that says of all modules which there are still does so.
  absl::flat_hash_set<std::string> known;
  for (const MappedModule& module : options.module_map) known.insert(module.qualified_name);
  for (const std::string& module : names.modules) {
    if (!known.contains(module)) options.module_map.push_back({module, ""});
  }
  options.parameter_names = std::make_shared<const ParameterNames>(std::move(names));
}

AnnotateOptions WithoutRules(AnnotateOptions options) {
  options.rules = nullptr;
  return options;
}

std::shared_ptr<const AppliedRules> RulesFor(const Graph& graph, const Annotation& without,
                                             const AnnotateOptions& options) {
  return std::make_shared<const AppliedRules>(
      ApplyRules(Hierarchy(graph, without), *options.rules));
}

AnnotationDraft BeginAnnotation(const NamedParameters& named, const ReadableGraph& readable,
                                const FlatOrigins* origins, const AnnotateOptions& options,
                                std::shared_ptr<const AppliedRules> rules) {
  const Graph& graph = readable.graph();
  AnnotationDraft draft;
  draft.rules = std::move(rules);
  draft.sureness = readable.sureness();
  ModulePaths& paths = draft.annotation.paths;
  draft.evidence = CollectEvidence(readable, PathsOf(options.module_map, paths), paths,
                                   ThreadsFor(graph, options.threads));
  DoubtParameters(graph, named, draft.evidence);
  if (origins != nullptr && readable.models().empty()) {
    draft.calls.emplace(graph, *origins, paths, draft.evidence);
  }
  if (draft.rules != nullptr) RulePlaces(*draft.rules, paths).Place(draft.evidence);
  return draft;
}

Annotation FinishAnnotation(const GraphAnalysis& analysis, const AnnotateOptions& options,
                            AnnotationDraft draft, DecisionTrace* trace) {
  Annotation& annotation = draft.annotation;
  ModulePaths& paths = annotation.paths;
  Evidence& evidence = draft.evidence;
  const Flow& flow = analysis.flow();
  const Graph& graph = flow.graph();

  std::optional<RulePlaces> rules;
  if (draft.rules != nullptr) rules.emplace(*draft.rules, paths);
  KnownModules known = CollectKnown(flow, evidence, paths);
  NodeOwners owners =
      DecideOwners(analysis, evidence, known,
                   {.trace = trace,
                    .threads = ThreadsFor(graph, options.threads),
                    .least = rules.has_value() ? rules->LeastOf(options.least_containment)
                                               : Least(options.least_containment),
                    .sureness = draft.sureness},
                   paths, annotation.contamination);
  if (draft.calls.has_value()) draft.calls->Keep(paths, owners);
  if (rules.has_value()) {
    annotation.ruled = rules->Keep(evidence, owners);
    RulePlaces::Rename(rules->Rename(evidence), owners, annotation.ruled);
    known = CollectKnown(flow, evidence, paths);
    annotation.rules = std::move(draft.rules);
  }
  annotation.assignments = std::move(owners).Take();
  Assignments& assignments = annotation.assignments;
  NumberCalls(flow, evidence, known, paths, assignments);
  annotation.auxiliary = FindAuxiliary(analysis, evidence, paths, assignments);
  LearnClasses(graph, paths, assignments, evidence);
  annotation.parameters = ListParameters(graph, paths, assignments, evidence);
  SetModules(flow, evidence, options.module_map, annotation);
  annotation.dialect = std::move(draft.evidence.dialect);
  annotation.parameter_names = options.parameter_names;
  return std::move(draft.annotation);
}

Annotation AnnotateGraph(const Graph& written, const FlatOrigins* origins,
                         const AnnotateOptions& options) {
  std::shared_ptr<const AppliedRules> rules;
  if (options.rules != nullptr) {
    rules = RulesFor(written, AnnotateGraph(written, origins, WithoutRules(options)), options);
  }
  const NamedParameters named(written, options.parameter_names);
  const ReadableGraph readable(named.graph());
  const Graph& graph = readable.graph();
  const bool parallel = ThreadsFor(graph, options.threads) > 1;
  std::unique_ptr<const GraphAnalysis> analysis;
  SideTask read_analysis(parallel, [&] {
    analysis = std::make_unique<GraphAnalysis>(graph);
    // Of joined models, each has an analysis of its own.
    const bool is_asked = readable.models().empty() && MayBeOpen(graph) && MayBeKnown(graph);
    if (parallel && is_asked) analysis->fingerprints();
  });
  AnnotationDraft draft = BeginAnnotation(named, readable, origins, options, std::move(rules));
  read_analysis.Finish();
  return FinishAnnotation(*analysis, options, std::move(draft), nullptr);
}

namespace {

Annotation AnnotateOne(const Model& model, const AnnotateOptions& options) {
  return AnnotateGraph(model.graph(), OriginsOf(model), options);
}

}  // namespace

Annotation Annotate(const Model& model, const AnnotateOptions& options) {
  absl::StatusOr<std::optional<FlatModel>> opened =
      OpenFlat(model, Weights::kZeros, {.threads = options.threads});
  const absl::Status status = opened.status();
  std::optional<FlatModel> flat;
  if (opened.ok()) flat = *std::move(opened);
  // One that cannot be unfolded is a model with functions like others; so is what comes out, even
  // if it still says that it is folded. What was folded may have had such functions before.
  if (flat.has_value()) {
    Annotation carried = CarryOwners(
        flat->model.graph(),
        IsFolded(flat->model) ? AnnotateOne(flat->model, options) : Annotate(flat->model, options),
        model.graph(), flat->origins);
    carried.parameter_names = options.parameter_names;
    return carried;
  }
  Annotation annotation = AnnotateOne(model, options);
  if (absl::IsUnavailable(status) || absl::IsResourceExhausted(status)) {
    annotation.unfolding = status;
  }
  return annotation;
}

}  // namespace onnx_hier
