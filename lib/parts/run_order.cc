// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/run_order.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

absl::Status CheckRunOrder(const Units& units) {
  const Graph& graph = units.graph();
  absl::flat_hash_set<absl::string_view> made;
  made.reserve(units.size());
  for (Unit unit : units.ids()) {
    for (ValueId value : units.makes(unit)) {
      if (!value.valid() || made.insert(graph.value(value).name).second) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          "the value ", QuotedName(graph.value(value).name), " is made twice, by node ",
          graph.NodePath(units.node(unit)), " again: no valid model"));
    }
    for (ValueId value : units.reads(unit)) {
      const Unit maker = units.maker(value);
      if (!maker.valid() || maker < unit) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("node ", graph.NodePath(units.node(unit)),
                       " needs what only it makes, directly or not: no valid model"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
