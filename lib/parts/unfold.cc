// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/edits/edit_changes.h"
#include "lib/edits/model_copier.h"
#include "lib/graph/callees.h"
#include "lib/graph/domain.h"
#include "lib/graph/top_blocks.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/node_messages.h"
#include "lib/onnx/schema.h"
#include "lib/parts/flat_model.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/node_places.h"
#include "lib/parts/shared_functions.h"
#include "lib/parts/unfolder.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/tag_edits.h"
#include "onnx_hier/write.h"

namespace onnx_hier {
namespace {

// --- Which functions of a model give way to their bodies, and what these need for it.

struct FunctionChoice {
  UnfoldPlan plan;
  // Functions that are still called where no body can stand: in graphs inside of nodes, and in
  // functions that do not give way. These keep their calls there.
  IdSet<BlockId> stay;
  std::map<std::string, int64_t> opsets;  // that bodies need, and the model does not have
  size_t other_opsets = 0;                // functions left, since their opsets are not the model's
  std::optional<ModelLayout> layout;      // where texts of the plan lie; none: there are none
};

class FunctionChooser {
 public:
  explicit FunctionChooser(const Model& model)
      : source_(ModelAccess::Source(model)), graph_(model.graph()), tops_(FindTopBlocks(graph_)) {
    for (const OpsetImport& opset : graph_.info().opset_imports) {
      imported_.emplace(StandardDomain(opset.domain), opset.version);
    }
  }

  // Those that Fold() made, and of `others` those whose opsets are the model's.
  absl::StatusOr<FunctionChoice> Choose(const IdSet<BlockId>& others) && {
    FunctionChoice choice = {UnfoldPlan(graph_), IdSet<BlockId>(graph_.block_count()), {}, 0, {}};
    if (others.HasAny()) OH_RETURN_IF_ERROR(ReadLayout(choice));
    for (BlockId id : graph_.block_ids()) {
      const Block& block = graph_.block(id);
      if (block.kind != BlockKind::kFunction) continue;
      if (block.domain == kFoldDomain) {
        choice.plan.functions.Add(id);
      } else if (others.Has(id)) {
        AddOther(id, choice);
      }
    }
    FindThoseThatStay(choice);
    if (others.HasAny()) OH_RETURN_IF_ERROR(FindReferring(choice));
    return choice;
  }

 private:
  absl::Status ReadLayout(FunctionChoice& choice) const {
    OH_ASSIGN_OR_RETURN(choice.layout,
                        ModelLayout::Read(source_.image, source_.scanned,
                                          std::vector<bool>(graph_.node_count(), false)));
    return absl::OkStatus();
  }

  void AddOther(BlockId id, FunctionChoice& choice) {
    const std::vector<OpsetImport> opsets = FunctionOpsets(*choice.layout, id);
    for (const OpsetImport& opset : opsets) {
      const auto known = imported_.find(std::string(StandardDomain(opset.domain)));
      if (known != imported_.end() && known->second != opset.version) {
        ++choice.other_opsets;
        return;
      }
    }
    for (const OpsetImport& opset : opsets) {
      const std::string domain(StandardDomain(opset.domain));
      if (imported_.emplace(domain, opset.version).second) choice.opsets[domain] = opset.version;
    }
    choice.plan.functions.Add(id);
    for (const FieldSpan& field : choice.layout->fields(id)) {
      if (field.Is(schema::function::kAttributeProto)) {
        choice.plan.defaults[id].try_emplace(choice.layout->KeyOf(field),
                                             choice.layout->ContentsOf(field));
      }
    }
  }

  // With those that they call.
  void FindThoseThatStay(FunctionChoice& choice) const {
    const IdVector<OpId, BlockId> callees = FindCallees(graph_);
    if (callees.empty()) return;
    std::vector<BlockId> open;
    const auto call = [&](NodeId node) {
      const BlockId callee = callees[graph_.node(node).op];
      if (!callee.valid() || choice.stay.Has(callee)) return;
      choice.stay.Add(callee);
      open.push_back(callee);
    };
    for (NodeId node : graph_.node_ids()) {
      const BlockId block = graph_.node(node).block;
      const BlockId top = tops_[block];
      const bool is_in_other = top != graph_.main_block() && !choice.plan.functions.Has(top);
      if (block != top || is_in_other) call(node);
    }
    while (!open.empty()) {
      const BlockId function = open.back();
      open.pop_back();
      for (NodeId node : graph_.nodes(function)) call(node);
    }
  }

