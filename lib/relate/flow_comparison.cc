// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/flow_comparison.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

// Each step tells apart values that are made alike of others that the last one told apart. Four go
// three modules back.
constexpr int kSteps = 4;

enum PortKind : uint64_t { kInput, kOutput, kNew, kFree, kOfModule };

// What inputs, or outputs, are called: by their places; where one model has more of them, by names
// that both have.
std::vector<uint64_t> NamesOf(const Graph& graph, absl::Span<const ValueId> ports,
                              const Graph& other, absl::Span<const ValueId> others, uint64_t kind) {
  absl::flat_hash_set<absl::string_view> in_other;
  for (ValueId port : others) {
    if (port.valid()) in_other.insert(other.value(port).name);
  }
  std::vector<uint64_t> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    names.push_back(MixHash(kind, i));
    if (!ports[i].valid() || ports.size() == others.size()) continue;
    const absl::string_view name = graph.value(ports[i]).name;
    names.back() = MixHash(kNew, in_other.contains(name) ? HashBytes(name) : kind);
  }
  return names;
}

}  // namespace

FlowComparison::FlowComparison(const Side& a, const Side& b) : a_(a), b_(b), is_same_(AreSame()) {
  if (is_same_) return;
  NamePorts(a_, b_);
  NamePorts(b_, a_);
  NoteOutputs(a_, b_);
  NoteOutputs(b_, a_);
  AddOutputs(a_);
  AddOutputs(b_);
  NoteLoose(a_);
  NoteLoose(b_);
  for (int i = 0; i < kSteps; ++i) Step();
  for (State* state : {&a_, &b_}) {
    const ModuleGroups& groups = state->side.flow.groups();
    for (GroupId id : groups.ids()) {
      for (ValueId value : groups.group(id).parameters) state->uses.insert(state->last.uses[value]);
    }
  }
}

// Also that the same groups have the nodes and the parameters.
bool FlowComparison::AreSame() const {
  const ModuleFlow& a = a_.side.flow;
  const ModuleFlow& b = b_.side.flow;
  if (a_.side.loose.HasAny() || b_.side.loose.HasAny() || !a.IsSameInOrder(b)) return false;
  const auto is_same = [this](GroupId of_a, GroupId of_b) {
    return of_a.valid() == of_b.valid() &&
           (!of_a.valid() || a_.side.names[of_a] == b_.side.names[of_b]);
  };
  const Graph& graph = a.groups().graph();
  for (NodeId node : graph.node_ids()) {
    if (!is_same(a.groups().group_of(node), b.groups().group_of(node))) return false;
  }
  for (ValueId value : graph.value_ids()) {
    if (!is_same(a.groups().owner_of(value), b.groups().owner_of(value))) return false;
  }
  return true;
}

ParameterKey FlowComparison::KeyOf(const State& state, const State& other,
                                   ValueId parameter) const {
  if (is_same_) {
    const bool is_read = !state.side.flow.groups().graph().uses(parameter).empty();
    return {is_read ? uint64_t{parameter.index()} + 1 : 0, 0};
  }
  const uint64_t uses = state.last.uses[parameter];
  return {state.last.own_uses[parameter], other.uses.contains(uses) ? uses : 0};
}

void FlowComparison::NamePorts(State& state, const State& other) {
  const Graph& graph = state.side.flow.groups().graph();
  const Graph& of_other = other.side.flow.groups().graph();
  const BlockId main = graph.main_block();
  const std::vector<uint64_t> inputs =
      NamesOf(graph, graph.inputs(main), of_other, of_other.inputs(main), kInput);
  state.inputs.assign(graph.value_count(), 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId value = graph.inputs(main)[i];
    if (value.valid()) state.inputs[value] = inputs[i];
  }
  state.main_outputs =
      NamesOf(graph, graph.outputs(main), of_other, of_other.outputs(main), kOutput);
}

// What is given out by a module that the other model does not have, or that moved, others may give
// out there.
void FlowComparison::NoteOutputs(const State& state, const State& other) {
  const ModuleGroups& groups = state.side.flow.groups();
  const absl::flat_hash_set<uint64_t> names(other.side.names.begin(), other.side.names.end());
  const absl::Span<const ValueId> outputs = groups.graph().outputs(groups.graph().main_block());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].valid() || !groups.graph().value(outputs[i]).producer.valid()) continue;
    const GroupId maker = groups.group_of(groups.graph().value(outputs[i]).producer);
    if (state.side.loose.Has(maker) || !names.contains(state.side.names[maker])) {
      free_.insert(state.main_outputs[i]);
    }
  }
}

