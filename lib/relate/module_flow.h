// SPDX-License-Identifier: Apache-2.0

// What modules compute, as numbers: of each node what it does, what it computes that from and what
// becomes of it. They are the same in whatever order a file lists its nodes and whatever names its
// values have.
#ifndef ONNX_HIER_LIB_RELATE_MODULE_FLOW_H_
#define ONNX_HIER_LIB_RELATE_MODULE_FLOW_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/relate/module_groups.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct FlowHashes {
  IdVector<NodeId, uint64_t> nodes;    // as far as their module goes; 0: a Constant
  IdVector<GroupId, uint64_t> groups;  // of all nodes in them
  // Of parameters: which places read them, in the module that has them alone; and in all, with what
  // becomes of it in the modules behind that one.
  IdVector<ValueId, uint64_t> own_uses;
  IdVector<ValueId, uint64_t> uses;

  // Of a value that a node makes, or of a parameter.
  uint64_t RoleOf(const Graph& graph, ValueId value, uint32_t slot) const;
};

// A value that a node reads from outside of its module.
struct OutsideReading {
  NodeId reader;
  uint32_t slot = 0;  // outputs of the graphs that it holds come behind its inputs
  ValueId value;
  GroupId source;  // who makes or has it; none: an input of the model, a Constant, or nobody
};

class ModuleFlow {
 public:
  // `attributes`: what those of each node say, graphs left out (attribute_meanings.h). Both must
  // outlive this.
  ModuleFlow(const ModuleGroups& groups, const IdVector<NodeId, uint64_t>& attributes);

  const ModuleGroups& groups() const { return groups_; }
  const IdVector<NodeId, uint64_t>& attributes() const { return attributes_; }
  // Modules by themselves, wherever they are and whatever feeds them.
  const FlowHashes& alone() const { return alone_; }
  // Which of its maker's outputs, or of its graph's inputs, a value is.
  uint32_t slot(ValueId value) const { return slots_[value]; }

  // Whether node by node, in the order of the files, the same operators with the same attributes
  // read and make the same values, which have the same numbers in both.
  bool IsSameInOrder(const ModuleFlow& other) const;

  void ForEachOutside(absl::FunctionRef<void(const OutsideReading&)> take) const;
  // With what is outside told apart as `source` does, parameters by those that read them in `last`
  // (null: not at all), and outputs of graphs by their numbers in `outputs` (0: it is none).
  FlowHashes Hash(const FlowHashes* last, const IdVector<ValueId, uint64_t>& outputs,
                  absl::FunctionRef<uint64_t(const OutsideReading&)> source) const;

 private:
  struct Reading {
    ValueId value;
    GroupId source;  // as of an OutsideReading, also inside of a module
  };

  void ListReadings();
  void Order();
  // Inputs, and behind them outputs of the graphs that it holds.
  absl::Span<const Reading> readings(NodeId node) const {
    return absl::MakeConstSpan(readings_).subspan(first_reading_[node], reading_counts_[node]);
  }
  OutsideReading ReadingAt(NodeId node, uint32_t slot) const {
    const Reading& reading = readings_[first_reading_[node] + slot];
    return {node, slot, reading.value, reading.source};
  }
  uint64_t HashOfReading(const FlowHashes& up, const FlowHashes* last,
                         const OutsideReading& reading,
                         absl::FunctionRef<uint64_t(const OutsideReading&)> source) const;

  const ModuleGroups& groups_;
  const IdVector<NodeId, uint64_t>& attributes_;
  std::vector<NodeId> order_;  // what is read comes before; no Constants
  std::vector<Reading> readings_;
  IdVector<NodeId, uint32_t> first_reading_;
  IdVector<NodeId, uint32_t> reading_counts_;
  IdVector<NodeId, uint64_t> operators_;
  IdVector<ValueId, uint32_t> slots_;
  FlowHashes alone_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_MODULE_FLOW_H_
