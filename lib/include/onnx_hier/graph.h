// SPDX-License-Identifier: Apache-2.0

// The nodes, values and tensors of one ONNX model as flat vectors, with every nested graph in
// place.
//
//   for (NodeId n : graph.node_ids()) {
//     for (ValueId v : graph.inputs(n)) {
//       if (v.valid() && graph.value(v).producer.valid()) ...   // produced by another node
//     }
//   }
//
// All text is a view into the file's image: it lives as long as the Model that owns the Graph.
// Text is as the file has it and need not be UTF-8. Field meanings: onnx.in.proto of the ONNX
// project (IR versions 3 to 13).
#ifndef ONNX_HIER_GRAPH_H_
#define ONNX_HIER_GRAPH_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A half-open range [begin, end) of positions in one of the flat vectors.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t size() const { return end - begin; }
};

struct StringPair {
  absl::string_view key;
  absl::string_view value;
};

// An operator or local function as nodes name it. The default domain is "" ("ai.onnx" is the same).
struct Op {
  absl::string_view domain;
  absl::string_view type;
  absl::string_view overload;
};

using NodeExtraId = Id<struct NodeExtraIdTag>;

// What all nodes have; the rest is asked of the Graph.
struct Node {
  absl::string_view name;  // may be empty, need not be unique
  bool has_name = false;   // there is a field for it, perhaps an empty one
  OpId op;
  BlockId block;       // the graph that holds the node
  uint32_t index = 0;  // its position there
  // Where the Graph keeps its slots, outputs behind inputs, and what few nodes have.
  uint32_t first_input = 0;
  uint32_t first_output = 0;
  uint32_t end_of_outputs = 0;
  NodeExtraId extra = NodeExtraId(0);
  // Equal for nodes whose attributes are equal, whatever their order; graphs count by name only,
  // tensors over 4 KiB by size only.
  uint64_t attribute_hash = 0;
};

enum class BlockKind { kMain, kSubgraph, kFunction, kTraining };

// A list of nodes with its own names: the main graph, a graph held by an attribute of a node, the
// body of a local function, or one of the two graphs of a training_info entry.
struct Block {
  BlockKind kind = BlockKind::kMain;
  BlockId parent;  // where outer names are looked up; none for the main graph and functions
  NodeId owner;    // the node whose attribute holds a kSubgraph
  absl::string_view
      attribute;               // that attribute's name; "initialization" or "algorithm" in training
  int32_t position = -1;       // place among the attribute's `graphs`, or among training_info
  absl::string_view name;      // graph or function name
  absl::string_view domain;    // of a function
  absl::string_view overload;  // of a function
  // Of a function: equal where its attributes, their defaults and the versions of its operators
  // are, in whatever order; what is longer than 4 KiB by size only.
  uint64_t header_hash = 0;
  Range nodes;
  Range inputs;
  Range outputs;
  Range metadata;
  uint32_t depth = 0;  // 0 for top-level blocks
};

enum class ValueKind : uint8_t { kInput, kInitializer, kNodeOutput, kUndefined };

// A named value, one per (block, name). A graph input that also has an initializer (IR 3) is a
// kInitializer: its default is a parameter. Where the file breaks SSA, each node after the first
// that makes a name makes a value of its own, which nobody reads.
struct Value {
  absl::string_view name;
  BlockId block;    // where it is defined; for kUndefined, where it was first read
  NodeId producer;  // of a kNodeOutput
  TensorId tensor;  // of a kInitializer
  ValueKind kind = ValueKind::kUndefined;
};

// One reading of a value.
struct Use {
  NodeId node;
  uint32_t slot = 0;
};

// An initializer, or a tensor held by an attribute, without its contents.
struct Tensor {
  absl::string_view name;
  BlockId block;          // of an initializer
  NodeId owner;           // of an attribute's tensor
  int32_t data_type = 0;  // TensorProto.DataType
  bool external = false;
  Range dims;
  uint64_t elements = 0;  // product of dims, saturated
  uint64_t bytes = 0;     // elements x element size, saturated; 0 for strings
};

struct OpsetImport {
  absl::string_view domain;
  int64_t version = 0;
};

struct ModelInfo {
  int64_t ir_version = 0;
  absl::string_view producer_name;
  absl::string_view producer_version;
  absl::string_view domain;
  int64_t model_version = 0;
  std::vector<OpsetImport> opset_imports;
  std::vector<StringPair> metadata;
};

class Graph {
 public:
  // Nodes in file order: a node comes before the nodes of the graphs it holds. Of a model whose
  // fields stand in the usual order: main graph, then training graphs, then functions.
  IdRange<NodeId> node_ids() const { return IdRange<NodeId>(nodes_.size()); }
  IdRange<BlockId> block_ids() const { return IdRange<BlockId>(blocks_.size()); }
  IdRange<ValueId> value_ids() const { return IdRange<ValueId>(values_.size()); }
  IdRange<TensorId> tensor_ids() const { return IdRange<TensorId>(tensors_.size()); }
  // The different operators of the nodes.
  IdRange<OpId> op_ids() const { return IdRange<OpId>(ops_.size()); }

  size_t node_count() const { return nodes_.size(); }
  size_t value_count() const { return values_.size(); }
  size_t op_count() const { return ops_.size(); }
  size_t block_count() const { return blocks_.size(); }
  size_t tensor_count() const { return tensors_.size(); }

