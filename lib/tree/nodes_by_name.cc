// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/nodes_by_name.h"

#include <cstdint>

#include "absl/strings/numbers.h"

namespace onnx_hier {
namespace {

constexpr char kDigits[] = "0123456789";

// In the main graph, a node's id is its index.
NodeId NodeInMain(const Graph& graph, absl::string_view word) {
  const absl::Span<const NodeId> nodes = graph.nodes(graph.main_block());
  uint32_t index = 0;
  const bool is_index = absl::SimpleAtoi(word, &index) && index < nodes.size();
  return is_index && graph.NodePath(nodes[index]) == word ? nodes[index] : NodeId();
}

}  // namespace

NodesByName::NodesByName(const Graph& graph, absl::Span<const std::string> words) {
  for (const std::string& word : words) {
    Found& found = found_[word];
    if (const NodeId id = NodeInMain(graph, word); id.valid()) found.by_id = {id};
    if (sizes_.size() <= word.size()) sizes_.resize(word.size() + 1);
    sizes_[word.size()] = true;
  }
  for (NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    Found* const by_id = node.block == graph.main_block() ? nullptr : FoundOf(graph.NodePath(id));
    if (by_id != nullptr) by_id->by_id.push_back(id);
    if (Found* found = FoundOf(node.name)) found->by_name.push_back(id);
  }
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    Found* found = value.producer.valid() ? FoundOf(value.name) : nullptr;
    if (found != nullptr) found->by_value.push_back(value.producer);
  }
}

const std::vector<NodeId>& NodesByName::Find(absl::string_view word) const {
  const Found& found = found_.at(word);
  if (!found.by_id.empty()) return found.by_id;
  const bool is_number = word.find_first_not_of(kDigits) == absl::string_view::npos;
  return found.by_name.empty() && !is_number ? found.by_value : found.by_name;
}

// Nearly all names differ from all words in size.
NodesByName::Found* NodesByName::FoundOf(absl::string_view name) {
  if (name.size() >= sizes_.size() || !sizes_[name.size()]) return nullptr;
  const auto found = found_.find(name);
  return found == found_.end() ? nullptr : &found->second;
}

}  // namespace onnx_hier
