// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/edits/field_index.h"
#include "lib/onnx/data_cut.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/schema.h"
#include "lib/parts/balance.h"
#include "lib/parts/chain.h"
#include "lib/parts/cutter_state.h"
#include "lib/parts/instances.h"
#include "lib/parts/kept.h"
#include "lib/parts/stages.h"
#include "onnx_hier/parts.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// --- What the parts of a split may come to together: each has what it calls and reads, also where
// others have that as well, so that a model could be made of which all parts are most.

// Each is a file that is open until all are complete.
constexpr size_t kMostParts = 1000;

// Adds up bytes of the model's file that parts have, before there are tags.
class PartBytes {
 public:
  // So many times the model, and so much for each part; and the same of its data files.
  static constexpr uint64_t kMostTimes = 64;
  static constexpr uint64_t kMostForAPart = 16384;

  // `model` and `layout`, which is of it, must outlive this. Linear.
  PartBytes(const ScannedModel& model, uint64_t file_size, const ModelLayout& layout);

  // Takes as long as the part is large. kFailedPrecondition: with it they are too many.
  absl::Status Add(const Kept& part);

 private:
  uint64_t SizeOf(uint32_t frame) const;

  const ScannedModel& model_;
  FieldIndex index_;
  uint64_t common_ = 0;  // what every part has
  uint64_t most_ = 0;
  uint64_t sum_ = 0;
  uint64_t most_data_ = 0;
  uint64_t data_ = 0;
};

// Of the main graph's fields, those that are in every part.
bool IsInAll(const FieldSpan& field) {
  using namespace schema::graph;  // NOLINT(google-build-using-namespace)
  for (const uint32_t number : {kNode, kInitializer, kInput, kOutput, kValueInfo,
                                kQuantizationAnnotation, kSparseInitializer}) {
    if (field.Is(number)) return false;
  }
  return true;
}

// Of a tensor in a data file, and what it may take to align it; no more than files can have.
uint64_t DataOf(const Graph& graph, TensorId tensor) {
  constexpr uint64_t kMost = uint64_t{1} << 48;
  return std::min(graph.tensor(tensor).bytes, kMost) + DataCut::kAlignment;
}

// Models say what they like of sizes.
void AddUp(uint64_t bytes, uint64_t& sum) {
  constexpr uint64_t kMost = uint64_t{1} << 60;
  sum = std::min(sum + bytes, kMost);
}

// kFailedPrecondition: they are more.
absl::Status CheckPartCount(size_t parts) {
  if (parts <= kMostParts) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("these would be ", parts, " parts, and ", kMostParts,
                   " are the most; cut at fewer modules (--at), or into fewer parts (--parts)"));
}

PartBytes::PartBytes(const ScannedModel& model, uint64_t file_size, const ModelLayout& layout)
    : model_(model), index_(model, layout) {
  for (const FieldSpan& field : index_.model_fields()) common_ += field.end - field.begin;
  for (const FieldSpan& field : layout.fields(model.graph.main_block())) {
    if (IsInAll(field)) common_ += field.end - field.begin;
  }
  most_ = file_size * kMostTimes;
  for (const ExternalTensor& tensor : model.external_tensors) {
    AddUp(kMostTimes * DataOf(model.graph, tensor.tensor), most_data_);
  }
}

uint64_t PartBytes::SizeOf(uint32_t frame) const {
  return model_.frames[frame].end - model_.frames[frame].start();
}

absl::Status PartBytes::Add(const Kept& part) {
  const Graph& graph = model_.graph;
  uint64_t bytes = common_;
  for (NodeId node : part.nodes()) {
    if (graph.block(graph.node(node).block).kind != BlockKind::kFunction) {
      bytes += SizeOf(model_.node_frames[node]);
    }
  }
  for (BlockId function : part.functions()) bytes += SizeOf(index_.last_frame(function));
  for (ValueId value : part.parameters()) {
    const TensorId tensor = graph.value(value).tensor;
    if (!tensor.valid()) continue;
    if (graph.tensor(tensor).external) AddUp(DataOf(graph, tensor), data_);
    if (graph.tensor(tensor).block != graph.main_block()) continue;
    bytes += index_.initializer(tensor).end - index_.initializer(tensor).begin;
  }
  sum_ += bytes;
  most_ += kMostForAPart;
  AddUp(kMostForAPart, most_data_);
  if (sum_ <= most_ && data_ <= most_data_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the parts together would hold more than ", kMostTimes,
      " times what the model does, as each has all that it calls and reads; cut into fewer"));
}

// A run of a module at which a model is cut, or a node.
struct Anchor {
  ModuleId module;  // none: it is the node of its one unit
  uint32_t call = 0;
  Unit first;  // that computes with data
  Unit last;
  std::vector<Unit> units;
};

