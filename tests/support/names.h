// SPDX-License-Identifier: Apache-2.0

// Nodes and values as their names.
#ifndef ONNX_HIER_TESTS_SUPPORT_NAMES_H_
#define ONNX_HIER_TESTS_SUPPORT_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "lib/parts/units.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::testing {

// "a b"; "-" for an output that was left out.
inline std::string Names(const Graph& graph, absl::Span<const ValueId> values) {
  return absl::StrJoin(values, " ", [&](std::string* text, ValueId value) {
    absl::StrAppend(text, value.valid() ? graph.value(value).name : "-");
  });
}
inline std::string Names(const Graph& graph, absl::Span<const NodeId> nodes) {
  return absl::StrJoin(nodes, " ", [&](std::string* text, NodeId node) {
    absl::StrAppend(text, graph.node(node).name);
  });
}
inline std::string Names(const Units& units, absl::Span<const Unit> list) {
  std::vector<NodeId> nodes;
  for (Unit unit : list) nodes.push_back(units.node(unit));
  return Names(units.graph(), nodes);
}

inline NodeId NodeNamed(const Graph& graph, absl::string_view name) {
  for (NodeId id : graph.node_ids()) {
    if (graph.node(id).name == name) return id;
  }
  return NodeId();
}

// Those whose names are in the list, in order.
inline std::vector<Unit> UnitsNamed(const Units& units, const std::vector<std::string>& names) {
  std::vector<Unit> list;
  for (Unit unit : units.ids()) {
    for (const std::string& name : names) {
      if (units.graph().node(units.node(unit)).name == name) list.push_back(unit);
    }
  }
  return list;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_NAMES_H_
