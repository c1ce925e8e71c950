// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/evidence.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/rules.h"
#include "lib/base/side_task.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialect.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/qualified_names.h"
#include "lib/owners/function_places.h"
#include "lib/owners/joined_evidence.h"
#include "lib/owners/merged_parameters.h"
#include "lib/owners/operator_names.h"
#include "lib/owners/optimised_places.h"
#include "lib/owners/parameter_owners.h"
#include "lib/owners/traced_calls.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

// Places and classes from the metadata_props that torch >= 2.5 and onnxscript write. They name
// modules but not their calls.
class MetadataPlacer {
 public:
  MetadataPlacer(const Graph& graph, absl::string_view top, ModulePaths& paths, Evidence& evidence)
      : graph_(graph), top_(top), paths_(paths), evidence_(evidence) {}

  void Run() {
    if (!graph_.has_metadata()) return;
    MetadataReader metadata;
    for (NodeId id : graph_.node_ids()) {
      if (graph_.metadata(id).empty()) continue;
      const std::optional<MetadataScope>& scope = metadata.Read(graph_.metadata(id));
      if (!scope.has_value()) continue;
      if (!metadata.is_same()) Enter(scope->modules);
      evidence_.nodes.Say(id, {.place = around_.back().path, .method = Method::kMetadata});
    }
  }

 private:
  struct Entered {
    MetadataModule module;
    PathId path;
  };

  // The outer ones are mostly those that the last node was in.
  void Enter(const std::vector<MetadataModule>& modules) {
    around_.resize(modules.size());
    for (size_t i = 0; i < modules.size(); ++i) {
      Entered& entered = around_[i];
      if (entered.path.valid() && entered.module == modules[i]) continue;
      entered = {modules[i], PlaceOf(modules[i])};
      NoteClass(entered.path, modules[i].class_name);
    }
  }

  PathId PlaceOf(const MetadataModule& module) {
    return top_.empty() ? paths_.Parse(module.qualified_name)
                        : paths_.Parse(absl::StrCat(top_, ".", module.qualified_name));
  }

  void NoteClass(PathId path, const std::string& class_name) {
    if (class_name.empty()) return;
    if (path.index() >= has_class_.size()) has_class_.Resize(paths_.size());
    if (has_class_.Has(path)) return;
    has_class_.Add(path);
    evidence_.classes.emplace_back(path, class_name);
  }

  const Graph& graph_;
  const absl::string_view top_;  // see ReadableGraph
  ModulePaths& paths_;
  Evidence& evidence_;
  std::vector<Entered> around_;  // the modules that the last node was in
  IdSet<PathId> has_class_;
};

class EvidenceCollector {
 public:
  EvidenceCollector(const Graph& graph, absl::string_view top, const MappedModules& mapped,
                    ModulePaths& paths)
      : graph_(graph), top_(top), mapped_(mapped), paths_(paths) {}

  Evidence Collect(size_t threads) {
    evidence_.nodes.resize(graph_.node_count());
    MetadataPlacer(graph_, top_, paths_, evidence_).Run();
    // Who owns the parameters adds to the paths; what the names say needs none yet.
    SideTask owners(threads > 1, [this] { FindOwners(); });
    const Dialect dialect = RecognizeDialect(graph_);
    evidence_.dialect = std::string(dialect.name);
    // The other thread is busy with those.
    if (dialect.names != nullptr) ReadNames(*dialect.names, threads > 1 ? threads - 1 : 1);
    owners.Finish();
    if (dialect.names != nullptr) {
      PlaceNamesakes();
      if (IsOn(Rule::kSilentGraphs)) ForgetSilent();
      if (IsOn(Rule::kScopesOfNodes)) LeaveNodes();
      PlaceByNames();
      if (IsOn(Rule::kTracedCalls)) {
        PlaceTracedCalls(graph_, *printed_, scopes_, paths_, evidence_);
      }
      if (IsOn(Rule::kParametersOfOperators)) GiveToModules(graph_, paths_, evidence_);
    }
    PlaceFunctions(graph_, paths_, evidence_);
    if (IsOn(Rule::kOptimisedPlaces)) PlaceOptimised(graph_, paths_, evidence_);
    BelieveMap();
    MarkCalled();
    return std::move(evidence_);
  }