// Of a path or name: what stands behind its last slash.
std::string LastWord(absl::string_view name) {
  return std::string(name.substr(name.rfind('/') + 1));  // none: npos + 1 is 0
}

class Splitter {
 public:
  Splitter(const Units& units, const Repeatable& repeatable, const Hierarchy& hierarchy)
      : units_(units), repeatable_(repeatable), hierarchy_(hierarchy) {}

  absl::StatusOr<SplitPlan> Split(const SplitRequest& request,
                                  const std::function<Part(const Closure&)>& part_of) {
    OH_RETURN_IF_ERROR(FindStages(request));
    SplitPlan plan;
    plan.passed_over = passed_over_;
    plan.largest = largest_;
    OH_RETURN_IF_ERROR(CheckPartCount(CountStages()));
    const std::vector<Link> links = Chain(units_, repeatable_, stages_);
    const std::vector<std::vector<ModuleId>> modules = WholeModules();
    IdVector<ValueId, uint32_t> bearers(units_.graph().value_count(), 0);
    for (const Link& link : links) {
      SplitPart part = {part_of(link.closure), LabelOf(link.stage)};
      part.part.request.reach = Reach::kSplit;
      part.part.request.modules = modules[link.stage];
      plan.parts.push_back(std::move(part));
      CountParameters(link, bearers, plan);
    }
    if (plan.parts.empty()) return absl::FailedPreconditionError("the model gives out nothing");
    return plan;
  }

 private:
  std::string TagOf(ModuleId module) const { return hierarchy_.annotation().Tag(module); }

  absl::Status FindStages(const SplitRequest& request);
  size_t CountStages() const;
  absl::Status FindAnchors(std::vector<ModuleId> modules);
  void AddAnchors(ModuleId module);
  absl::Status AddNodeAnchors(absl::Span<const NodeId> nodes);
  absl::Status StageByValues(std::vector<ValueId> values);
  void StageByAnchors();
  absl::Status Misplaced(const SplitRequest& request) const;
  IdSet<Unit> FindLive() const;
  IdVector<Unit, uint32_t> FindFits() const;
  std::vector<std::vector<ModuleId>> WholeModules() const;
  std::string LabelOf(uint32_t stage) const;
  void CountParameters(const Link& link, IdVector<ValueId, uint32_t>& bearers,
                       SplitPlan& plan) const;

  const Units& units_;
  const Repeatable& repeatable_;
  const Hierarchy& hierarchy_;
  std::vector<Anchor> anchors_;
  std::vector<ValueId> ends_;  // of stages; else there are anchors
  std::vector<ModuleId> passed_over_;
  ModuleId largest_;
  Stages stages_;
};

absl::Status Splitter::FindStages(const SplitRequest& request) {
  if (request.rule == SplitRequest::Rule::kModules && !request.values.empty()) {
    return StageByValues(request.values);
  }
  if (request.rule == SplitRequest::Rule::kModules) {
    OH_RETURN_IF_ERROR(AddNodeAnchors(request.nodes));
    OH_RETURN_IF_ERROR(FindAnchors(request.modules));
    StageByAnchors();
  } else {
    const IdVector<Unit, uint32_t> fits = FindFits();
    const CutFit fit = [&fits](Unit unit) { return fits[unit]; };
    if (request.rule == SplitRequest::Rule::kParts) {
      Balance balance = BalancedStages(units_, repeatable_, request, fit);
      stages_ = std::move(balance.stages);
      if (balance.largest.valid()) largest_ = hierarchy_.ModuleOf(units_.node(balance.largest));
    } else {
      stages_ = PackedStages(units_, repeatable_, fit, request.max_bytes);
    }
  }
  return stages_.misplaced.empty() ? absl::OkStatus() : Misplaced(request);
}

// Those that have units of their own.
size_t Splitter::CountStages() const {
  std::vector<bool> has_units(stages_.count, false);
  for (Unit unit : units_.ids()) {
    if (!repeatable_.Has(unit)) has_units[stages_.of[unit]] = true;
  }
  return static_cast<size_t>(std::count(has_units.begin(), has_units.end(), true));
}

// Of modules in each other, the outer ones count.
absl::Status Splitter::FindAnchors(std::vector<ModuleId> modules) {
  std::sort(modules.begin(), modules.end());
  ModuleId inside_until(0);
  for (ModuleId module : modules) {
    if (module < inside_until) continue;
    inside_until = hierarchy_.modules().subtree_end(module);
    const size_t before = anchors_.size();
    AddAnchors(module);
    if (anchors_.size() == before) passed_over_.push_back(module);
  }
  if (anchors_.empty() && !passed_over_.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(TagOf(passed_over_.front()), " has no nodes in the main graph to cut at"));
  }
  return absl::OkStatus();
}

