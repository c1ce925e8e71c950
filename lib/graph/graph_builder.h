// SPDX-License-Identifier: Apache-2.0

// Builds a Graph from what a reader meets in a file, in the order it meets it.
//
//   GraphBuilder builder;
//   BlockId main = builder.AddBlock({.kind = BlockKind::kMain});
//   NodeId relu = builder.AddNode(main);
//   builder.SetSlots(relu, /*inputs=*/{"x"}, /*outputs=*/{"y"});
//   builder.node(relu).name = "/act/Relu";
//   builder.SetOp(relu, "", "Relu", "");
//   Graph graph = std::move(builder).Build();
//
// Names are resolved in Build(), when all definitions are known: a nested graph sees the values of
// the graphs around it, sibling branches may use one name twice, a file may define a value after
// its use. Time and memory are linear in the number of names, but for tensors and metadata of nodes
// that hold graphs, which are sorted.
#ifndef ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_
#define ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/interner.h"
#include "lib/graph/name_numbers.h"
#include "lib/graph/node_span.h"
#include "lib/graph/op_table.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// Sets how many elements the tensor has, and how many bytes they take.
void MeasureTensor(Tensor& tensor, const std::vector<int64_t>& dims);

class GraphBuilder {
 public:
  // `parallel`: a second thread may help with large graphs.
  explicit GraphBuilder(bool parallel = false) : names_(parallel) {}

  // For the names of spans.
  TextHasher hasher() const { return names_.hasher(); }

  ModelInfo& info() { return graph_.info_; }

  BlockId AddBlock(const Block& block);
  NodeId AddNode(BlockId block);
  // A tensor that the attribute of `owner` holds, or else an initializer of `block`.
  TensorId AddAttributeTensor(NodeId owner, const Tensor& tensor, const std::vector<int64_t>& dims);
  TensorId AddInitializer(BlockId block, const Tensor& tensor, const std::vector<int64_t>& dims);

  // Valid until the next Add of the same kind.
  Node& node(NodeId id) { return graph_.nodes_[id]; }
  Block& block(BlockId id) { return graph_.blocks_[id]; }

  // Once a node. An empty input name is an omitted optional input.
  void SetSlots(NodeId node, absl::Span<const absl::string_view> inputs,
                absl::Span<const absl::string_view> outputs) {
    Node& slots = graph_.nodes_[node];
    slots.first_input = AddNames(inputs).begin;
    const Range after = AddNames(outputs);
    slots.first_output = after.begin;
    slots.end_of_outputs = after.end;
  }
  // Of several, the last one counts.
  void SetDocString(NodeId node, absl::string_view text) {
    Graph::NodeExtra& of_node = extra(node);
    of_node.doc_string = text;
    of_node.has_doc_string = true;
  }
  bool HasDocString(NodeId node) const { return graph_.has_doc_string(node); }
  void AddInput(BlockId block, absl::string_view name) { block_inputs_.push_back({block, name}); }
  void AddOutput(BlockId block, absl::string_view name) { block_outputs_.push_back({block, name}); }
  void AddMetadata(NodeId node, StringPair pair) { node_metadata_.push_back({node, pair}); }
  void AddMetadata(BlockId block, StringPair pair) { block_metadata_.push_back({block, pair}); }
  void SetOp(NodeId node, absl::string_view domain, absl::string_view type,
             absl::string_view overload) {
    graph_.nodes_[node].op = ops_.IdOf(domain, type, overload);
  }

  // Adds the nodes of the span that are in front of its `end`th one and were not taken yet, to the
  // end of the block; gives the ids of the first of them and of the first of their tensors.
  struct FirstTaken {
    NodeId node;
    TensorId tensor;
  };
  FirstTaken Take(NodeSpan& span, uint32_t end, BlockId block);

  Graph Build() &&;

 private:
  // What belongs to an owner, in the order in which it came.
  template <class Owner, class T>
  struct Owned {
    Owner owner;
    T item;
  };
  template <class Owner, class T>
  using List = std::vector<Owned<Owner, T>>;

  // Appends the items to `items`, those of one owner side by side, and sets each owner's range.
  template <class Owner, class T, class RangeOf>
  static void Group(List<Owner, T>& list, std::vector<T>& items, const RangeOf& range_of);

  Graph::NodeExtra& extra(NodeId id) {
    Node& node = graph_.nodes_[id];
    if (node.extra == NodeExtraId(0)) node.extra = graph_.extras_.add();
    return graph_.extras_[node.extra];
  }
  // Measured; an initializer, if no node owns it.
  TensorId AddTensor(NodeId owner, const Tensor& tensor, absl::Span<const int64_t> dims);
  // The slots of what belongs to a node or block: names have the numbers of their slots.
  Range AddNames(absl::Span<const absl::string_view> names) {
    const uint32_t begin = names_.added();
    for (absl::string_view name : names) names_.Add(name);
    return {begin, names_.added()};
  }
  void AddBlockNames();
  void GroupOwnedItems();
  void ListNodesOfBlocks();
  void ResolveNames();
  void EnterBlock(BlockId id);
  void LeaveBlock();
  ValueId Define(uint32_t name, BlockId block, ValueKind kind);
  ValueId DefineOutput(uint32_t name, BlockId block, NodeId node);
  void Resolve(Range slots, BlockId block);
  void ListUses();

  Graph graph_;
  NameNumbers names_;
  OpTable ops_;
  List<BlockId, absl::string_view> block_inputs_, block_outputs_;
  List<BlockId, StringPair> block_metadata_;
  List<NodeId, StringPair> node_metadata_;
  List<NodeId, TensorId> attribute_tensors_;
  List<BlockId, TensorId> initializers_;

  // While names are resolved: the slots of each block's initializers and what is in them, the
  // innermost definition of each name, and what it hid.
  struct Hidden {
    uint32_t name;
    ValueId before;
  };
  struct Initializers {
    Range slots;
    Range tensors;  // in initializer_tensors_
  };
  IdVector<BlockId, Initializers> initializers_of_;
  std::vector<TensorId> initializer_tensors_;
  uint32_t omitted_ = Interner::kNone;  // the number of the empty name
  std::vector<ValueId> visible_;
  std::vector<Hidden> hidden_;
  std::vector<size_t> hidden_at_enter_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_
