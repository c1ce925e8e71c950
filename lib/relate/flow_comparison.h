// SPDX-License-Identifier: Apache-2.0

// Whether modules of two models compute alike: the same nodes, fed by the same places of the same
// modules, parameters and inputs, whose values the same outputs of the model are.
#ifndef ONNX_HIER_LIB_RELATE_FLOW_COMPARISON_H_
#define ONNX_HIER_LIB_RELATE_FLOW_COMPARISON_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/relate/module_flow.h"
#include "lib/relate/module_groups.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A model as one of the two whose modules are compared.
struct Side {
  const ModuleFlow& flow;
  // What groups are called, the same in both models.
  IdVector<GroupId, uint64_t> names;
  // Members of lists, with all inside them, that are inserted, removed or moved: what reads others
  // instead of them is not wired otherwise, nor are those that were moved.
  IdSet<GroupId> loose;
};

// By what reads it in its module, and behind that, if it is read alike in both models.
using ParameterKey = std::pair<uint64_t, uint64_t>;

class FlowComparison {
 public:
  // Both must outlive this. Linear in what nodes read.
  FlowComparison(const Side& a, const Side& b);

  // Whether both are the same node by node: all modules are, and all parameters are read alike.
  bool IsSame() const { return is_same_; }
  // Of two groups that are called alike.
  bool AreWiredAlike(GroupId a, GroupId b) const {
    return !a_.differs.Has(a) && a_.alone.groups[a] == b_.alone.groups[b];
  }
  // Whether the models give out the same inputs and parameters as they are.
  bool GiveTheSame() const { return a_.given == b_.given; }
  // Parameters of modules that are wired alike have the same keys, in whatever order they come.
  ParameterKey KeyInA(ValueId parameter) const { return KeyOf(a_, b_, parameter); }
  ParameterKey KeyInB(ValueId parameter) const { return KeyOf(b_, a_, parameter); }

 private:
  struct State {
    explicit State(const Side& of)
        : side(of), alone(of.flow.alone()), last(alone), differs(of.names.size()) {}

    const Side& side;
    const FlowHashes& alone;
    FlowHashes last;
    // Inputs and outputs of the model, as both call them.
    IdVector<ValueId, uint64_t> inputs;
    std::vector<uint64_t> main_outputs;
    IdVector<ValueId, uint64_t> outputs;  // sums of those that a value is, of all graphs
    uint64_t given = 0;                   // outputs that no node makes
    absl::flat_hash_set<uint64_t> roles;  // values that others may read
    absl::flat_hash_set<uint64_t> uses;   // of parameters
    IdSet<GroupId> differs;
  };

  ParameterKey KeyOf(const State& state, const State& other, ValueId parameter) const;
  bool AreSame() const;
  static uint64_t PlaceOf(const State& state, const OutsideReading& reading);
  static uint64_t RoleOf(const State& state, const OutsideReading& reading);
  static void NamePorts(State& state, const State& other);
  void NoteOutputs(const State& state, const State& other);
  void AddOutputs(State& state);
  static void ListRoles(State& state);
  void NoteLoose(const State& state);
  void NoteUnknown(const State& state, const State& other);
  FlowHashes Hash(const State& state) const;
  void Step();

  State a_;
  State b_;
  const bool is_same_;
  // Outputs that what is loose gives, and places that read, in either model, what is loose, or what
  // the other model's module has nothing like: what these read is not compared, or only whose it
  // is.
  absl::flat_hash_set<uint64_t> free_;
  absl::flat_hash_set<uint64_t> unknown_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_FLOW_COMPARISON_H_