  absl::Status FindReferring(FunctionChoice& choice) const {
    std::vector<NodeId> nodes;
    for (NodeId node : graph_.node_ids()) {
      if (choice.plan.functions.Has(tops_[graph_.node(node).block])) nodes.push_back(node);
    }
    OH_ASSIGN_OR_RETURN(FileImage image, source_.image.Again());
    OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                        ReadAttributes(image, source_.scanned, nodes));
    for (const NodeAttribute& attribute : attributes) {
      if (attribute.reference.empty()) continue;
      NodeId outermost = attribute.node;
      while (graph_.block(graph_.node(outermost).block).owner.valid()) {
        outermost = graph_.block(graph_.node(outermost).block).owner;
      }
      choice.plan.referring.Add(outermost);
    }
    return absl::OkStatus();
  }

  const ModelSource& source_;
  const Graph& graph_;
  IdVector<BlockId, BlockId> tops_;
  std::map<std::string, int64_t> imported_;  // by the model, and by bodies that it will have
};

struct FoldRecord {
  bool is_there = false;
  std::optional<FoldTable> table;  // none: it is damaged, or not there
};

FoldRecord FindRecord(const Model& model) {
  FoldRecord record;
  for (const StringPair& entry : model.graph().info().metadata) {
    if (entry.key != kFoldKey) continue;
    record.is_there = true;
    record.table = ReadFoldTable(entry.value);
    if (record.table.has_value()) break;
  }
  return record;
}

// kUnavailable: the system failed, not the model.
absl::Status OfTheSystem(const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status)) return status;
  return absl::UnavailableError(absl::StrCat("cannot be unfolded: ", status.message()));
}

absl::StatusOr<Unfolded> UnfoldNodes(const Model& model, const std::vector<NodeId>& nodes,
                                     const UnfoldPlan& plan, const FoldTable* table) {
  const ModelSource& source = ModelAccess::Source(model);
  const absl::StatusOr<NodeMessages> messages =
      NodeMessages::Read(source.image, source.scanned, nodes);
  if (!messages.ok()) return OfTheSystem(messages.status());
  return Unfold(model.graph(), *messages, plan, table);
}

// With those inside of others; `nodes` are the main graph's.
std::vector<NodeId> NodesThatStay(const Graph& graph, const std::vector<PlacedNode>& nodes,
                                  const IdSet<BlockId>& unfolded) {
  IdSet<NodeId> stay(graph.node_count());
  for (const PlacedNode& node : nodes) {
    if (node.stays) stay.Add(node.node);
  }
  std::vector<NodeId> list;
  // Nodes come before those inside of them.
  for (NodeId id : graph.node_ids()) {
    const BlockId block = graph.node(id).block;
    const NodeId owner = graph.block(block).owner;
    if (owner.valid() ? stay.Has(owner) : block != graph.main_block() && !unfolded.Has(block)) {
      stay.Add(id);
    }
    if (stay.Has(id)) list.push_back(id);
  }
  return list;
}

// In the file.
std::vector<FileImage::Interval> PlacesOf(const Model& model, const std::vector<NodeId>& nodes) {
  const ScannedModel& scanned = ModelAccess::Source(model).scanned;
  std::vector<FileImage::Interval> places;
  places.reserve(nodes.size());
  for (NodeId node : nodes) {
    const Frame& frame = scanned.frames[scanned.node_frames[node]];
    places.push_back({frame.begin, frame.end});
  }
  return places;
}