absl::Status Splitter::AddNodeAnchors(absl::Span<const NodeId> nodes) {
  for (NodeId node : nodes) {
    const Unit unit = units_.unit(node);
    if (!unit.valid() || units_.node(unit) != node || repeatable_.Has(unit)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "node ", units_.graph().NodePath(node),
          unit.valid() && units_.node(unit) == node
              ? " is a constant or shape arithmetic, which each part has for itself"
              : " is inside of another one: only nodes of the main graph can be cut at"));
    }
    anchors_.push_back({ModuleId(), 0, unit, unit, {unit}});
  }
  return absl::OkStatus();
}

// Each value ends a stage, in which is all that it needs and no earlier one has; the last stage has
// what is left.
absl::Status Splitter::StageByValues(std::vector<ValueId> values) {
  const Graph& graph = units_.graph();
  for (ValueId value : values) {
    const Unit maker = units_.maker(value);
    if (maker.valid() && !repeatable_.Has(maker)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        QuotedName(graph.value(value).name), " ",
        maker.valid() ? "is a constant or made of shapes, which each part has for itself"
                      : "is made by no node of the main graph: a model is cut behind a node"));
  }
  std::sort(values.begin(), values.end(),
            [&](ValueId a, ValueId b) { return units_.maker(a) < units_.maker(b); });
  stages_.count = static_cast<uint32_t>(values.size()) + 1;
  stages_.of.assign(units_.size(), static_cast<uint32_t>(values.size()));
  const auto lower = [this](Unit unit, uint32_t stage) {
    if (unit.valid()) stages_.of[unit] = std::min(stages_.of[unit], stage);
  };
  for (uint32_t i = 0; i < values.size(); ++i) lower(units_.maker(values[i]), i);
  for (size_t i = units_.size(); i-- > 0;) {
    for (ValueId value : units_.reads(Unit(i))) lower(units_.maker(value), stages_.of[Unit(i)]);
  }
  ends_ = std::move(values);
  return absl::OkStatus();
}

// Modules mostly run in the order of their first nodes. An optimizer may have moved what a module
// needs nothing of the others for, as keys made of an encoder's states, in front of all of them:
// then their last nodes tell.
void Splitter::StageByAnchors() {
  const auto stages_in_order = [this](Unit Anchor::*mark) {
    std::stable_sort(anchors_.begin(), anchors_.end(),
                     [mark](const Anchor& a, const Anchor& b) { return a.*mark < b.*mark; });
    std::vector<std::vector<Unit>> units;
    units.reserve(anchors_.size());
    for (const Anchor& anchor : anchors_) units.push_back(anchor.units);
    return StagesByAnchors(units_, repeatable_, units);
  };
  stages_ = stages_in_order(&Anchor::first);
  if (stages_.misplaced.empty()) return;
  stages_ = stages_in_order(&Anchor::last);
  if (!stages_.misplaced.empty()) stages_ = stages_in_order(&Anchor::first);
}

void Splitter::AddAnchors(ModuleId module) {
  std::vector<Anchor> runs(hierarchy_.modules().module(module).calls);
  for (NodeId node : hierarchy_.Nodes(module)) {
    const Unit unit = units_.unit(node);
    if (!unit.valid() || units_.node(unit) != node || repeatable_.Has(unit)) continue;
    Anchor& run = runs[CallOf(hierarchy_, node, module)];
    run.first = run.units.empty() ? unit : std::min(run.first, unit);
    run.last = run.units.empty() ? unit : std::max(run.last, unit);
    run.units.push_back(unit);
  }
  for (uint32_t call = 0; call < runs.size(); ++call) {
    if (runs[call].units.empty()) continue;
    runs[call].module = module;
    runs[call].call = call;
    anchors_.push_back(std::move(runs[call]));
  }
}

absl::Status Splitter::Misplaced(const SplitRequest& request) const {
  const NodeId node = units_.node(stages_.misplaced.front());
  const std::string name = absl::StrCat("node ", units_.graph().NodePath(node), " ",
                                        QuotedName(units_.graph().node(node).name), " of ",
                                        TagOf(hierarchy_.ModuleOf(node)));
  if (request.rule == SplitRequest::Rule::kMaxBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " alone reads parameters of more than ", request.max_bytes, " bytes"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the modules do not run one after the other: ", name,
                   " needs what a later one makes; cut at other modules, or use --parts"));
}

