// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// By its id: in the main graph, the index.
NodeId NodeWithId(const Graph& graph, absl::string_view word) {
  const absl::Span<const NodeId> nodes = graph.nodes(graph.main_block());
  uint32_t index = 0;
  if (absl::SimpleAtoi(word, &index)) {
    const bool is_one = index < nodes.size() && graph.NodePath(nodes[index]) == word;
    return is_one ? nodes[index] : NodeId();
  }
  if (!absl::StrContains(word, '/')) return NodeId();
  for (NodeId id : graph.node_ids()) {
    if (graph.node(id).block != graph.main_block() && graph.NodePath(id) == word) return id;
  }
  return NodeId();
}

// Values by their names: those of the main graph, else of the first one inside it.
class ValueNames {
 public:
  explicit ValueNames(const Graph& graph) {
    for (ValueId id : graph.value_ids()) {
      const Value& value = graph.value(id);
      if (value.name.empty() || value.kind == ValueKind::kUndefined) continue;
      const auto [place, is_new] = values_.try_emplace(value.name, id);
      const bool is_outer = value.block == graph.main_block() &&
                            graph.value(place->second).block != graph.main_block();
      if (!is_new && is_outer) place->second = id;
    }
  }

  ValueId Find(absl::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? ValueId() : found->second;
  }

 private:
  absl::flat_hash_map<absl::string_view, ValueId> values_;
};

// Each once, in order.
template <class Ids>
void DropRepeated(Ids& ids) {
  absl::flat_hash_set<typename Ids::value_type> seen;
  ids.erase(
      std::remove_if(ids.begin(), ids.end(), [&](auto id) { return !seen.insert(id).second; }),
      ids.end());
}

absl::StatusOr<std::vector<ValueId>> FindValues(const Hierarchy& hierarchy, const ValueNames& names,
                                                absl::Span<const std::string> words) {
  std::vector<ValueId> values;
  for (const std::string& word : words) {
    if (const ValueId value = names.Find(word); value.valid()) {
      values.push_back(value);
      continue;
    }
    // A list, unless a value is called so.
    for (absl::string_view name : absl::StrSplit(word, ',')) {
      const ValueId value = names.Find(name);
      if (!value.valid()) {
        const bool is_node = !name.empty() && !hierarchy.NodesNamed(name).empty();
        return absl::NotFoundError(absl::StrCat("there is no value ", QuotedName(name),
                                                is_node ? ", which is the name of a node" : ""));
      }
      values.push_back(value);
    }
  }
  DropRepeated(values);
  return values;
}

}  // namespace

absl::StatusOr<Places> FindPlaces(const Hierarchy& hierarchy, absl::Span<const std::string> words) {
  const Graph& graph = hierarchy.graph();
  Places places;
  std::vector<std::string> patterns;
  std::optional<ValueNames> names;  // where no node is meant
  for (const std::string& word : words) {
    const absl::StatusOr<std::vector<ModuleId>> modules = hierarchy.Match(word);
    if (!modules.ok() || !modules->empty() || word.empty()) {
      patterns.push_back(word);
      continue;
    }
    std::vector<NodeId> nodes;
    if (const NodeId node = NodeWithId(graph, word); node.valid()) nodes.push_back(node);
    if (nodes.empty()) nodes = hierarchy.NodesNamed(word);
    places.nodes.insert(places.nodes.end(), nodes.begin(), nodes.end());
    if (!nodes.empty()) continue;
    if (!names) names.emplace(graph);
    const ValueId value = names->Find(word);
    if (value.valid()) {
      places.values.push_back(value);
    } else {
      patterns.push_back(word);  // the error says what is like it
    }
  }
  DropRepeated(places.nodes);
  DropRepeated(places.values);
  OH_ASSIGN_OR_RETURN(places.modules, FindModules(hierarchy, patterns));
  return places;
}

absl::StatusOr<PartRequest> PartMeant(const Hierarchy& hierarchy, Reach reach,
                                      absl::Span<const std::string> words) {
  const Graph& graph = hierarchy.graph();
  OH_ASSIGN_OR_RETURN(Places places, FindPlaces(hierarchy, words));
  PartRequest request;
  request.reach = reach;
  request.modules = WithoutInner(hierarchy, places.modules);
  request.nodes = std::move(places.nodes);
  if (places.values.empty()) return request;
  if (reach == Reach::kModules) {
    for (ValueId value : places.values) {
      const NodeId maker = graph.value(value).producer;
      if (!maker.valid()) {
        return absl::InvalidArgumentError(
            absl::StrCat("no node makes ", QuotedName(graph.value(value).name),
                         ", but what needs it can be taken ('from', or 'inputs')"));
      }
      request.nodes.push_back(maker);
    }
    return request;
  }
  if (!request.modules.empty() || !request.nodes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedName(graph.value(places.values[0]).name),
                     " is a value, which does not go with modules and nodes here"));
  }
  (reach == Reach::kUpTo ? request.outputs : request.inputs) = std::move(places.values);
  return request;
}

absl::StatusOr<PartRequest> PartBetween(const Hierarchy& hierarchy,
                                        absl::Span<const std::string> inputs,
                                        absl::Span<const std::string> outputs) {
  const ValueNames names(hierarchy.graph());
  PartRequest request;
  request.reach = Reach::kValues;
  OH_ASSIGN_OR_RETURN(request.inputs, FindValues(hierarchy, names, inputs));
  OH_ASSIGN_OR_RETURN(request.outputs, FindValues(hierarchy, names, outputs));
  return request;
}

}  // namespace onnx_hier
