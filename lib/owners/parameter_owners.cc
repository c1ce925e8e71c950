// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/parameter_owners.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/attributes.h"
#include "absl/strings/match.h"
#include "lib/base/distinct_tail.h"
#include "lib/base/prefix_steps.h"
#include "lib/base/rules.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/tensorflow.h"
#include "lib/names/learned_parameters.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

// Of Conv and Gemm.
constexpr size_t kWeightSlot = 1;

// What a node reads if it reads nothing that depends on the model's inputs.
struct ConstantInputs {
  bool all = true;  // it reads constants only
  PathId owner;     // the one module whose parameters are among them
  bool several = false;
  bool computed = false;  // some of it of others, and not only moved
};

class OwnerFinder {
 public:
  OwnerFinder(const Graph& graph, ModulePaths& paths)
      : graph_(graph),
        paths_(paths),
        owners_(graph.value_count()),
        constant_(graph.value_count()),
        is_computed_(graph.value_count()) {}

  IdVector<ValueId, PathId> Find() {
    separator_ = ModuleSeparator(graph_);
    size_t known = 0;
    size_t unknown = 0;
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.kind != ValueKind::kInitializer) continue;
      const absl::string_view owner = OwnerInParameterName(value.name);
      if (!IsNamedAfterReader(graph_, id, owner)) owners_[id] = PathTo(owner);
      ++(owners_[id].valid() ? known : unknown);
      constant_.Add(id);
      if (IsFoldedParameterName(value.name)) folded_.push_back(id);
    }
    for (ValueId id : folded_) GoWithWeight(id);
    // In most files a known grammar names them.
    if (known <= unknown && IsOn(Rule::kLearnedParameters)) Learn();
    for (NodeId node : graph_.node_ids()) Follow(node);
    if (IsOn(Rule::kComputedTables)) ForgetTables();
    return std::move(owners_);
  }

 private:
  ABSL_ATTRIBUTE_COLD void Learn() {
    const std::vector<LearnedOwner> learned_owners = LearnParameterOwners(graph_);
    PrefixSteps<PathId> steps;
    const auto inner = [this](PathId around, absl::string_view name) -> std::optional<PathId> {
      return IsFunctionScope(name) ? around : paths_.Child(around, name);
    };
    for (const LearnedOwner& learned : learned_owners) {
      owners_[learned.parameter] = steps.Walk(ModuleOf(learned), '/', paths_.root(), inner);
    }
  }

  // Of what is named after a function, what the names of its readers say.
  absl::string_view ModuleOf(const LearnedOwner& learned) const {
    for (const Use& use : graph_.uses(learned.parameter)) {
      absl::string_view name = graph_.node(use.node).name;
      if (!absl::ConsumePrefix(&name, learned.module) || !absl::ConsumePrefix(&name, "/")) continue;
      return WithoutBatchNorm(learned.module, name);
    }
    return learned.module;
  }

  // A module's parameters, and those of its neighbours, mostly stand one after the other.
  PathId PathTo(absl::string_view owner) {
    if (owner.empty()) return PathId();
    return steps_.Walk(owner, separator_, paths_.root(),
                       [this](PathId around, absl::string_view name) -> std::optional<PathId> {
                         return paths_.Child(around, name);
                       });
  }

  // Folding adds another module's bias to that of the operator, which is still where its weight is.
  ABSL_ATTRIBUTE_COLD void GoWithWeight(ValueId folded) {
    const TensorId tensor = graph_.value(folded).tensor;
    if (!tensor.valid() || graph_.tensor(tensor).dims.size() > 1) return;
    PathId place;
    for (const Use& use : graph_.uses(folded)) {
      const absl::Span<const ValueId> inputs = graph_.inputs(use.node);
      if (inputs.size() <= kWeightSlot || !inputs[kWeightSlot].valid()) continue;
      place = paths_.Join(place, owners_[StoredValue(graph_, inputs[kWeightSlot])]);
    }
    if (place.valid()) owners_[folded] = place;
  }

  ConstantInputs Look(NodeId node) const {
    ConstantInputs inputs;
    for (ValueId value : graph_.inputs(node)) {
      if (!value.valid()) continue;
      if (!constant_.Has(value)) {
        inputs.all = false;
        return inputs;
      }
      inputs.computed = inputs.computed || is_computed_.Has(value);
      if (!owners_[value].valid() || owners_[value] == inputs.owner) continue;
      inputs.several = inputs.owner.valid();
      inputs.owner = owners_[value];
    }
    // Equal scales and zero points are merged: they may bear another module's name.
    if (inputs.several && graph_.op(node).type == "DequantizeLinear") {
      const ValueId integers = graph_.inputs(node)[0];
      if (integers.valid() && owners_[integers].valid())
        inputs = {true, owners_[integers], false, inputs.computed};
    }
    // A node that holds graphs reads more than its inputs.
    inputs.all = graph_.blocks(node).empty();
    return inputs;
  }

  void Follow(NodeId node) {
    const ConstantInputs inputs = Look(node);
    if (!inputs.all) return;
    for (ValueId value : graph_.outputs(node)) {
      if (!value.valid()) continue;
      constant_.Add(value);
      const PathId named = PathTo(OwnerInParameterName(graph_.value(value).name));
      if (named.valid()) owners_[value] = named;
      if (owners_[value].valid() || inputs.several || !inputs.owner.valid()) continue;
      // Another module's, for which torch wrote this one as they are equal.
      if (graph_.op(node).type == "Identity" && IsOn(Rule::kOwnersOfCopies)) continue;
      owners_[value] = inputs.owner;
      if (IsMover(graph_.op(node).type) && !inputs.computed) continue;
      computed_.push_back(value);
      is_computed_.Add(value);
    }
  }

  // Whether a node depends on the model's inputs.
  bool IsOfRunTime(NodeId node) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    return outputs.empty() || !outputs[0].valid() || !constant_.Has(outputs[0]);
  }

  // How many of these read the value.
  size_t CountReaders(ValueId value) const {
    return static_cast<size_t>(absl::c_count_if(
        graph_.uses(value), [this](const Use& use) { return IsOfRunTime(use.node); }));
  }

  // Whether they multiply by it, as the calls of a module do by a weight that it works out.
  bool IsWeightOfCalls(ValueId value) const {
    return absl::c_any_of(graph_.uses(value), [this](const Use& use) {
      return IsOfRunTime(use.node) && IsWeighted(graph_.op(use.node).type);
    });
  }

  // Modules that have a parameter, perhaps one further in, which is read as it is.
  ABSL_ATTRIBUTE_COLD IdSet<PathId> FindReading() const {
    IdSet<PathId> reading(paths_.size());
    for (ValueId value : graph_.value_ids()) {
      if (graph_.value(value).kind != ValueKind::kInitializer || !owners_[value].valid()) continue;
      if (CountReaders(value) > 0) paths_.AddWithAround(owners_[value], reading);
    }
    return reading;
  }

  // What a module computes of its parameters alone, and several nodes read, it hands out: the
  // cosines of rotary positions to queries and keys, a bias of relative positions to each layer.
  // That is no parameter of those that read it, unless the module does more than that.
  ABSL_ATTRIBUTE_COLD void ForgetTables() {
    std::erase_if(computed_, [this](ValueId value) {
      return CountReaders(value) < 2 || IsWeightOfCalls(value);
    });
    if (computed_.empty()) return;
    const IdSet<PathId> reading = FindReading();
    for (ValueId value : computed_) {
      if (!reading.Has(owners_[value])) owners_[value] = PathId();
    }
  }

  const Graph& graph_;
  ModulePaths& paths_;
  char separator_ = '.';  // between the names of modules in those of parameters
  IdVector<ValueId, PathId> owners_;
  IdSet<ValueId> constant_;
  std::vector<ValueId> folded_;    // parameters that others were folded into
  std::vector<ValueId> computed_;  // of parameters of one module alone
  IdSet<ValueId> is_computed_;     // those
  PrefixSteps<PathId> steps_;
};

}  // namespace

