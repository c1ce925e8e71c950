// SPDX-License-Identifier: Apache-2.0

// What of a model stays in a part of it: nodes, parameters, functions, values.
#ifndef ONNX_HIER_LIB_PARTS_KEPT_H_
#define ONNX_HIER_LIB_PARTS_KEPT_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/parts/units.h"
#include "onnx_hier/part.h"

namespace onnx_hier {

// Where among the inputs and outputs of a graph or function its values are, once for all parts.
class Interface {
 public:
  Interface(const Graph& graph, BlockId block);

  // In order: a graph may give out a value several times.
  absl::Span<const size_t> inputs(ValueId value) const { return PlacesIn(inputs_, value); }
  absl::Span<const size_t> outputs(ValueId value) const { return PlacesIn(outputs_, value); }

 private:
  using Places = absl::flat_hash_map<ValueId, std::vector<size_t>>;

  static absl::Span<const size_t> PlacesIn(const Places& places, ValueId value) {
    const auto found = places.find(value);
    return found == places.end() ? absl::Span<const size_t>() : found->second;
  }

  Places inputs_;
  Places outputs_;
};

class Kept {
 public:
  // All must outlive this. Takes no longer than the part is large.
  Kept(const Units& units, const FunctionCalls& calls, const Interface& interface,
       const Part& part);

  // With those inside of graphs and functions, in order.
  absl::Span<const NodeId> nodes() const { return nodes_; }
  bool Has(NodeId node) const { return has_nodes_.Has(node); }
  // Whether the main graph of the part makes the value, is given it, or has it as a parameter. An
  // input or output without a name has no value, and is never kept.
  bool Has(ValueId value) const { return has_values_.Contains(value); }
  bool IsOutput(ValueId value) const { return is_output_.Contains(value); }
  // Of an input or output, whether the model itself does not have it as such; else false.
  bool IsNewInput(ValueId value) const {
    return is_input_.Has(value) && interface_.inputs(value).empty();
  }
  bool IsNewOutput(ValueId value) const {
    return IsOutput(value) && interface_.outputs(value).empty();
  }

  // The parameters that are read, each by the first of the values that have it.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  // All that Has(), each once.
  const std::vector<ValueId>& values() const { return values_; }
  // That are called, from whatever depth.
  const std::vector<BlockId>& functions() const { return functions_; }

 private:
  void TakeNodes(const FunctionCalls& calls, const Part& part);
  void TakeValues(const Part& part);
  void Take(ValueId value);

  const Units& units_;
  const Graph& graph_;
  const Interface& interface_;
  IdSet<BlockId> has_functions_;
  std::vector<BlockId> functions_;
  IdSet<NodeId> has_nodes_;
  std::vector<NodeId> nodes_;
  IdSet<ValueId> has_values_;
  std::vector<ValueId> values_;
  IdSet<TensorId> has_tensors_;
  IdSet<ValueId> is_input_;
  IdSet<ValueId> is_output_;
  std::vector<ValueId> parameters_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_KEPT_H_
