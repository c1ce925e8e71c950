// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_messages.h"
#include "lib/parts/bodies.h"
#include "lib/parts/contraction.h"
#include "lib/parts/fold_table.h"
#include "lib/parts/fold_writer.h"
#include "lib/parts/foreign_opsets.h"
#include "lib/parts/node_places.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/run_order.h"
#include "lib/parts/runs.h"
#include "lib/parts/scopes.h"
#include "lib/parts/undefined_value.h"
#include "lib/parts/unfolder.h"
#include "onnx_hier/folds.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// What local functions need (ONNX 1.10), and more than which onnx's own checker refuses.
constexpr int64_t kFunctionsIrVersion = 8;
constexpr size_t kMostFunctions = 10000;
constexpr int kMostRounds = 4;
// Runs of which it is said why they were not folded.
constexpr size_t kMostLeft = 1000;
// Of calls in each other; onnxruntime stops at 100.
constexpr uint32_t kDeepestCall = 64;
// What calls may hand in and out, for each value that nodes read and make: a weight eight calls
// deep, which is as deep as modules of real models lie, goes through all eight.
constexpr size_t kCallValues = 8;
constexpr size_t kAnyCallValues = 1 << 12;

// Whether a value was left out before another one.
bool HasGap(absl::Span<const ValueId> values) {
  const auto gap =
      std::find_if(values.begin(), values.end(), [](ValueId value) { return !value.valid(); });
  return std::any_of(gap, values.end(), [](ValueId value) { return value.valid(); });
}

// onnxruntime cannot tell the types of what such a node makes when it is in a function (1.30: of
// EmbedLayerNormalization, MultiHeadAttention): it asks by position, and counts what is there.
bool IsHardToInfer(const Graph& graph, NodeId node) {
  return !graph.op(node).domain.empty() &&
         (HasGap(graph.inputs(node)) || HasGap(graph.outputs(node)));
}

using ParameterNames = absl::flat_hash_set<absl::string_view>;

ParameterNames NamesOfParameters(const Graph& graph) {
  ParameterNames names;
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.kind == ValueKind::kInitializer && value.block == graph.main_block()) {
      names.insert(value.name);
    }
  }
  return names;
}

// onnxruntime loads a model in which a Constant makes what is a parameter, too, but not with a call
// in the Constant's place.
bool MakesOneOf(const ParameterNames& names, const Graph& graph, NodeId node) {
  const absl::Span<const ValueId> made = graph.outputs(node);
  return std::any_of(made.begin(), made.end(), [&](ValueId value) {
    return value.valid() && names.contains(graph.value(value).name);
  });
}

// Whether nodes of the main graph have other fields between them, or are written longer than
// needed.
bool IsScattered(const ScannedModel& scanned) {
  const Frame* last = nullptr;
  for (NodeId node : scanned.graph.nodes(scanned.graph.main_block())) {
    const Frame& frame = scanned.frames[scanned.node_frames[node]];
    const uint64_t size = frame.end - frame.begin;
    if (last != nullptr && frame.start() != last->end) return true;
    if (frame.tag_size != 1 || frame.length_size != VarintSize(size)) return true;
    last = &frame;
  }
  return false;
}

class Folder {
 public:
  Folder(const Model& model, const Hierarchy& hierarchy, const FoldRequest& request,
         NodeMessages messages)
      : graph_(model.graph()),
        hierarchy_(hierarchy),
        request_(request),
        messages_(std::move(messages)),
        scattered_(IsScattered(ModelAccess::Source(model).scanned)),
        units_(graph_, graph_.main_block()),
        runs_(units_, hierarchy, [this](ModuleId module) { return IsWanted(module); }) {}