IdVector<ValueId, PathId> FindParameterOwners(const Graph& graph, ModulePaths& paths) {
  return OwnerFinder(graph, paths).Find();
}

void FindOwnersOf(const Graph& graph, NodeId node, Evidence& evidence) {
  const IdVector<ValueId, PathId>& value_owners = evidence.value_owners;
  const auto begin = static_cast<uint32_t>(evidence.owners.size());
  // Merged parameters are copied under their own names: a copy is where its name says, not where
  // the one is that was kept.
  const absl::Span<const ValueId> outputs = graph.outputs(node);
  const bool copies = outputs.size() == 1 && outputs[0].valid() && value_owners[outputs[0]].valid();
  const absl::Span<const ValueId> read = copies ? outputs : graph.inputs(node);
  const auto tells = [&](ValueId value) {
    return value.valid() && value_owners[value].valid() && !evidence.merged.Has(value);
  };
  if (std::none_of(read.begin(), read.end(), tells)) {
    return evidence.nodes.SetOwners(node, {begin, begin});
  }
  // How much a parameter says of where its reader is.
  const auto rank_of = [&](ValueId value) {
    if (copies) return 0;
    const bool is_own = graph.uses(value).size() == 1;
    const TensorId tensor = graph.value(value).tensor;
    const bool is_matrix = tensor.valid() && graph.dims(tensor).size() > 1;
    return is_own ? 1 + (is_matrix ? 1 : 0) : 0;
  };
  int highest = 0;
  for (ValueId value : read) {
    if (tells(value)) highest = std::max(highest, rank_of(value));
  }
  DistinctTail<PathId> distinct(evidence.owners);
  for (ValueId value : read) {
    if (tells(value) && rank_of(value) == highest) distinct.Add(value_owners[value]);
  }
  evidence.nodes.SetOwners(node, {begin, static_cast<uint32_t>(evidence.owners.size())});
}

}  // namespace onnx_hier