 private:
  // Where the two kinds of names disagree, a node that is still what its name says is there; one
  // that was fused from several stands for the last of them, which made its output.
  struct NodeScopes {
    ScopeId scope;
    ScopeId other;
    Method method = Method::kNone;
  };

  void FindOwners() {
    evidence_.value_owners = FindParameterOwners(graph_, paths_);
    evidence_.merged = FindMergedParameters(graph_, evidence_.value_owners, paths_);
    for (NodeId id : graph_.node_ids()) FindOwnersOf(graph_, id, evidence_);
  }

  NodeScopes ScopesOf(NodeId id, PrintedScopes& printed) const {
    const Node& node = graph_.node(id);
    const absl::string_view op_type = graph_.op(id).type;
    NodeScopes result;
    const auto [by_name, is_own] = printed.OfNodeName(node.name, op_type);
    ScopeId by_value;
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid()) continue;
      const absl::string_view value_name = graph_.value(value).name;
      // Most values are named after their node: that says nothing new.
      by_value = by_name.valid() && absl::StartsWith(value_name, node.name)
                     ? by_name
                     : printed.OfValueName(value_name);
      if (by_value.valid()) break;
    }
    const bool name_counts =
        by_name.valid() && (!by_value.valid() || is_own || KeepsWeightsName(node.name, op_type) ||
                            (by_name != by_value && HasNamedParameter(id)));
    result.scope = name_counts ? by_name : by_value;
    result.method = name_counts        ? Method::kNodeName
                    : by_value.valid() ? Method::kValueName
                                       : Method::kNone;
    result.other = name_counts ? by_value : by_name;
    return result;
  }

  // "/conv1/Conv" of a FusedConv, "/lora_B/MatMul/MatMulScaleFusion/" of a FusedMatMul: the
  // operator with the weight is still there.
  static bool KeepsWeightsName(absl::string_view name, absl::string_view op_type) {
    const absl::string_view last = OperatorInName(WithoutFusions(name));
    return IsOn(Rule::kWeightsNames) && IsWeighted(last) && absl::EndsWith(op_type, last);
  }

  // Whether a parameter is called after the node: "/q_proj/Linear_bias" of "/q_proj/Linear".
  bool HasNamedParameter(NodeId id) const {
    return absl::c_any_of(graph_.inputs(id), [&](ValueId input) {
      return input.valid() && graph_.value(input).kind == ValueKind::kInitializer &&
             absl::StartsWith(graph_.value(input).name, graph_.node(id).name);
    });
  }

  void ReadNames(const ScopeGrammar& grammar, size_t threads) {
    printed_ = std::make_unique<PrintedScopes>(grammar);
    scopes_.resize(graph_.node_count());
    other_scopes_.resize(graph_.node_count());
    read_in_.resize(graph_.node_count());
    if (threads == 1) return ReadNames(0, graph_.node_count(), *printed_);
    struct Read {
      size_t begin;
      size_t end;
      std::unique_ptr<PrintedScopes> printed;
    };
    // A span for each: scopes that several have are read by each of them.
    const size_t at_once = graph_.node_count() / threads + 1;
    RunInOrder<Read>(
        graph_.node_count(), at_once, threads,
        [&](size_t begin, size_t end) {
          Read read = {begin, end, std::make_unique<PrintedScopes>(grammar)};
          ReadNames(begin, end, *read.printed);
          return read;
        },
        [&](Read read) {
          const IdVector<ScopeId, ScopeId> added = printed_->Add(*read.printed);
          const auto move = [&](ScopeId& scope) {
            if (scope.valid()) scope = added[scope];
          };
          for (size_t i = read.begin; i < read.end; ++i) {
            move(scopes_[NodeId(i)]);
            move(other_scopes_[NodeId(i)]);
          }
        });
  }

  // Of those of the nodes [begin, end) whose place is not known yet.
  void ReadNames(size_t begin, size_t end, PrintedScopes& printed) {
    for (size_t i = begin; i < end; ++i) {
      const NodeId id(i);
      if (evidence_.nodes[id].place.valid()) continue;
      const NodeScopes names = ScopesOf(id, printed);
      scopes_[id] = names.scope;
      read_in_[id] = names.method;
      if (names.other != names.scope) other_scopes_[id] = names.other;
    }
  }

  // A node without a scope that is called like a module is in it: keras2onnx's "conv2d_4", whose
  // value is "conv2d_4/Relu:0" behind another node.
  void PlaceNamesakes() {
    for (NodeId id : graph_.node_ids()) {
      const absl::string_view name = graph_.node(id).name;
      if (scopes_[id].valid() || name.empty() || evidence_.nodes[id].place.valid()) continue;
      const ScopeId scope = printed_->Inner(printed_->root(), name);
      if (!scope.valid() || WithoutCounter(name) == graph_.op(id).type) continue;
      scopes_[id] = scope;
      read_in_[id] = Method::kNodeName;
    }
  }

  // In a graph, branch or function that reads parameters of modules and none of whose names has a
  // scope, having none does not say that a node is the model's own.
  void ForgetSilent() {
    IdSet<BlockId> speaks(graph_.block_count());
    for (NodeId id : graph_.node_ids()) {
      if (scopes_[id].valid() && scopes_[id] != printed_->root()) speaks.Add(graph_.node(id).block);
    }
    for (BlockId block : graph_.block_ids()) {
      if (speaks.Has(block) || !ReadsModules(block)) continue;
      for (NodeId id : graph_.nodes(block)) {
        scopes_[id] = ScopeId();
        read_in_[id] = Method::kNone;
      }
    }
  }

  // Whether nodes directly in it read parameters of modules inside of the model.
  bool ReadsModules(BlockId block) const {
    for (NodeId id : graph_.nodes(block)) {
      for (PathId owner : evidence_.owners_of(id)) {
        if (owner != paths_.root()) return true;
      }
    }
    return false;
  }

  // What stands under the name of a node is where that node is.
  void LeaveNodes() {
    meant_ = FindScopesOfNodes(graph_, *printed_, scopes_, evidence_);
    if (meant_.empty()) return;
    for (ScopeId& scope : scopes_) scope = MeantBy(scope);
    for (ScopeId& scope : other_scopes_) scope = MeantBy(scope);
  }

  ScopeId MeantBy(ScopeId scope) const { return scope.valid() ? meant_[scope] : scope; }

  void PlaceByNames() {
    const auto owners_of = [this](NodeId id) { return evidence_.owners_of(id); };
    const auto merged_owner_of = [this](ValueId id) {
      return evidence_.merged.Has(id) ? evidence_.value_owners[id] : PathId();
    };
    // A fused node is where its value is, but its name may still be that of another module's node.
    const auto lost_scope_of = [this](NodeId id) {
      return read_in_[id] == Method::kValueName ? other_scopes_[id] : ScopeId();
    };
    const ScopePlaces places =
        ReconcileScopes(graph_, scopes_, lost_scope_of, owners_of, merged_owner_of, mapped_.modules,
                        paths_.Parse(top_), *printed_, paths_);
    for (ScopeId scope : printed_->ids()) {
      const bool is_module = scope.index() >= meant_.size() || meant_[scope] == scope;
      if (is_module) called_.push_back(places.by_scope[scope].meant);
    }
    for (NodeId id : graph_.node_ids()) {
      if (!scopes_[id].valid()) continue;
      ScopeId& other_scope = other_scopes_[id];
      // What a node's own name and its parameter say stands, whatever its value is called.
      if (read_in_[id] == Method::kValueName && other_scope.valid() &&
          IsOnlyOwner(id, places.by_scope[other_scope].meant)) {
        std::swap(scopes_[id], other_scope);
        read_in_[id] = Method::kNodeName;
      }
      const ScopePlace& place = places.of(id, scopes_[id]);
      evidence_.nodes.Say(id,
                          {.place = place.module,
                           .method = read_in_[id],
                           .is_around = place.is_around,
                           .confidence = place.confidence,
                           .call = place.call},
                          other_scope.valid() ? places.by_scope[other_scope].meant : PathId());
    }
  }

  bool IsOnlyOwner(NodeId id, PathId module) const {
    const absl::Span<const PathId> owners = evidence_.owners_of(id);
    return owners.size() == 1 && owners[0] == module;
  }

  // Whether a fair share of what names say lies in the map: of another network's it is next to
  // nothing.
  bool FitsMap(const IdSet<PathId>& mapped) const {
    size_t inside = 0;
    size_t outside = 0;
    const auto count = [&](PathId path) {
      if (path.valid() && path != paths_.root()) ++(mapped.Has(path) ? inside : outside);
    };
    for (const NodeEvidence& node : evidence_.nodes) count(node.place);
    for (PathId owner : evidence_.owners) count(owner);
    return 3 * inside >= outside;
  }

  void BelieveMap() {
    if (mapped_.owners.size() == 0) return;
    IdSet<PathId> mapped(paths_.size());
    for (PathId path : mapped_.modules) mapped.Add(path);
    if (!FitsMap(mapped)) return;
    evidence_.mapped_owners = mapped_.owners;
    evidence_.mapped_candidates = mapped_.computing;
    const IdVector<PathId, PathId> nearest = evidence_.NearestOwners(paths_);
    for (NodeId id : graph_.node_ids()) {
      const NodeEvidence& node = evidence_.nodes[id];
      if (!node.place.valid()) continue;
      Statement said = node;
      said.is_around = node.is_around || !mapped.Has(node.place);
      said.place = nearest[node.place];
      evidence_.nodes.Say(id, said,
                          node.other_place.valid() ? nearest[node.other_place] : PathId());
    }
  }

  // Scopes and metadata name what is called; where neither is there, nothing is known.
  void MarkCalled() {
    if (evidence_.classes.empty() && called_.empty()) return;
    IdSet<PathId> called(paths_.size());
    called.Add(paths_.root());
    for (PathId path : called_) called.Add(path);
    for (const auto& [path, class_name] : evidence_.classes) called.Add(path);
    for (const NodeEvidence& node : evidence_.nodes) {
      if (node.place.valid()) called.Add(node.place);
    }
    evidence_.called = std::move(called);
  }

  const Graph& graph_;
  const absl::string_view top_;  // see ReadableGraph
  const MappedModules& mapped_;
  ModulePaths& paths_;
  std::unique_ptr<PrintedScopes> printed_;  // where the dialect has scopes in names
  IdVector<NodeId, ScopeId> scopes_;        // where a node's names put it
  IdVector<NodeId, ScopeId> other_scopes_;  // where another of its names does; or none
  IdVector<NodeId, Method> read_in_;        // whose name the scope stands in
  IdVector<ScopeId, ScopeId> meant_;        // what each scope is read as; of no size: as it is
  std::vector<PathId> called_;
  Evidence evidence_;
};

}  // namespace