  absl::StatusOr<Folding> Fold() && {
    OH_RETURN_IF_ERROR(CheckRunOrder(units_));
    FindTraits();
    OH_RETURN_IF_ERROR(CheckThoseThatStay());
    choices_.skipped.Resize(runs_.size());
    choices_.lending.Resize(runs_.size());
    for (FoldRunId run : runs_.ids()) {
      const FoldRun& known = runs_.run(run);
      if (known.units < request_.min_nodes || known.depth > kDeepestCall) {
        choices_.skipped.Add(run);
      }
    }
    Contraction contraction = Contract(units_, runs_, traits_, choices_);
    FoldBodies bodies = ShareBodies(contraction, units_, runs_, hierarchy_, messages_);
    const auto again = [&] {
      contraction = Contract(units_, runs_, traits_, choices_);
      bodies = ShareBodies(contraction, units_, runs_, hierarchy_, messages_);
    };
    if (SkipDeepest(contraction)) again();
    if (ChooseLenders(contraction, bodies)) again();
    // What is left where it is makes the bodies around it larger: most is settled in two rounds.
    for (int round = 0; request_.repeated && round < kMostRounds; ++round) {
      if (!SkipUseless(contraction, bodies)) break;
      again();
    }
    if (bodies.functions.size() > kMostFunctions) {
      return absl::FailedPreconditionError(absl::StrCat(
          "there would be ", bodies.functions.size(), " functions, and onnx takes at most ",
          kMostFunctions, ": fold less, with --repeated, --depth or --min-nodes"));
    }
    return Describe(contraction, bodies);
  }

 private:
  bool IsWanted(ModuleId module) const;
  void FindTraits();
  absl::Status CheckThoseThatStay() const;
  bool SkipDeepest(const Contraction& contraction);
  bool ChooseLenders(const Contraction& contraction, const FoldBodies& bodies);
  bool SkipUseless(const Contraction& contraction, const FoldBodies& bodies);
  int64_t Saving(const Contraction& contraction, const FoldFunction& function) const;
  size_t CallBytes(const FoldItem& call) const;
  absl::StatusOr<Folding> Describe(const Contraction& contraction, const FoldBodies& bodies);
  void Edit(const FoldedParts& parts, Edits& edits);
  std::string Why(const LeftInline& left) const;

  const Graph& graph_;
  const Hierarchy& hierarchy_;
  const FoldRequest& request_;
  const NodeMessages messages_;
  const bool scattered_;
  const Units units_;
  const FoldRuns runs_;
  FoldTraits traits_;
  RunChoices choices_;
};

bool Folder::IsWanted(ModuleId module) const {
  if (request_.only.has_value() &&
      std::find(request_.only->begin(), request_.only->end(), module) == request_.only->end()) {
    return false;
  }
  return !request_.depth.has_value() || hierarchy_.modules().DepthOf(module) <= *request_.depth;
}

void Folder::FindTraits() {
  const Repeatable repeatable(units_);
  const ParameterNames parameters = NamesOfParameters(graph_);
  traits_.cheap.Resize(units_.size());
  traits_.pinned.Resize(units_.size());
  traits_.untouched.Resize(units_.size());
  for (Unit unit : units_.ids()) {
    const NodeId node = units_.node(unit);
    if (repeatable.Has(unit)) traits_.cheap.Add(unit);
    if (!IsRewritable(messages_[node])) traits_.untouched.Add(unit);
    if (traits_.untouched.Has(unit) || IsHardToInfer(graph_, node) ||
        MakesOneOf(parameters, graph_, node)) {
      traits_.pinned.Add(unit);
    }
  }
}

// Nodes that stay where they are must stand in the order in which they run: around them, all others
// are put where they can run.
absl::Status Folder::CheckThoseThatStay() const {
  NodeId last;
  for (Unit unit : units_.ids()) {
    const NodeId node = units_.node(unit);
    if (!traits_.untouched.Has(unit)) continue;
    if (last.valid() && node < last) {
      return absl::FailedPreconditionError(absl::StrCat(
          "node ", graph_.NodePath(node), " stands before node ", graph_.NodePath(last),
          ", which has to run first, and neither can be moved: no valid model; sort its nodes"));
    }
    last = node;
  }
  return absl::OkStatus();
}