void FlowComparison::AddOutputs(State& state) {
  const Graph& graph = state.side.flow.groups().graph();
  state.outputs.assign(graph.value_count(), 0);
  for (BlockId block : graph.block_ids()) {
    const absl::Span<const ValueId> outputs = graph.outputs(block);
    const bool is_main = block == graph.main_block();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const uint64_t name = is_main ? state.main_outputs[i] : MixHash(kOutput, i);
      if (!outputs[i].valid() || (is_main && free_.contains(name))) continue;
      state.outputs[outputs[i]] += name;
      if (is_main && !graph.value(outputs[i]).producer.valid()) {
        state.given += MixHash(name, state.inputs[outputs[i]]);
      }
    }
  }
}

// The same for the places of two modules that are alike by themselves.
uint64_t FlowComparison::PlaceOf(const State& state, const OutsideReading& reading) {
  const GroupId reader = state.side.flow.groups().group_of(reading.reader);
  return MixHash(MixHash(state.side.names[reader], state.alone.nodes[reading.reader]),
                 reading.slot);
}

uint64_t FlowComparison::RoleOf(const State& state, const OutsideReading& reading) {
  const ModuleFlow& flow = state.side.flow;
  return MixHash(state.side.names[reading.source],
                 state.last.RoleOf(flow.groups().graph(), reading.value, flow.slot(reading.value)));
}

void FlowComparison::ListRoles(State& state) {
  const ModuleGroups& groups = state.side.flow.groups();
  const Graph& graph = groups.graph();
  state.roles.clear();
  for (ValueId value : graph.value_ids()) {
    const NodeId maker = graph.value(value).producer;
    const GroupId source = maker.valid() ? groups.group_of(maker) : groups.owner_of(value);
    if (source.valid()) state.roles.insert(RoleOf(state, {NodeId(), 0, value, source}));
  }
}

void FlowComparison::NoteLoose(const State& state) {
  const ModuleFlow& flow = state.side.flow;
  flow.ForEachOutside([&](const OutsideReading& reading) {
    const bool is_loose = state.side.loose.Has(flow.groups().group_of(reading.reader)) ||
                          (reading.source.valid() && state.side.loose.Has(reading.source));
    if (is_loose) free_.insert(PlaceOf(state, reading));
  });
}

void FlowComparison::NoteUnknown(const State& state, const State& other) {
  state.side.flow.ForEachOutside([&](const OutsideReading& reading) {
    if (!reading.source.valid() || other.roles.contains(RoleOf(state, reading))) return;
    unknown_.insert(PlaceOf(state, reading));
  });
}

FlowHashes FlowComparison::Hash(const State& state) const {
  return state.side.flow.Hash(&state.last, state.outputs, [&](const OutsideReading& reading) {
    const uint64_t place = PlaceOf(state, reading);
    if (free_.contains(place)) return uint64_t{kFree};
    if (!reading.source.valid()) return MixHash(kInput, state.inputs[reading.value]);
    const uint64_t source = MixHash(kOfModule, state.side.names[reading.source]);
    return unknown_.contains(place) ? source : MixHash(source, RoleOf(state, reading));
  });
}

void FlowComparison::Step() {
  unknown_.clear();
  ListRoles(a_);
  ListRoles(b_);
  NoteUnknown(a_, b_);
  NoteUnknown(b_, a_);
  FlowHashes next_a = Hash(a_);
  FlowHashes next_b = Hash(b_);
  a_.last = std::move(next_a);
  b_.last = std::move(next_b);
  // Groups of both are called alike.
  absl::flat_hash_set<uint64_t> of_b;
  for (GroupId id : b_.side.flow.groups().ids()) {
    of_b.insert(MixHash(b_.side.names[id], b_.last.groups[id]));
  }
  for (GroupId id : a_.side.flow.groups().ids()) {
    if (!of_b.contains(MixHash(a_.side.names[id], a_.last.groups[id]))) a_.differs.Add(id);
  }
}

}  // namespace onnx_hier
