// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/node_look.h"

#include "absl/strings/match.h"
#include "lib/base/hash.h"
#include "lib/graph/parameter_parts.h"

namespace onnx_hier {
namespace {

// A weight whose name was lost still counts as a weight.
constexpr absl::string_view kNamelessWeight = "?";

absl::string_view LeafOrNameless(absl::string_view name) {
  const bool named = absl::StrContains(name, '.') && !absl::StrContains(name, '/') &&
                     !absl::StrContains(name, "::");
  return named ? LeafOfParameterName(name) : kNamelessWeight;
}

}  // namespace

uint64_t LookOf(const Graph& graph, NodeId node) {
  uint64_t look = MixHash(LookOfOperator(graph, node), graph.outputs(node).size());
  uint32_t slot = 0;
  for (ValueId value : graph.inputs(node)) {
    if (value.valid() && graph.value(value).kind == ValueKind::kInitializer) {
      look = MixHash(look, HashBytes(LeafOrNameless(graph.value(value).name), slot));
    }
    ++slot;
  }
  return look;
}

}  // namespace onnx_hier
