// Builds a Graph from what a reader meets in a file, in the order it meets it.
//
//   GraphBuilder builder;
//   BlockId main = builder.AddBlock({.kind = BlockKind::kMain});
//   NodeId relu = builder.AddNode(main);
//   builder.AddInput(relu, "x");
//   builder.AddOutput(relu, "y");
//   builder.node(relu).name = "/act/Relu";
//   builder.SetOp(relu, "", "Relu", "");
//   Graph graph = std::move(builder).Build();
//
// Names are resolved in Build(), when all definitions are known: a nested graph sees the values of
// the graphs around it, sibling branches may use one name twice, a file may define a value after
// its use. Time and memory are linear in the number of names.
#ifndef ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_
#define ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/interner.h"
#include "lib/graph/name_numbers.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class GraphBuilder {
 public:
  // `parallel`: a second thread may help with large graphs.
  explicit GraphBuilder(bool parallel = false) : names_(parallel) {}

  ModelInfo& info() { return graph_.info_; }

  BlockId AddBlock(const Block& block);
  NodeId AddNode(BlockId block);
  // A tensor that the attribute of `owner` holds, or else an initializer of `block`.
  TensorId AddAttributeTensor(NodeId owner, const Tensor& tensor, const std::vector<int64_t>& dims);
  TensorId AddInitializer(BlockId block, const Tensor& tensor, const std::vector<int64_t>& dims);

  // Valid until the next Add of the same kind.
  Node& node(NodeId id) { return graph_.nodes_[id]; }
  Block& block(BlockId id) { return graph_.blocks_[id]; }

  // An empty input name is an omitted optional input.
  void AddInput(NodeId node, absl::string_view name) { AddSlot(node_inputs_, node.index(), name); }
  void AddOutput(NodeId node, absl::string_view name) {
    AddSlot(node_outputs_, node.index(), name);
  }
  void AddInput(BlockId block, absl::string_view name) {
    AddSlot(block_inputs_, block.index(), name);
  }
  void AddOutput(BlockId block, absl::string_view name) {
    AddSlot(block_outputs_, block.index(), name);
  }
  void AddMetadata(NodeId node, StringPair pair) { node_metadata_.push_back({node.index(), pair}); }
  void AddMetadata(BlockId block, StringPair pair) {
    block_metadata_.push_back({block.index(), pair});
  }
  void SetOp(NodeId node, absl::string_view domain, absl::string_view type,
             absl::string_view overload);

  Graph Build() &&;

 private:
  static constexpr uint32_t kOmitted = Interner::kNone;

  // (owner, item) pairs as they come; one counting sort at the end groups them by owner.
  template <class T>
  struct Owned {
    uint32_t owner;
    T item;
  };
  using Names = std::vector<Owned<uint32_t>>;  // in names_: positions first, then numbers

  void AddSlot(Names& list, uint32_t owner, absl::string_view name) {
    list.push_back({owner, name.empty() ? kOmitted : names_.Add(name)});
  }
  // From positions to numbers.
  void Number(Names& list) const;

  template <class T>
  struct Grouped {
    // First item of each owner, and one past the last item; empty if there are no items.
    std::vector<uint32_t> begin;
    std::vector<T> items;
    absl::Span<const T> of(uint32_t owner) const {
      const Range items_of = range(owner);
      return absl::MakeConstSpan(items).subspan(items_of.begin, items_of.size());
    }
    Range range(uint32_t owner) const {
      return begin.empty() ? Range() : Range{begin[owner], begin[owner + 1]};
    }
  };
  template <class T>
  static Grouped<T> Group(std::vector<Owned<T>> pairs, size_t owners);

  void GroupOwnedItems();
  void ResolveNames();
  void EnterBlock(BlockId id);
  void LeaveBlock();
  ValueId Define(uint32_t name, BlockId block, ValueKind kind);
  ValueId DefineOutput(uint32_t name, BlockId block, NodeId node);
  Range Resolve(absl::Span<const uint32_t> names, BlockId block);
  void ListUses();

  Graph graph_;
  NameNumbers names_;
  Names node_inputs_, node_outputs_, block_inputs_, block_outputs_, initializer_names_;
  std::vector<Owned<StringPair>> node_metadata_, block_metadata_;
  std::vector<Owned<TensorId>> attribute_tensors_;
  std::vector<Owned<TensorId>> initializer_tensors_;

  // While names are resolved: the names by owner, the innermost definition of each name, and what
  // it hid.
  struct Hidden {
    uint32_t name;
    ValueId before;
  };
  Grouped<uint32_t> in_, out_, block_in_, block_out_, init_;
  Grouped<TensorId> init_tensors_;
  std::vector<ValueId> visible_;
  std::vector<Hidden> hidden_;
  std::vector<size_t> hidden_at_enter_;

  Interner op_types_;
  std::vector<OpId> last_of_type_;  // the latest operator of each number in op_types_
  absl::flat_hash_map<std::tuple<uint32_t, absl::string_view, absl::string_view>, OpId> ops_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_GRAPH_BUILDER_H_