IdVector<PathId, PathId> Evidence::NearestOwners(const ModulePaths& paths) const {
  IdVector<PathId, PathId> nearest(paths.size());
  // Parents are made before their children.
  for (PathId path : paths.ids()) {
    nearest[path] = MayOwn(path) ? path : nearest[paths.parent(path)];
  }
  return nearest;
}

Evidence CollectEvidence(const Graph& graph, const MappedModules& mapped, ModulePaths& paths,
                         size_t threads) {
  return EvidenceCollector(graph, "", mapped, paths).Collect(threads);
}

Evidence CollectEvidence(const ReadableGraph& readable, const MappedModules& mapped,
                         ModulePaths& paths, size_t threads) {
  const auto collect = [&](const ReadableGraph& of) {
    if (!of.top().empty()) paths.MarkModel(paths.Parse(of.top()));
    return EvidenceCollector(of.graph(), of.top(), mapped, paths).Collect(threads);
  };
  if (readable.models().empty()) return collect(readable);
  std::vector<ModelEvidence> models;
  for (const std::unique_ptr<ReadableGraph::Model>& model : readable.models()) {
    const ReadableGraph& own = model->readable;
    models.push_back(
        {&model->part, &own.graph(), paths.Parse(own.top()), own.sureness(), collect(own)});
  }
  return JoinEvidence(readable.graph(), paths, std::move(models));
}

}  // namespace onnx_hier