absl::Status WriteWithoutWeights(const Model& model, const Edits& edits,
                                 const std::vector<FileImage::Interval>& kept, int fd) {
  const ModelSource& source = ModelAccess::Source(model);
  const EditList& list = EditsAccess::List(edits);
  OH_ASSIGN_OR_RETURN(ChangeList changes, EditChanges(source.image, source.scanned).Of(list));
  const Splices splices(source.scanned, list.docs, std::move(changes));
  return CopyWithoutWeights(source.image, splices, fd, kept);
}

// In an unnamed temporary file; without weights, but for those in `kept`, in memory, so that no
// question about nodes depends on the room that a folder has.
absl::StatusOr<Model> OpenEdited(const Model& model, const Edits& edits, Weights weights,
                                 const OpenOptions& options,
                                 const std::vector<FileImage::Interval>& kept = {},
                                 std::optional<FlatOrigins> origins = std::nullopt) {
  const ModelSource& source = ModelAccess::Source(model);
  const auto fill = [&](int fd) {
    if (weights == Weights::kZeros) return WriteWithoutWeights(model, edits, kept, fd);
    return Write(model, edits, Destination::Stream(fd),
                 {.allow_over_2gib = true, .threads = options.threads, .cancel = options.cancel});
  };
  const auto where =
      weights == Weights::kZeros ? FileImage::Unnamed::kInMemory : FileImage::Unnamed::kOnDisk;
  absl::StatusOr<FileImage> image = FileImage::FromUnnamed(fill, source.image.mode(), where);
  if (!image.ok()) return OfTheSystem(image.status());
  auto edited = std::make_unique<ModelSource>(
      ModelSource{*std::move(image), {}, source.identity(), options.threads, std::move(origins)});
  OH_ASSIGN_OR_RETURN(edited->scanned,
                      ScanModel(edited->image, {.threads = MostThreads(options.threads)}));
  return ModelAccess::Make(model.path(), std::move(edited));
}

struct Flattening {
  Unfolding unfolding;
  FlatOrigins origins;
  std::string changed;  // since it was folded, for people; "": nothing, or nobody knows
};

