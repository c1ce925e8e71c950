#include "lib/diff/module_text.h"

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/graph/weight.h"
#include "lib/types/value_shape.h"

namespace onnx_hier {
namespace {

// Where an input comes from.
enum Source : uint64_t { kOmitted, kInside, kElsewhere, kParameter, kModelInput, kUnknown };

uint64_t HashOfSource(const ModuleGroups& groups, GroupId group, ValueId value,
                      const IdVector<GroupId, uint64_t>& names) {
  if (!value.valid()) return kOmitted;
  const Graph& graph = groups.graph();
  switch (graph.value(value).kind) {
    case ValueKind::kInitializer:
      return kParameter;
    case ValueKind::kInput:
      return kModelInput;
    case ValueKind::kUndefined:
      return kUnknown;
    case ValueKind::kNodeOutput:
      break;
  }
  const NodeId maker = graph.value(value).producer;
  if (groups.group_of(maker) != group) return MixHash(kElsewhere, names[groups.group_of(maker)]);
  return MixHash(MixHash(kInside, groups.position(maker)), groups.output_slot(value));
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

uint64_t WiringOf(const ModuleGroups& groups, GroupId group,
                  const IdVector<GroupId, uint64_t>& names) {
  const Graph& graph = groups.graph();
  uint64_t hash = 0;
  for (NodeId node : groups.group(group).nodes) {
    const Op& op = graph.op(node);
    hash = MixHash(hash, HashBytes(op.type));
    hash = MixHash(hash, HashBytes(op.overload));
    hash = MixHash(hash, graph.node(node).attribute_hash);
    hash = MixHash(hash, graph.outputs(node).size());
    for (ValueId value : graph.inputs(node)) {
      hash = MixHash(hash, HashOfSource(groups, group, value, names));
    }
  }
  return hash;
}

}  // namespace onnx_hier