// What a node reads goes through every call around it, so that calls deep in each other take more
// than the nodes themselves: those that would are left out, the innermost first. Whether there are
// any.
bool Folder::SkipDeepest(const Contraction& contraction) {
  size_t left = kAnyCallValues;
  for (Unit unit : units_.ids()) {
    left += kCallValues * (units_.reads(unit).size() + units_.makes(unit).size());
  }
  std::vector<size_t> by_depth(kDeepestCall + 1, 0);
  for (const FoldItem& item : contraction.items) {
    if (item.unit.valid()) continue;
    by_depth[runs_.run(item.run).depth] += item.reads.size() + item.makes.size();
  }
  uint32_t depth = 0;
  while (depth <= kDeepestCall && by_depth[depth] <= left) left -= by_depth[depth++];
  bool found = false;
  for (FoldRunId run : runs_.ids()) {
    if (choices_.skipped.Has(run) || runs_.run(run).depth < depth) continue;
    choices_.skipped.Add(run);
    found = true;
  }
  return found;
}

// Of lists whose members become alike by it. Whether there are any.
bool Folder::ChooseLenders(const Contraction& contraction, const FoldBodies& bodies) {
  if (!HasUnlike(runs_, hierarchy_, contraction, bodies)) return false;
  RunChoices all = choices_;
  all.lending.AddAll();
  const Contraction lent = Contract(units_, runs_, traits_, all);
  const FoldBodies lent_bodies = ShareBodies(lent, units_, runs_, hierarchy_, messages_);
  choices_.lending = FindLenders(runs_, hierarchy_, contraction, bodies, lent, lent_bodies);
  return choices_.lending.HasAny();
}

// Functions that make the file no smaller, those that are called once among them. Whether there are
// any.
bool Folder::SkipUseless(const Contraction& contraction, const FoldBodies& bodies) {
  bool found = false;
  for (ItemId id : IdRange<ItemId>(contraction.items.size())) {
    const FoldFunctionId function = bodies.of[id];
    if (!function.valid() || Saving(contraction, bodies.functions[function]) > 0) continue;
    choices_.skipped.Add(contraction.items[id].run);
    found = true;
  }
  return found;
}

// About so many bytes less, for one body in place of many.
int64_t Folder::Saving(const Contraction& contraction, const FoldFunction& function) const {
  constexpr size_t kFrame = 64;  // of a function: its domain, opsets, lengths
  const FoldItem& call = contraction.items[function.model];
  size_t body = 0;
  for (ItemId id : call.items) {
    const FoldItem& item = contraction.items[id];
    body += item.unit.valid() ? messages_[units_.node(item.unit)].size() : CallBytes(item);
  }
  const auto bodies = static_cast<int64_t>(body) * (static_cast<int64_t>(function.calls) - 1);
  const size_t calls = CallBytes(call) * (function.calls + 1);  // the interface is like a call
  return bodies - static_cast<int64_t>(calls + kFrame);
}

size_t Folder::CallBytes(const FoldItem& call) const {
  constexpr size_t kFrame = 64;  // its name, operator and domain
  size_t bytes = kFrame;
  for (ValueId value : call.reads) bytes += graph_.value(value).name.size();
  for (ValueId value : call.makes) bytes += graph_.value(value).name.size();
  return bytes;
}

std::string Folder::Why(const LeftInline& left) const {
  switch (left.why) {
    case LeftInline::Why::kComesBack: {
      const ModuleId module = hierarchy_.ModuleOf(left.through);
      return absl::StrCat(
          "values leave it and come back through ",
          hierarchy_.annotation().paths.Tag(hierarchy_.modules().module(module).path));
    }
    case LeftInline::Why::kNothingRead:
      return "nothing reads what it makes";
    case LeftInline::Why::kEntangled:
      return "its nodes stand among those of too many others";
  }
  return "";
}