// The main graph's nodes, and those of the functions that give way.
std::vector<NodeId> NodesToRead(const Graph& graph, const IdSet<BlockId>& functions) {
  std::vector<NodeId> nodes;
  for (BlockId id : graph.block_ids()) {
    if (id != graph.main_block() && !functions.Has(id)) continue;
    nodes.insert(nodes.end(), graph.nodes(id).begin(), graph.nodes(id).end());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

struct Attempt {
  Unfolded unfolded;
  Edits edits;  // of what stays
};

absl::StatusOr<Attempt> UnfoldAsItWas(const Model& model, const UnfoldPlan& plan,
                                      const FoldTable* table, bool was_folded) {
  const Graph& graph = model.graph();
  const std::vector<NodeId> nodes = NodesToRead(graph, plan.functions);
  Attempt attempt;
  absl::StatusOr<Unfolded> as_it_is = UnfoldNodes(model, nodes, plan, table);
  const bool is_tagged =
      CountTagged(model) > 0 && (was_folded || FindSharedFunctions(graph).HasAny());
  if (!is_tagged || (as_it_is.ok() && as_it_is->exact)) {
    OH_ASSIGN_OR_RETURN(attempt.unfolded, std::move(as_it_is));
    return attempt;
  }
  // Tags in a body would come out in every call of it, and make nodes larger than what can be
  // moved. What nodes hold themselves is part of them.
  OH_ASSIGN_OR_RETURN(const Model stripped, OpenEdited(model, StripEdits(model), Weights::kZeros,
                                                       {}, PlacesOf(model, nodes)));
  OH_ASSIGN_OR_RETURN(attempt.unfolded, UnfoldNodes(stripped, nodes, plan, table));
  attempt.edits = StripEdits(model, NodesThatStay(graph, attempt.unfolded.nodes, plan.functions));
  return attempt;
}

void EditFunctions(const Graph& graph, const FunctionChoice& choice, Unfolding& unfolding) {
  for (BlockId id : graph.block_ids()) {
    if (!choice.plan.functions.Has(id)) continue;
    if (choice.stay.Has(id)) {
      ++unfolding.functions_left;
    } else {
      ++unfolding.functions;
      unfolding.edits.LeaveOut(id);
    }
  }
  for (const auto& [domain, version] : choice.opsets) unfolding.edits.ImportOpset(domain, version);
  if (unfolding.was_folded && unfolding.functions_left == 0) {
    unfolding.edits.LeaveOutOpset(kFoldDomain);
  }
}

void LeaveOutTable(const FoldTable& table, Edits& edits) {
  edits.RemoveMetadata(kFoldKey);
  if (table.ir_version > 0) edits.SetIrVersion(table.ir_version);
}

// Functions that Fold() made give way, and `others`.
absl::StatusOr<Flattening> Flatten(const Model& model, const IdSet<BlockId>& others) {
  const Graph& graph = model.graph();
  Flattening flattening;
  Unfolding& unfolding = flattening.unfolding;
  OH_ASSIGN_OR_RETURN(const FunctionChoice choice, FunctionChooser(model).Choose(others));
  for (BlockId id : graph.block_ids()) {
    if (graph.block(id).domain == kFoldDomain) unfolding.was_folded = true;
  }
  unfolding.other_opsets = choice.other_opsets;
  unfolding.nodes_before = graph.nodes(graph.main_block()).size();
  unfolding.nodes_after = unfolding.nodes_before;
  if (!choice.plan.functions.HasAny()) {
    for (NodeId node : graph.nodes(graph.main_block())) {
      flattening.origins.nodes.push_back({node});
    }
    return flattening;
  }
  const FoldRecord record = FindRecord(model);
  const FoldTable* table = record.table.has_value() ? &*record.table : nullptr;
  OH_ASSIGN_OR_RETURN(Attempt attempt,
                      UnfoldAsItWas(model, choice.plan, table, unfolding.was_folded));
  Unfolded& unfolded = attempt.unfolded;
  unfolding.edits = std::move(attempt.edits);
  unfolding.scattered = unfolded.exact && table->form == kScatteredFoldForm;
  unfolding.exact = unfolded.exact && !unfolding.scattered;
  flattening.changed = record.is_there && table == nullptr
                           ? absl::StrCat("its metadata '", kFoldKey, "'")
                           : std::move(unfolded.changed);
  unfolding.nodes_after = unfolded.nodes.size();
  EditFunctions(graph, choice, unfolding);
  PlaceNodes(graph, unfolded.nodes, unfolding.edits);
  if (table != nullptr) LeaveOutTable(*table, unfolding.edits);
  for (const PlacedNode& node : unfolded.nodes) {
    flattening.origins.nodes.push_back({node.node, node.call});
  }
  flattening.origins.calls = std::move(unfolded.calls);
  return flattening;
}

}  // namespace

absl::StatusOr<Unfolding> Unfold(const Model& model, const UnfoldRequest& request) {
  IdSet<BlockId> others(model.graph().block_count());
  if (request.all) others.AddAll();
  OH_ASSIGN_OR_RETURN(Flattening flattening, Flatten(model, others));
  if (flattening.unfolding.was_folded && !request.all && !flattening.changed.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("was changed since it was folded: ", flattening.changed,
                     "; --all puts in the bodies as they are now, with names made of those of "
                     "calls and functions"));
  }
  return std::move(flattening.unfolding);
}

bool IsFolded(const Model& model) {
  const std::vector<OpsetImport>& opsets = model.graph().info().opset_imports;
  return std::any_of(opsets.begin(), opsets.end(),
                     [](const OpsetImport& opset) { return opset.domain == kFoldDomain; });
}

namespace {

absl::StatusOr<std::optional<FlatModel>> OpenFlattened(const Model& model, Flattening flattening,
                                                       bool keeps_origins, Weights weights,
                                                       const OpenOptions& options) {
  std::optional<FlatOrigins> origins;
  if (keeps_origins) origins = flattening.origins;
  OH_ASSIGN_OR_RETURN(Model flat, OpenEdited(model, flattening.unfolding.edits, weights, options,
                                             {}, std::move(origins)));
  return FlatModel{std::move(flat), std::move(flattening.origins)};
}

}  // namespace