  const Node& node(NodeId id) const { return nodes_[id]; }
  const Block& block(BlockId id) const { return blocks_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  const Tensor& tensor(TensorId id) const { return tensors_[id]; }
  const Op& op(OpId id) const { return ops_[id]; }
  const Op& op(NodeId id) const { return ops_[nodes_[id].op]; }
  // Whether any node has an operator of this name, of whichever domain.
  bool HasOperator(absl::string_view type) const {
    for (OpId id : op_ids()) {
      if (op(id).type == type) return true;
    }
    return false;
  }
  const ModelInfo& info() const { return info_; }

  BlockId main_block() const { return BlockId(0); }

  // Input values in slot order; an omitted optional input is an id that is not valid.
  absl::Span<const ValueId> inputs(NodeId id) const { return Slice(slots_, InputSlots(id)); }
  absl::Span<const ValueId> outputs(NodeId id) const { return Slice(slots_, OutputSlots(id)); }
  // As the file has it, tags of an earlier run included; "" where there is none.
  absl::string_view doc_string(NodeId id) const { return extra(id).doc_string; }
  bool has_doc_string(NodeId id) const { return extra(id).has_doc_string; }
  absl::Span<const StringPair> metadata(NodeId id) const {
    return Slice(metadata_, extra(id).metadata);
  }
  // Whether any node or block has any.
  bool has_metadata() const { return !metadata_.empty(); }
  // Graphs and tensors held by its attributes.
  absl::Span<const BlockId> blocks(NodeId id) const {
    return Slice(owned_blocks_, extra(id).blocks);
  }
  absl::Span<const TensorId> tensors(NodeId id) const {
    return Slice(owned_tensors_, extra(id).tensors);
  }

  // The nodes directly in a block, in graph order.
  absl::Span<const NodeId> nodes(BlockId id) const {
    return Slice(block_nodes_, blocks_[id].nodes);
  }
  absl::Span<const ValueId> inputs(BlockId id) const { return Slice(slots_, blocks_[id].inputs); }
  absl::Span<const ValueId> outputs(BlockId id) const { return Slice(slots_, blocks_[id].outputs); }
  absl::Span<const StringPair> metadata(BlockId id) const {
    return Slice(metadata_, blocks_[id].metadata);
  }

  // Who reads a value, in node order; readers inside nested graphs included.
  absl::Span<const Use> uses(ValueId id) const { return uses_.of(id); }

  absl::Span<const int64_t> dims(TensorId id) const { return Slice(dims_, tensors_[id].dims); }

  // The node's place in words: "12", "1045/then_branch/0", "12/bodies[1]/0",
  // "function:DOMAIN:NAME[:OVERLOAD]/3", "training:0:algorithm/3".
  std::string NodePath(NodeId id) const;
  // That of its nodes without their number and the slash: "1045/then_branch". "" for the main
  // graph, and where there are no nodes.
  absl::string_view BlockPath(BlockId id) const {
    const absl::string_view path = block_paths_[id];
    return path.empty() ? path : path.substr(0, path.size() - 1);
  }
  // It takes no more bytes in JSON, however deep graphs nest and whatever attributes and functions
  // are called: the way to the node's graph is cut then, and ends with a hash of the whole. Of 910
  // models, the longest has 128 (a function with the name of a module in it), and 33 branches in
  // each other, the most that protobuf reads, have 464.
  static constexpr size_t kLongestNodePath = 512;

 private:
  friend class GraphBuilder;
  friend class RenamedGraph;

  // What few nodes have: a model of tags or metadata has one for each node, others hardly any.
  struct NodeExtra {
    absl::string_view doc_string;
    bool has_doc_string = false;
    Range metadata;
    Range blocks;
    Range tensors;
  };

  const NodeExtra& extra(NodeId id) const { return extras_[nodes_[id].extra]; }
  Range InputSlots(NodeId id) const {
    const Node& node = nodes_[id];
    return {node.first_input, node.first_output};
  }
  Range OutputSlots(NodeId id) const {
    const Node& node = nodes_[id];
    return {node.first_output, node.end_of_outputs};
  }

  // Asked for each node: put in place also where code is made small.
  template <class T>
  ABSL_ATTRIBUTE_ALWAYS_INLINE static absl::Span<const T> Slice(const std::vector<T>& items,
                                                                Range range) {
    return {items.data() + range.begin, range.size()};
  }

  // Once all nodes have their index.
  void NameBlocks();

  ModelInfo info_;
  IdVector<NodeId, Node> nodes_;
  // The first is of all nodes that have nothing.
  IdVector<NodeExtraId, NodeExtra> extras_ = IdVector<NodeExtraId, NodeExtra>(1);
  IdVector<BlockId, Block> blocks_;
  IdVector<BlockId, std::string> block_paths_;  // what stands before the index of their nodes
  IdVector<ValueId, Value> values_;
  IdVector<TensorId, Tensor> tensors_;
  IdVector<OpId, Op> ops_;
  std::vector<ValueId> slots_;
  Grouped<ValueId, Use> uses_;
  std::vector<NodeId> block_nodes_;
  std::vector<BlockId> owned_blocks_;
  std::vector<TensorId> owned_tensors_;
  std::vector<StringPair> metadata_;
  std::vector<int64_t> dims_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_GRAPH_H_