absl::StatusOr<Folding> Folder::Describe(const Contraction& contraction, const FoldBodies& bodies) {
  const IdVector<ItemId, std::string> scopes = FindScopes(contraction, units_, runs_, hierarchy_);
  const IdVector<FoldFunctionId, std::string> names =
      NameFunctions(contraction, bodies, runs_, hierarchy_);
  const ForeignOpsets foreign = FindForeignOpsets(units_);
  FoldedParts parts = WriteFolded(
      {units_, messages_, traits_, foreign, runs_, hierarchy_, contraction, bodies, scopes, names});
  Folding folding;
  if (graph_.info().ir_version < kFunctionsIrVersion && !bodies.functions.empty()) {
    folding.raised_ir_version = kFunctionsIrVersion;
  }
  for (FoldFunctionId id : IdRange<FoldFunctionId>(bodies.functions.size())) {
    const FoldFunction& function = bodies.functions[id];
    const ModuleId module = runs_.run(contraction.items[function.model].run).module;
    folding.functions.push_back({names[id], module, function.calls, function.nodes});
    folding.calls += function.calls;
    folding.function_nodes += function.nodes;
  }
  folding.left_count = contraction.left.size();
  for (const LeftInline& left : contraction.left) {
    if (folding.left.size() == kMostLeft) break;
    const FoldRun& run = runs_.run(left.run);
    folding.left.push_back({run.module, run.call, Why(left)});
  }
  folding.nodes_before = units_.size();
  folding.nodes_after = parts.nodes.size();
  if (!folding.functions.empty()) {
    if (scattered_) parts.table.form = kScatteredFoldForm;
    const std::string table = WriteFoldTable(parts.table);
    folding.table_bytes = table.size();
    Edit(parts, folding.edits);
    folding.edits.SetMetadata(kFoldKey, table);
  }
  return folding;
}

// Whether anything of an earlier fold is there, even if other tools took the rest away.
bool HoldsFold(const Graph& graph) {
  const ModelInfo& info = graph.info();
  for (BlockId id : graph.block_ids()) {
    if (graph.block(id).domain == kFoldDomain) return true;
  }
  return std::any_of(info.opset_imports.begin(), info.opset_imports.end(),
                     [](const OpsetImport& opset) { return opset.domain == kFoldDomain; }) ||
         std::any_of(info.metadata.begin(), info.metadata.end(),
                     [](const StringPair& entry) { return entry.key == kFoldKey; });
}

void Folder::Edit(const FoldedParts& parts, Edits& edits) {
  PlaceNodes(graph_, parts.nodes, edits);
  for (const std::string& function : parts.functions) edits.AddFunction(function);
  edits.ImportOpset(kFoldDomain, kFoldDomainVersion);
  edits.RaiseIrVersion(kFunctionsIrVersion);
}

}  // namespace

absl::StatusOr<Folding> Fold(const Model& model, const Hierarchy& hierarchy,
                             const FoldRequest& request) {
  const ModelSource& source = ModelAccess::Source(model);
  const Graph& graph = model.graph();
  if (HoldsFold(graph)) {
    return absl::FailedPreconditionError("it is folded already: unfold it first");
  }
  if (graph.info().ir_version <= 0) {
    return absl::FailedPreconditionError("it states no IR version: no valid model");
  }
  OH_ASSIGN_OR_RETURN(NodeMessages messages, NodeMessages::Read(source.image, source.scanned,
                                                                graph.nodes(graph.main_block())));
  OH_ASSIGN_OR_RETURN(Folding folding,
                      Folder(model, hierarchy, request, std::move(messages)).Fold());
  for (ValueId value : graph.value_ids()) {
    if (folding.functions.empty()) break;
    if (graph.value(value).kind == ValueKind::kUndefined) return NothingMakes(graph, value);
  }
  return folding;
}

}  // namespace onnx_hier
