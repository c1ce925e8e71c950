// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/edits/edit_list.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/wire_writer.h"
#include "lib/parts/cutter_state.h"
#include "lib/parts/kept.h"
#include "lib/parts/main_list.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/tag_edits.h"

namespace onnx_hier {

Cutter::Cutter(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cutter::Cutter(Cutter&&) noexcept = default;
Cutter& Cutter::operator=(Cutter&&) noexcept = default;
Cutter::~Cutter() = default;

absl::StatusOr<Cutter> Cutter::For(const Model& model, const Hierarchy& hierarchy) {
  auto state = std::make_unique<State>(model, hierarchy);
  OH_RETURN_IF_ERROR(state->Enter(state->graph.main_block(), {}).status());
  return Cutter(std::move(state));
}

uint32_t Cutter::CallsOf(ModuleId module) const { return state_->CallsOf(module); }

std::vector<BlockId> Cutter::GraphsOf(const PartRequest& request) const {
  return state_->GraphsOf(request);
}

std::string Cutter::TypeOf(const Part& part, ValueId value) const {
  return TypeText(state_->PlaceOf(part).types.type(value));
}

std::vector<ModuleId> Cutter::MainList(BlockId graph) {
  const auto place = state_->Enter(graph.valid() ? graph : state_->graph.main_block(), {});
  if (!place.ok()) return {};
  return FindMainList((*place)->units, state_->hierarchy);
}

absl::StatusOr<Part> Cutter::Cut(const PartRequest& request) {
  OH_RETURN_IF_ERROR(state_->CheckCall(request));
  OH_ASSIGN_OR_RETURN(const BlockId block, state_->BlockOf(request));
  const std::vector<NodeId> callers = state_->WayTo(block, request);
  OH_ASSIGN_OR_RETURN(const Place* place, state_->Enter(block, callers));
  if (!request.inputs.empty() || !request.outputs.empty()) {
    OH_ASSIGN_OR_RETURN(Part part, state_->CutAtValues(*place, request));
    part.callers = callers;
    return part;
  }
  const Units& units = place->units;
  const Repeatable& repeatable = place->repeatable;
  OH_ASSIGN_OR_RETURN(std::vector<Unit> own, state_->OwnUnits(*place, request));
  std::vector<Unit> between;
  if (request.reach == Reach::kUpTo) {
    own = WithMakers(units, own);
  } else if (request.reach == Reach::kFrom) {
    own = WithReaders(units, repeatable, own);
  } else {
    between = Between(units, repeatable, own);
  }
  const bool is_range = request.modules.size() + request.nodes.size() > 1;
  if (is_range) {
    own.insert(own.end(), between.begin(), between.end());
    std::sort(own.begin(), own.end());
  }
  Part part = state_->PartOf(*place, request, Close(units, repeatable, own));
  part.callers = callers;
  if (is_range) {
    part.between = between.size();
  } else {
    for (Unit unit : between) part.reentrant.push_back(units.node(unit));
    std::sort(part.reentrant.begin(), part.reentrant.end());
  }
  return part;
}

absl::Status Cutter::CheckTypes(const Part& part) const {
  const Place& place = state_->PlaceOf(part);
  const Kept kept = state_->KeptOf(part);
  for (ValueId value : part.inputs) {
    if (kept.IsNewInput(value)) OH_RETURN_IF_ERROR(state_->InfoOf(place, value).status());
  }
  for (ValueId value : part.outputs) {
    if (kept.IsNewOutput(value)) OH_RETURN_IF_ERROR(state_->InfoOf(place, value).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<Edits> Cutter::EditsOf(const Part& part) const {
  const BlockId main = state_->graph.main_block();
  const Place& place = state_->PlaceOf(part);
  const Kept kept = state_->KeptOf(part);
  Edits edits = TagEdits(state_->model, state_->hierarchy.annotation(), kept.nodes());
  EditsAccess::List(edits).kept = state_->OnlyOf(place, kept);
  for (ValueId value : part.inputs) {
    if (!kept.IsNewInput(value)) continue;
    OH_ASSIGN_OR_RETURN(const std::string info, state_->InfoOf(place, value));
    edits.AddInput(main, info);
  }
  for (ValueId value : part.outputs) {
    if (!kept.IsNewOutput(value)) continue;
    OH_ASSIGN_OR_RETURN(const std::string info, state_->InfoOf(place, value));
    edits.AddOutput(main, info);
  }
  if (part.graph != main) OH_RETURN_IF_ERROR(state_->Lift(part, kept, edits));
  edits.SetMetadata("onnx_hier.part", state_->OriginOf(part));
  return edits;
}

absl::StatusOr<Edits> Cutter::ProbeEditsOf(const Part& part) const {
  const BlockId main = state_->graph.main_block();
  if (part.graph != main) {
    return absl::FailedPreconditionError(
        "values of a function or of a graph inside a node cannot be outputs of the model: there is "
        "no probe");
  }
  const Kept kept = state_->KeptOf(part);
  std::vector<ValuePair> values;
  for (ValueId value : part.inputs) {
    if (kept.IsNewInput(value)) values.push_back({value, value});
  }
  for (ValueId value : part.outputs) {
    if (kept.IsNewOutput(value)) values.push_back({value, value});
  }
  return ProbeEdits(*this, values);
}

}  // namespace onnx_hier