absl::StatusOr<std::optional<FlatModel>> OpenFlat(const Model& model, Weights weights,
                                                  const OpenOptions& options) {
  const bool was_folded = IsFolded(model);
  IdSet<BlockId> others(model.graph().block_count());
  if (!was_folded) {
    // What was put in already has none, or none that can be.
    if (OriginsOf(model) != nullptr) return std::nullopt;
    others = FindSharedFunctions(model.graph());
    if (!others.HasAny()) return std::nullopt;
  }
  absl::StatusOr<Flattening> flattening = Flatten(model, others);
  if (!flattening.ok()) {
    const absl::Status& status = flattening.status();
    const bool tells =
        was_folded || absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
    if (tells) return status;
    return std::nullopt;
  }
  // Names say where the nodes of a folded model are.
  return OpenFlattened(model, *std::move(flattening), !was_folded, weights, options);
}

absl::StatusOr<std::optional<FlatModel>> OpenWithoutFunctions(const Model& model, Weights weights,
                                                              const OpenOptions& options) {
  IdSet<BlockId> all(model.graph().block_count());
  all.AddAll();
  absl::StatusOr<Flattening> flattening = Flatten(model, all);
  if (absl::IsUnavailable(flattening.status())) return flattening.status();
  if (!flattening.ok() || flattening->unfolding.functions == 0) return std::nullopt;
  return OpenFlattened(model, *std::move(flattening), true, weights, options);
}

absl::StatusOr<std::optional<UnfoldedModel>> OpenUnfolded(const Model& model, Weights weights,
                                                          const OpenOptions& options) {
  OH_ASSIGN_OR_RETURN(std::optional<FlatModel> flat, OpenFlat(model, weights, options));
  if (!flat.has_value()) return std::nullopt;
  IdVector<NodeId, NodeId> twins = FindTwins(flat->model.graph(), model.graph(), flat->origins);
  UnfoldedModel outer = {std::move(flat->model), std::move(twins)};
  // What is left of folds could not be taken out.
  if (IsFolded(outer.model)) return outer;
  // A model that was folded may have had such functions before.
  OH_ASSIGN_OR_RETURN(std::optional<UnfoldedModel> inner,
                      OpenUnfolded(outer.model, weights, options));
  if (!inner.has_value()) return outer;
  for (NodeId& origin : inner->origins) {
    if (origin.valid()) origin = outer.origins[origin];
  }
  return inner;
}

absl::Status CheckTagsMayChange(const Model& model) {
  if (!IsFolded(model) || CountTagged(model) == 0) return absl::OkStatus();
  absl::StatusOr<std::optional<FlatModel>> opened = OpenFlat(model, Weights::kZeros, {});
  if (absl::IsUnavailable(opened.status())) return opened.status();
  std::optional<FlatModel> flat;
  if (opened.ok()) flat = *std::move(opened);
  if (!flat.has_value() || CountTagged(flat->model) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "it was folded with its tags, and could not be unfolded without them: unfold it first");
}

Tags UnfoldTags(const Tags& tags, const UnfoldedModel& unfolded, const Annotation& owners) {
  const Graph& graph = unfolded.model.graph();
  Tags flat(graph.node_count());
  flat.source = tags.source;
  flat.calls = OriginsOf(unfolded.model);
  for (NodeId node : graph.node_ids()) {
    const NodeId origin = unfolded.origins[node];
    if (!origin.valid() || !tags.has_tag(origin)) continue;
    const std::string owner = owners.paths.Tag(owners.assignments[node].primary);
    std::vector<std::string> texts = {std::string(tags.Text(origin))};
    for (PathId path : tags.auxiliary_of(origin)) texts.push_back(tags.Spell(path));
    const auto own = std::find(texts.begin(), texts.end(), owner);
    flat.Set(node, {own == texts.end() ? texts[0] : *own});
  }
  return flat;
}

}  // namespace onnx_hier
