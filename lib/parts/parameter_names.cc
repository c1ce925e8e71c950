// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/parameter_names.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

// By the operators' definitions: "" of inputs that are no parameters, or of other operators.
absl::string_view RoleOf(absl::string_view op, size_t slot) {
  const bool has_bias = op == "Gemm" || op == "Conv" || op == "ConvTranspose";
  if (slot == 1 && (has_bias || op == "MatMul")) return "weight";
  return slot == 2 && has_bias ? "bias" : "";
}

// "encoder.layer.0.attention.query.weight" for what is named after nothing; "" if it plays no role
// that has a name.
std::string NameByReader(ValueId value, const Units& units, const Hierarchy& hierarchy) {
  const Graph& graph = units.graph();
  const absl::Span<const Unit> readers = units.readers(value);
  if (readers.empty()) return "";
  const NodeId reader = units.node(readers.front());
  const absl::Span<const ValueId> inputs = graph.inputs(reader);
  const auto slot = std::find(inputs.begin(), inputs.end(), value) - inputs.begin();
  const absl::string_view role = RoleOf(graph.op(reader).type, static_cast<size_t>(slot));
  if (role.empty()) return "";
  const PathId path = hierarchy.modules().module(hierarchy.ModuleOf(reader)).path;
  return absl::StrCat(hierarchy.annotation().paths.QualifiedName(path), ".", role);
}

}  // namespace

std::string ParameterNameIn(absl::string_view module, ValueId value, const Units& units,
                            const Hierarchy& hierarchy) {
  if (!units.tensor(value).valid() || module.empty()) return "";
  std::string name(units.graph().value(value).name);
  if (OwnerInParameterName(name).empty()) name = NameByReader(value, units, hierarchy);
  const std::string prefix = absl::StrCat(module, ".");
  return absl::StartsWith(name, prefix) ? name.substr(prefix.size()) : "";
}

}  // namespace onnx_hier
