// SPDX-License-Identifier: Apache-2.0

// What can be measured of a model without another file: a row for each measure.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "onnx_hier/measures.h"

namespace onnx_hier {
namespace {

// Below it nodes are told of as unsure.
constexpr float kUnsure = 0.5f;

void CountNodes(const Hierarchy& hierarchy, Column& column) {
  for (ModuleId id : hierarchy.modules().ids()) {
    const Module& module = hierarchy.modules().module(id);
    column.Set(id, {Amount(module.nodes), Amount(module.total_nodes), module.nodes,
                    module.total_nodes, 0});
  }
}

void CountParameters(const Hierarchy& hierarchy, Column& column) {
  for (ModuleId id : hierarchy.modules().ids()) {
    const Module& module = hierarchy.modules().module(id);
    column.Set(id, {Amount(module.parameters), Amount(module.total_parameters), 1, 1, 0});
  }
}

// What is a module's own is what those inside it do not have.
void CountBytes(const Hierarchy& hierarchy, Column& column) {
  const ModuleTree& modules = hierarchy.modules();
  IdVector<ModuleId, uint64_t> own(modules.size(), 0);
  for (ModuleId id : modules.ids()) {
    const Module& module = modules.module(id);
    own[id] = module.total_parameter_bytes;
    if (module.parent.valid()) {
      own[module.parent] -= std::min(own[module.parent], module.total_parameter_bytes);
    }
  }
  for (ModuleId id : modules.ids()) {
    column.Set(id, {Amount(own[id]), Amount(modules.module(id).total_parameter_bytes), 1, 1, 0});
  }
}

// Nodes that are of no module are of another graph, which is not asked about.
template <class Visit>
void ForEachNode(const Hierarchy& hierarchy, const Visit& visit) {
  for (NodeId node : hierarchy.graph().node_ids()) {
    if (const ModuleId module = hierarchy.ModuleOf(node); module.valid()) visit(module, node);
  }
}

template <class WordOf>
void CountWords(const Hierarchy& hierarchy, Column& column, const WordOf& word_of) {
  ForEachNode(hierarchy, [&](ModuleId module, NodeId node) {
    column.AddPart(module, Amount(uint64_t{1}), word_of(node));
  });
  column.AddUp(hierarchy.modules());
}

void CountOperators(const Hierarchy& hierarchy, Column& column) {
  const Graph& graph = hierarchy.graph();
  CountWords(hierarchy, column, [&](NodeId node) { return graph.op(node).type; });
}

void CountMethods(const Hierarchy& hierarchy, Column& column) {
  const Assignments& assignments = hierarchy.annotation().assignments;
  CountWords(hierarchy, column, [&](NodeId node) { return MethodName(assignments[node].method); });
}

void TakeConfidence(const Hierarchy& hierarchy, Column& column) {
  const Assignments& assignments = hierarchy.annotation().assignments;
  ForEachNode(hierarchy, [&](ModuleId module, NodeId node) {
    const Amount confidence(double{assignments[node].confidence});
    column.Add(module, confidence);
    column.SetNode(node, confidence);
  });
  column.AddUp(hierarchy.modules());
}

void CountUnsure(const Hierarchy& hierarchy, Column& column) {
  const Assignments& assignments = hierarchy.annotation().assignments;
  ForEachNode(hierarchy, [&](ModuleId module, NodeId node) {
    const bool is_unsure = assignments[node].confidence < kUnsure;
    column.Add(module, Amount(uint64_t{is_unsure}));
  });
  column.AddUp(hierarchy.modules());
}

struct Source {
  absl::string_view id;
  absl::string_view title;
  MeasureUnit unit;
  Adds adds;
  bool is_structural;
  void (*fill)(const Hierarchy& hierarchy, Column& column);

  Measure measure() const {
    return {std::string(id), std::string(title), unit, adds, is_structural};
  }
};

constexpr Source kSources[] = {
    {"nodes", "nodes", MeasureUnit::kCount, Adds::kSum, true, CountNodes},
    {"parameters", "parameters", MeasureUnit::kCount, Adds::kSum, true, CountParameters},
    {"bytes", "size", MeasureUnit::kBytes, Adds::kSum, true, CountBytes},
    {"operators", "operators", MeasureUnit::kWords, Adds::kSum, true, CountOperators},
    {"methods", "known by", MeasureUnit::kWords, Adds::kSum, false, CountMethods},
    {"confidence", "confidence", MeasureUnit::kRatio, Adds::kMean, false, TakeConfidence},
    {"unsure", "unsure", MeasureUnit::kCount, Adds::kSum, false, CountUnsure},
};

}  // namespace

std::vector<Measure> KnownMeasures() {
  std::vector<Measure> measures;
  for (const Source& source : kSources) measures.push_back(source.measure());
  return measures;
}

bool IsKnownMeasure(absl::string_view id) {
  return absl::c_any_of(kSources, [id](const Source& each) { return each.id == id; });
}

absl::StatusOr<Column> MeasureModules(const Hierarchy& hierarchy, absl::string_view id) {
  const auto* const source =
      absl::c_find_if(kSources, [id](const Source& each) { return each.id == id; });
  if (source == std::end(kSources)) {
    const auto append_id = [](std::string* out, const Source& each) {
      absl::StrAppend(out, each.id);
    };
    return absl::InvalidArgumentError(absl::StrCat("there is no column '", id, "'; there are ",
                                                   absl::StrJoin(kSources, ", ", append_id)));
  }
  Column column(source->measure(), hierarchy.modules());
  source->fill(hierarchy, column);
  return column;
}

absl::StatusOr<const Column*> ColumnSet::Find(absl::string_view id) {
  for (const Column* column : given_) {
    if (column->measure().id == id) return column;
  }
  for (const Column& column : measured_) {
    if (column.measure().id == id) return &column;
  }
  absl::StatusOr<Column> column = MeasureModules(hierarchy_, id);
  if (column.ok()) return &measured_.emplace_back(*std::move(column));
  std::string message(column.status().message());
  for (const Column* given : given_) absl::StrAppend(&message, ", ", given->measure().id);
  return absl::InvalidArgumentError(message);
}

absl::StatusOr<std::vector<const Column*>> ColumnSet::FindAll(absl::Span<const std::string> ids) {
  std::vector<const Column*> columns;
  for (const std::string& id : ids) {
    OH_ASSIGN_OR_RETURN(const Column* const column, Find(id));
    columns.push_back(column);
  }
  return columns;
}

std::vector<std::string> UsualColumns() { return {"nodes", "parameters", "bytes"}; }

}  // namespace onnx_hier
