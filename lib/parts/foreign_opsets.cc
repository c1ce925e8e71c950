// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/foreign_opsets.h"

#include "absl/strings/string_view.h"
#include "lib/graph/domain.h"

namespace onnx_hier {

ForeignOpsets FindForeignOpsets(const Units& units) {
  const Graph& graph = units.graph();
  absl::flat_hash_map<absl::string_view, int64_t> known;
  int64_t standard = 1;
  for (const OpsetImport& opset : graph.info().opset_imports) {
    known.emplace(opset.domain, opset.version);
    if (StandardDomain(opset.domain).empty()) standard = opset.version;
  }
  ForeignOpsets foreign;
  for (NodeId node : graph.node_ids()) {
    const absl::string_view domain = graph.op(node).domain;
    const Unit unit = units.unit(node);
    if (!unit.valid() || known.contains(domain)) continue;
    foreign[unit].push_back({domain, domain.empty() ? standard : 1});
  }
  return foreign;
}

}  // namespace onnx_hier
