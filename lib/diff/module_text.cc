#include "lib/diff/module_text.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/hash.h"
#include "lib/graph/weight.h"
#include "lib/types/value_shape.h"

namespace onnx_hier {
namespace {

// Where an input comes from.
enum SourceKind : uint64_t { kOmitted, kInside, kElsewhere, kParameter, kModelInput, kUnknown };

// A place that a value comes from, as far as it is the same in all modules that are alike.
struct Source {
  SourceKind kind = kOmitted;
  uint64_t place = 0;  // in the module
  GroupId group;       // elsewhere
};

Source SourceOf(const ModuleGroups& groups, GroupId group, ValueId value) {
  if (!value.valid()) return {};
  const Graph& graph = groups.graph();
  switch (graph.value(value).kind) {
    case ValueKind::kInitializer:
      return {kParameter};
    case ValueKind::kInput:
      return {kModelInput};
    case ValueKind::kUndefined:
      return {kUnknown};
    case ValueKind::kNodeOutput:
      break;
  }
  const NodeId maker = graph.value(value).producer;
  if (groups.group_of(maker) != group) return {kElsewhere, 0, groups.group_of(maker)};
  return {kInside, MixHash(groups.position(maker), groups.output_slot(value))};
}

// Of what a node does, whatever it reads.
uint64_t HashOfNode(const Graph& graph, NodeId node) {
  const Op& op = graph.op(node);
  uint64_t hash = MixHash(HashBytes(op.type), HashBytes(op.overload));
  hash = MixHash(hash, graph.node(node).attribute_hash);
  return MixHash(hash, graph.outputs(node).size());
}

// Whether two inputs come from the same. What is outside of a list may stand in for a member of it.
bool ComeFromTheSame(const Side& a, GroupId group_a, ValueId value_a, const Side& b,
                     GroupId group_b, ValueId value_b) {
  const Source of_a = SourceOf(a.groups, group_a, value_a);
  const Source of_b = SourceOf(b.groups, group_b, value_b);
  const auto is_free = [](const Side& side, GroupId reader, const Source& source) {
    return source.kind == kElsewhere && (side.loose.Has(source.group) || side.loose.Has(reader));
  };
  const auto is_outside = [](const Source& source) {
    return source.kind == kElsewhere || source.kind == kModelInput;
  };
  if (is_free(a, group_a, of_a) && is_outside(of_b)) return true;
  if (is_free(b, group_b, of_b) && is_outside(of_a)) return true;
  if (of_a.kind != of_b.kind || of_a.place != of_b.place) return false;
  return of_a.kind != kElsewhere || a.names[of_a.group] == b.names[of_b.group];
}

}  // namespace

KindCounts OperatorsOf(const ModuleGroups& groups, GroupId group) {
  KindCounts counts;
  for (NodeId node : groups.group(group).nodes) {
    const Op& op = groups.graph().op(node);
    ++counts[op.domain.empty() ? std::string(op.type) : absl::StrCat(op.domain, ":", op.type)];
  }
  return counts;
}

KindCounts ParametersOf(const ModuleGroups& groups, GroupId group) {
  KindCounts counts;
  for (ValueId value : groups.group(group).parameters) {
    const TensorId tensor = HeldTensor(groups.graph(), value);
    if (tensor.valid()) ++counts[TensorText(groups.graph(), tensor)];
  }
  return counts;
}

uint64_t WiringHash(const ModuleGroups& groups, GroupId group) {
  const Graph& graph = groups.graph();
  uint64_t hash = 0;
  for (NodeId node : groups.group(group).nodes) {
    hash = MixHash(hash, HashOfNode(graph, node));
    for (ValueId value : graph.inputs(node)) {
      const Source source = SourceOf(groups, group, value);
      // What a list begins with reads the model's inputs, others what is before them.
      const SourceKind kind = source.kind == kModelInput ? kElsewhere : source.kind;
      hash = MixHash(MixHash(hash, kind), source.place);
    }
  }
  return hash;
}

bool AreWiredAlike(const Side& a, GroupId group_a, const Side& b, GroupId group_b) {
  const std::vector<NodeId>& nodes_a = a.groups.group(group_a).nodes;
  const std::vector<NodeId>& nodes_b = b.groups.group(group_b).nodes;
  if (nodes_a.size() != nodes_b.size()) return false;
  const Graph& graph_a = a.groups.graph();
  const Graph& graph_b = b.groups.graph();
  for (size_t i = 0; i < nodes_a.size(); ++i) {
    const absl::Span<const ValueId> inputs_a = graph_a.inputs(nodes_a[i]);
    const absl::Span<const ValueId> inputs_b = graph_b.inputs(nodes_b[i]);
    if (HashOfNode(graph_a, nodes_a[i]) != HashOfNode(graph_b, nodes_b[i])) return false;
    if (inputs_a.size() != inputs_b.size()) return false;
    for (size_t k = 0; k < inputs_a.size(); ++k) {
      if (!ComeFromTheSame(a, group_a, inputs_a[k], b, group_b, inputs_b[k])) return false;
    }
  }
  return true;
}

}  // namespace onnx_hier
