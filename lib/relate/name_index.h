// SPDX-License-Identifier: Apache-2.0

// Values and nodes by names that only one of their kind has.
#ifndef ONNX_HIER_LIB_RELATE_NAME_INDEX_H_
#define ONNX_HIER_LIB_RELATE_NAME_INDEX_H_

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/graph/top_blocks.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

template <class Item>
class UniqueNames {
 public:
  void Reserve(size_t count) { items_.reserve(count); }
  void Add(absl::string_view name, Item item) {
    if (name.empty()) return;
    const auto [entry, added] = items_.emplace(name, item);
    if (!added && entry->second != item) entry->second = Item();
  }
  // None: nothing has it, or several have.
  Item Find(absl::string_view name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? Item() : found->second;
  }

 private:
  absl::flat_hash_map<absl::string_view, Item> items_;
};

// Of the main graph and the graphs inside it; a name of the main graph itself comes first. Names of
// functions mean something else in every call, and those of training graphs are others'.
class NameIndex {
 public:
  explicit NameIndex(const Graph& graph) {
    values_.Reserve(graph.value_count());
    nodes_.Reserve(graph.node_count());
    const IdVector<BlockId, BlockId> tops = FindTopBlocks(graph);
    for (ValueId value : graph.value_ids()) {
      const BlockId block = graph.value(value).block;
      if (tops[block] != graph.main_block()) continue;
      (block == graph.main_block() ? values_ : inner_values_).Add(graph.value(value).name, value);
    }
    for (NodeId node : graph.node_ids()) {
      if (tops[graph.node(node).block] == graph.main_block()) {
        nodes_.Add(graph.node(node).name, node);
      }
    }
  }

  ValueId FindValue(absl::string_view name) const {
    const ValueId value = values_.Find(name);
    return value.valid() ? value : inner_values_.Find(name);
  }
  NodeId FindNode(absl::string_view name) const { return nodes_.Find(name); }

 private:
  UniqueNames<ValueId> values_;
  UniqueNames<ValueId> inner_values_;
  UniqueNames<NodeId> nodes_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_NAME_INDEX_H_
