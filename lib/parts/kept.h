// What of a model stays in a part of it: nodes, parameters, functions, values.
#ifndef ONNX_HIER_LIB_PARTS_KEPT_H_
#define ONNX_HIER_LIB_PARTS_KEPT_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/parts/units.h"
#include "onnx_hier/part.h"

namespace onnx_hier {

class Kept {
 public:
  // Both must outlive this.
  Kept(const Units& units, const Part& part);

  // With those inside of graphs and functions, in order.
  absl::Span<const NodeId> nodes() const { return nodes_; }
  bool Has(NodeId node) const { return has_nodes_.Has(node); }
  // Whether the main graph of the part makes the value, is given it, or has it as a parameter. An
  // input or output without a name has no value, and is never kept.
  bool Has(ValueId value) const { return has_values_.Contains(value); }
  bool IsOutput(ValueId value) const { return is_output_.Contains(value); }
  // Of an input or output, whether the model itself does not have it as such; else false.
  bool IsNewInput(ValueId value) const { return is_input_.Has(value) && !was_input_.Has(value); }
  bool IsNewOutput(ValueId value) const { return IsOutput(value) && !was_output_.Has(value); }

  // The parameters that are read, each by the first of the values that have it.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  // Of the main graph.
  std::vector<TensorId> left_out_initializers() const;
  std::vector<BlockId> left_out_functions() const;

 private:
  void TakeNodes(const Part& part);
  void TakeValues(const Part& part);

  const Units& units_;
  const Graph& graph_;
  IdSet<BlockId> has_functions_;
  IdSet<NodeId> has_nodes_;
  std::vector<NodeId> nodes_;
  IdSet<ValueId> has_values_;
  IdSet<TensorId> has_tensors_;
  IdSet<ValueId> is_input_;
  IdSet<ValueId> was_input_;
  IdSet<ValueId> is_output_;
  IdSet<ValueId> was_output_;
  std::vector<ValueId> parameters_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_KEPT_H_
