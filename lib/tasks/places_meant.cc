// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

std::string Quoted(absl::string_view name) {
  return absl::StrCat("'", SafeForTerminal(name, kLongestShownName), "'");
}

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

// Of the main graph, else of the first one inside it.
ValueId ValueNamed(const Graph& graph, absl::string_view name) {
  ValueId found;
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.name != name || value.kind == ValueKind::kUndefined) continue;
    if (value.block == graph.main_block()) return id;
    if (!found.valid()) found = id;
  }
  return found;
}

absl::StatusOr<std::vector<ValueId>> FindValues(const Hierarchy& hierarchy,
                                                absl::Span<const std::string> words) {
  const Graph& graph = hierarchy.graph();
  std::vector<ValueId> values;
  const auto add = [&values](ValueId value) {
    if (!absl::c_linear_search(values, value)) values.push_back(value);
  };
  for (const std::string& word : words) {
    if (const ValueId value = ValueNamed(graph, word); value.valid()) {
      add(value);
      continue;
    }
    // A list, unless a value is called so.
    for (absl::string_view name : absl::StrSplit(word, ',')) {
      const ValueId value = name.empty() ? ValueId() : ValueNamed(graph, name);
      if (!value.valid()) {
        const bool is_node = !name.empty() && !hierarchy.NodesNamed(name).empty();
        return absl::NotFoundError(absl::StrCat("there is no value ", Quoted(name),
                                                is_node ? ", which is the name of a node" : ""));
      }
      add(value);
    }
  }
  return values;
}

}  // namespace

absl::StatusOr<Places> FindPlaces(const Hierarchy& hierarchy, absl::Span<const std::string> words) {
  const Graph& graph = hierarchy.graph();
  Places places;
  std::vector<std::string> patterns;
  for (const std::string& word : words) {
    const absl::StatusOr<std::vector<ModuleId>> modules = hierarchy.Match(word);
    if (!modules.ok() || !modules->empty() || word.empty()) {
      patterns.push_back(word);
      continue;
    }
    std::vector<NodeId> nodes;
    if (const NodeId node = NodeWithId(graph, word); node.valid()) nodes.push_back(node);
    if (nodes.empty()) nodes = hierarchy.NodesNamed(word);
    const ValueId value = nodes.empty() ? ValueNamed(graph, word) : ValueId();
    if (nodes.empty() && !value.valid())
      patterns.push_back(word);  // the error says what is like it
    absl::c_copy_if(nodes, std::back_inserter(places.nodes),
                    [&](NodeId node) { return !absl::c_linear_search(places.nodes, node); });
    if (value.valid() && !absl::c_linear_search(places.values, value)) {
      places.values.push_back(value);
    }
  }
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
            absl::StrCat("no node makes ", Quoted(graph.value(value).name),
                         ", but what needs it can be taken ('from', or 'inputs')"));
      }
      request.nodes.push_back(maker);
    }
    return request;
  }
  if (!request.modules.empty() || !request.nodes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(graph.value(places.values[0]).name),
                     " is a value, which does not go with modules and nodes here"));
  }
  (reach == Reach::kUpTo ? request.outputs : request.inputs) = std::move(places.values);
  return request;
}

absl::StatusOr<PartRequest> PartBetween(const Hierarchy& hierarchy,
                                        absl::Span<const std::string> inputs,
                                        absl::Span<const std::string> outputs) {
  PartRequest request;
  request.reach = Reach::kValues;
  OH_ASSIGN_OR_RETURN(request.inputs, FindValues(hierarchy, inputs));
  OH_ASSIGN_OR_RETURN(request.outputs, FindValues(hierarchy, outputs));
  return request;
}

}  // namespace onnx_hier
