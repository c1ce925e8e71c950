// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/graph/flow.h"
#include "lib/graph/inner_blocks.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {
namespace {

class ModuleSelector {
 public:
  ModuleSelector(const Hierarchy& hierarchy, bool own)
      : hierarchy_(hierarchy), own_(own), chosen_(hierarchy.modules().size()) {}

  // Also what is inside of the modules, unless only their own nodes are wanted.
  void Set(absl::Span<const ModuleId> modules, bool chosen) {
    for (ModuleId module : modules) {
      const ModuleId end =
          own_ ? ModuleId(module.index() + 1) : hierarchy_.modules().subtree_end(module);
      for (ModuleId id = module; id != end; id = ModuleId(id.index() + 1)) {
        if (chosen) {
          chosen_.Add(id);
        } else {
          chosen_.Remove(id);
        }
      }
    }
  }
  bool Has(ModuleId module) const { return chosen_.Has(module); }

 private:
  const Hierarchy& hierarchy_;
  const bool own_;
  IdSet<ModuleId> chosen_;
};

// `inside`: graphs that nodes are to be in; of no size: all.
bool IsChosen(const Hierarchy& hierarchy, NodeId node, const SelectOptions& options,
              const IdSet<BlockId>& inside) {
  const Graph& graph = hierarchy.graph();
  if (options.below.has_value() &&
      hierarchy.annotation().assignments[node].confidence >= *options.below) {
    return false;
  }
  if (inside.size() > 0 && !inside.Has(graph.node(node).block)) return false;
  return options.op_types.empty() || std::find(options.op_types.begin(), options.op_types.end(),
                                               graph.op(node).type) != options.op_types.end();
}

}  // namespace

absl::StatusOr<Selection> Select(const Hierarchy& hierarchy, const SelectOptions& options) {
  Selection selection;
  std::vector<ModuleId> taken_away;
  bool adds = false;
  for (const std::string& pattern : options.patterns) {
    absl::string_view text = pattern;
    const bool takes_away = absl::ConsumePrefix(&text, "!");
    OH_ASSIGN_OR_RETURN(const std::vector<ModuleId> modules, hierarchy.Match(text));
    if (modules.empty()) selection.unmet.push_back(pattern);
    std::vector<ModuleId>& list = takes_away ? taken_away : selection.modules;
    list.insert(list.end(), modules.begin(), modules.end());
    adds = adds || !takes_away;
  }
  ModuleSelector selector(hierarchy, options.own);
  if (!adds) selection.modules = {hierarchy.modules().root()};
  std::sort(selection.modules.begin(), selection.modules.end());
  selection.modules.erase(std::unique(selection.modules.begin(), selection.modules.end()),
                          selection.modules.end());
  selector.Set(selection.modules, true);
  selector.Set(taken_away, false);
  IdSet<BlockId> inside;
  if (options.graph.valid()) inside = WithInnerBlocks(hierarchy.graph(), options.graph);
  for (NodeId node : hierarchy.graph().node_ids()) {
    const std::vector<ModuleId> further = hierarchy.ModulesInFurtherCalls(node);
    const bool is_meant = selector.Has(hierarchy.ModuleOf(node)) ||
                          std::any_of(further.begin(), further.end(), [&selector](ModuleId module) {
                            return selector.Has(module);
                          });
    if (is_meant && IsChosen(hierarchy, node, options, inside)) {
      selection.nodes.push_back(node);
    }
  }
  return selection;
}

SelectedValues ValuesOf(const Graph& graph, absl::Span<const NodeId> nodes) {
  IdSet<NodeId> chosen(graph.node_count());
  for (NodeId node : nodes) chosen.Add(node);
  IdSet<ValueId> given_out(graph.value_count());
  for (BlockId block : graph.block_ids()) {
    for (ValueId value : graph.outputs(block)) {
      if (value.valid()) given_out.Add(value);
    }
  }
  const Flow flow(graph);
  IdSet<ValueId> seen(graph.value_count());
  SelectedValues values;
  const auto is_input = [&](ValueId id) {
    const Value& value = graph.value(id);
    if (value.kind == ValueKind::kInitializer) return false;
    return !value.producer.valid() ||
           (!chosen.Has(value.producer) && !flow.is_constant(flow.rank(value.producer)));
  };
  const auto is_read_outside = [&](ValueId id) {
    const absl::Span<const Use> uses = graph.uses(id);
    return given_out.Has(id) || std::any_of(uses.begin(), uses.end(),
                                            [&](const Use& use) { return !chosen.Has(use.node); });
  };
  for (NodeId node : nodes) {
    for (ValueId value : graph.inputs(node)) {
      if (!value.valid() || seen.Has(value) || !is_input(value)) continue;
      seen.Add(value);
      values.inputs.push_back(value);
    }
    for (ValueId value : graph.outputs(node)) {
      if (!value.valid()) continue;
      values.all.push_back(value);
      if (is_read_outside(value)) values.outputs.push_back(value);
    }
  }
  return values;
}

}  // namespace onnx_hier