// What the graph's outputs need.
IdSet<Unit> Splitter::FindLive() const {
  IdSet<Unit> live(units_.size());
  for (size_t i = units_.size(); i-- > 0;) {
    for (ValueId value : units_.makes(Unit(i))) {
      if (!value.valid()) continue;
      const absl::Span<const Unit> readers = units_.readers(value);
      const bool is_needed =
          units_.is_output(value) || std::any_of(readers.begin(), readers.end(),
                                                 [&](Unit reader) { return live.Has(reader); });
      if (is_needed) live.Add(Unit(i));
    }
  }
  return live;
}

IdVector<Unit, uint32_t> Splitter::FindFits() const {
  constexpr uint32_t kOutermost = ModulePaths::kDeepest + 1;
  const ModulePaths& paths = hierarchy_.annotation().paths;
  IdVector<Unit, uint32_t> fits(units_.size(), 0);
  const IdSet<Unit> live = FindLive();
  PathId last;
  for (Unit unit : units_.ids()) {
    if (repeatable_.Has(unit) || !live.Has(unit)) continue;
    const PathId path = hierarchy_.annotation().assignments[units_.node(unit)].primary;
    if (last.valid() && path != last) {
      fits[unit] = kOutermost - paths.depth(paths.CommonAncestor(last, path));
    }
    last = path;
  }
  return fits;
}

// By stage, the outermost modules all of whose units are in it.
std::vector<std::vector<ModuleId>> Splitter::WholeModules() const {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  constexpr uint32_t kSeveral = 0xFFFFFFFEu;
  const ModuleTree& tree = hierarchy_.modules();
  IdVector<ModuleId, uint32_t> stages(tree.size(), kNone);
  const auto add = [&](ModuleId module, uint32_t stage) {
    uint32_t& known = stages[module];
    if (stage != kNone) known = known == kNone || known == stage ? stage : kSeveral;
  };
  for (Unit unit : units_.ids()) {
    if (!repeatable_.Has(unit)) add(hierarchy_.ModuleOf(units_.node(unit)), stages_.of[unit]);
  }
  for (size_t i = tree.size(); i-- > 1;) add(tree.module(ModuleId(i)).parent, stages[ModuleId(i)]);
  std::vector<std::vector<ModuleId>> modules(stages_.count);
  for (ModuleId id : tree.ids()) {
    if (stages[id] >= stages_.count) continue;
    const ModuleId parent = tree.module(id).parent;
    if (!parent.valid() || stages[parent] != stages[id]) modules[stages[id]].push_back(id);
  }
  return modules;
}

std::string Splitter::LabelOf(uint32_t stage) const {
  if (!ends_.empty()) {
    return stage < ends_.size()
               ? absl::StrCat("up_to_", LastWord(units_.graph().value(ends_[stage]).name))
               : "tail";
  }
  if (anchors_.empty()) return "";
  if (stage == 0) return "head";
  if (stage > anchors_.size()) return "tail";
  const Anchor& anchor = anchors_[stage - 1];
  if (!anchor.module.valid()) {
    const NodeId node = units_.node(anchor.first);
    const std::string name = LastWord(units_.graph().node(node).name);
    return name.empty() ? absl::StrCat("node_", units_.graph().NodePath(node)) : name;
  }
  std::string tag = LastWord(TagOf(anchor.module));
  if (tag.empty()) tag = "root";
  return hierarchy_.modules().module(anchor.module).calls > 1
             ? absl::StrCat(tag, "_call_", anchor.call)
             : tag;
}

void Splitter::CountParameters(const Link& link, IdVector<ValueId, uint32_t>& bearers,
                               SplitPlan& plan) const {
  const Graph& graph = units_.graph();
  for (ValueId value : ParametersIn(units_, link.closure)) {
    ++bearers[value];
    if (bearers[value] == 1) continue;
    if (bearers[value] == 2) plan.shared.push_back(value);
    plan.shared_bytes += graph.tensor(graph.value(value).tensor).bytes;
  }
}

}  // namespace

absl::StatusOr<SplitPlan> Cutter::Split(const SplitRequest& request) {
  OH_ASSIGN_OR_RETURN(
      const Place* place,
      state_->Enter(request.graph.valid() ? request.graph : state_->graph.main_block(), {}));
  if (request.rule == SplitRequest::Rule::kParts) {
    OH_RETURN_IF_ERROR(CheckPartCount(request.parts));
  }
  OH_ASSIGN_OR_RETURN(SplitPlan plan, Splitter(place->units, place->repeatable, state_->hierarchy)
                                          .Split(request, [&](const Closure& closure) {
                                            return state_->PartOf(*place, {}, closure);
                                          }));
  PartBytes bytes(ModelAccess::Source(state_->model).scanned, state_->model.file_size(),
                  place->types.layout());
  for (const SplitPart& part : plan.parts) {
    OH_RETURN_IF_ERROR(bytes.Add(state_->KeptOf(part.part)));
  }
  return plan;
}

}  // namespace onnx_hier
