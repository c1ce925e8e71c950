// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/node_finder.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "lib/profile/kernel_names.h"

namespace onnx_hier {
namespace {

// A name that more nodes share says nothing.
constexpr size_t kMostAlike = 64;

// Without what stands at an end: compilers leave it out, or keep it.
std::string Sanitised(absl::string_view name) {
  std::string sanitised;
  for (char c : name) {
    sanitised.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  const size_t begin = std::min(sanitised.find_first_not_of('_'), sanitised.size());
  return sanitised.substr(begin);
}

}  // namespace

NodeFinder::NodeFinder(const Graph& graph) : graph_(graph), next_named_(graph.node_count()) {
  for (NodeId node : graph.node_ids()) {
    const absl::string_view name = graph.node(node).name;
    if (name.empty()) continue;
    longest_node_ = std::max(longest_node_, name.size());
    const auto [entry, is_first] = named_.emplace(name, Alike{node, node});
    if (is_first) continue;
    next_named_[entry->second.last] = node;
    entry->second.last = node;
  }
}

std::vector<NodeId> NodeFinder::Named(absl::string_view name, absl::string_view op_type) const {
  if (name.size() > longest_node_) return {};
  const auto found = named_.find(name);
  if (found == named_.end()) return {};
  std::vector<NodeId> all;
  std::vector<NodeId> alike;
  for (NodeId node = found->second.first; node.valid(); node = next_named_[node]) {
    if (all.size() == kMostAlike) return {};
    all.push_back(node);
    if (graph_.op(node).type == op_type) alike.push_back(node);
  }
  return alike.empty() ? all : alike;
}

NodeFinder::Values NodeFinder::ListValues() const {
  Values values;
  for (ValueId id : graph_.value_ids()) {
    const Value& value = graph_.value(id);
    const NodeId node = value.producer.valid()    ? value.producer
                        : graph_.uses(id).empty() ? NodeId()
                                                  : graph_.uses(id)[0].node;
    if (!node.valid() || value.name.empty()) continue;
    values.longest = std::max(values.longest, value.name.size());
    values.nodes.emplace(value.name, node);
  }
  return values;
}

NodeId NodeFinder::ByValue(absl::string_view name) const {
  if (!values_.has_value()) values_ = ListValues();
  if (name.size() > values_->longest) return NodeId();
  const auto found = values_->nodes.find(name);
  return found == values_->nodes.end() ? NodeId() : found->second;
}

std::vector<NodeId> NodeFinder::Inlined(absl::string_view name, absl::string_view op_type) const {
  for (const InlinedName& inlined : InlinedNames(name)) {
    std::vector<NodeId> nodes;
    for (NodeId node : Named(inlined.node, op_type)) {
      const Block& block = graph_.block(graph_.node(node).block);
      if (block.kind == BlockKind::kFunction && block.name == inlined.function) {
        nodes.push_back(node);
      }
    }
    if (!nodes.empty()) return nodes;
  }
  return {};
}

std::vector<NodeId> NodeFinder::FindPart(absl::string_view name, absl::string_view op_type) const {
  if (std::vector<NodeId> nodes = Named(name, op_type); !nodes.empty()) return nodes;
  if (const NodeId node = ByValue(name); node.valid()) return {node};
  return Inlined(name, op_type);
}

FoundNodes NodeFinder::FindParts(absl::string_view name) const {
  FoundNodes found;
  const NamedParts parts = PartsOf(name);
  const auto find = [&](absl::string_view part) {
    std::vector<NodeId> nodes = FindPart(part, "");
    for (absl::string_view before : NamesBefore(part)) {
      if (nodes.empty()) nodes = FindPart(before, "");
    }
    return nodes;
  };
  for (absl::string_view part : parts.names) {
    for (NodeId node : find(part)) found.nodes.push_back(node);
  }
  for (const auto& [first, last] : parts.ranges) {
    const std::vector<NodeId> begin = find(first);
    const std::vector<NodeId> end = find(last);
    if (begin.empty() || end.empty()) continue;
    found.ranges.emplace_back(begin.front(), end.back());
  }
  if (!found.empty()) found.by = PlacedBy::kParts;
  return found;
}

FoundNodes NodeFinder::FindSanitised(absl::string_view name) const {
  if (!sanitised_) {
    sanitised_.emplace();
    const auto add = [this](absl::string_view given, NodeId node) {
      const auto [entry, is_new] = sanitised_->emplace(Sanitised(given), node);
      if (!is_new && entry->second != node) entry->second = NodeId();
    };
    for (const auto& [given, alike] : named_) {
      add(given, alike.first == alike.last ? alike.first : NodeId());
    }
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.producer.valid() && !named_.contains(value.name)) add(value.name, value.producer);
    }
  }
  const size_t end = name.find_last_not_of("0123456789");
  const bool is_numbered = end != absl::string_view::npos && end > 0 && end + 1 < name.size() &&
                           (name[end] == '_' || name[end] == '.');
  const absl::string_view unnumbered = is_numbered ? name.substr(0, end) : name;
  if (is_numbered) {
    if (std::vector<NodeId> nodes = FindPart(unnumbered, ""); !nodes.empty()) {
      return {nodes, {}, PlacedBy::kParts};
    }
  }
  for (absl::string_view given : {name, unnumbered}) {
    const auto found = sanitised_->find(Sanitised(given));
    if (found != sanitised_->end() && found->second.valid()) {
      return {{found->second}, {}, PlacedBy::kParts};
    }
  }
  return {};
}

FoundNodes NodeFinder::Find(const Kernel& kernel) const {
  FoundNodes found;
  for (const std::string& name : kernel.nodes) {
    for (NodeId node : Named(name, "")) found.nodes.push_back(node);
  }
  found.by = PlacedBy::kParts;
  if (!found.empty()) return found;
  found = {Named(kernel.name, kernel.op_type), {}, PlacedBy::kName};
  if (!found.empty()) return found;
  if (const NodeId node = ByValue(kernel.name); node.valid()) {
    return {{node}, {}, PlacedBy::kOutput};
  }
  for (absl::string_view name : NamesBefore(kernel.name)) {
    found = {FindPart(name, kernel.op_type), {}, PlacedBy::kParts};
    if (!found.empty()) return found;
  }
  found = {Inlined(kernel.name, kernel.op_type), {}, PlacedBy::kParts};
  return found.empty() ? FindParts(kernel.name) : found;
}

}  // namespace onnx_hier
