// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/diff.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/api/data_faults.h"
#include "lib/api/model_source.h"
#include "lib/base/status_macros.h"
#include "lib/names/number.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/onnx/stored_tensor_hashes.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/value_types.h"
#include "lib/relate/model_comparison.h"
#include "onnx_hier/model.h"

namespace onnx_hier {
namespace {

struct Port {
  std::string name;
  std::string type;   // "optional float32"
  std::string shape;  // "[batch,128]"
  std::string Text() const { return type + shape; }
};

using Ports = std::vector<Port>;

// What open dimensions are called plays no part.
bool AreAlike(const Port& a, const Port& b) {
  if (a.type != b.type) return false;
  if (a.shape.empty() != b.shape.empty()) return false;
  const std::vector<absl::string_view> dims_a = absl::StrSplit(a.shape, absl::ByAnyChar("[,]"));
  const std::vector<absl::string_view> dims_b = absl::StrSplit(b.shape, absl::ByAnyChar("[,]"));
  return std::equal(dims_a.begin(), dims_a.end(), dims_b.begin(), dims_b.end(),
                    [](absl::string_view one, absl::string_view other) {
                      return one == other || (!IsNumber(one) && !IsNumber(other));
                    });
}

// As the model states them.
Ports PortsOf(const Graph& graph, const ValueTypes& types, absl::Span<const ValueId> values) {
  Ports ports;
  for (ValueId value : values) {
    if (!value.valid()) continue;
    const bool has_default = graph.value(value).kind == ValueKind::kInitializer;
    ports.push_back({std::string(graph.value(value).name),
                     absl::StrCat(has_default ? "optional " : "", TypeText(types.type(value))),
                     ShapeText(types.stated(value))});
  }
  return ports;
}

Ports::const_iterator Called(const Ports& ports, const std::string& name) {
  return std::find_if(ports.begin(), ports.end(),
                      [&](const Port& port) { return port.name == name; });
}

// Of the same name in both, where these changed places: nodes are compared by what stands at a
// place, callers go by names.
std::vector<PortDiff> ChangedPlaces(const Ports& a, const Ports& b) {
  Ports common_a;
  Ports common_b;
  for (const Port& port : a) {
    if (Called(b, port.name) != b.end()) common_a.push_back(port);
  }
  for (const Port& port : b) {
    if (Called(a, port.name) != a.end()) common_b.push_back(port);
  }
  std::vector<PortDiff> diffs;
  for (size_t i = 0; i < std::min(common_a.size(), common_b.size()); ++i) {
    if (common_a[i].name == common_b[i].name) continue;
    const auto text = [&](const Ports& ports) {
      const auto port = Called(ports, common_a[i].name);
      return absl::StrCat("place ", port - ports.begin() + 1, ", ", port->Text());
    };
    diffs.push_back({common_a[i].name, text(a), text(b)});
  }
  return diffs;
}

// By name, else, as of a model whose inputs were renamed, by place.
std::vector<PortDiff> CompareInputs(const Ports& a, const Ports& b) {
  std::vector<PortDiff> diffs = ChangedPlaces(a, b);
  if (!diffs.empty()) return diffs;
  for (size_t i = 0; i < a.size(); ++i) {
    auto other = Called(b, a[i].name);
    const bool is_renamed = other == b.end() && i < b.size() && Called(a, b[i].name) == a.end();
    if (is_renamed) other = b.begin() + static_cast<ptrdiff_t>(i);
    if (other == b.end()) {
      diffs.push_back({a[i].name, a[i].Text(), ""});
    } else if (!AreAlike(a[i], *other)) {
      diffs.push_back({a[i].name, a[i].Text(), other->Text()});
    }
  }
  for (size_t i = 0; i < b.size(); ++i) {
    const bool is_renamed = i < a.size() && Called(b, a[i].name) == b.end();
    if (Called(a, b[i].name) == a.end() && !is_renamed)
      diffs.push_back({b[i].name, "", b[i].Text()});
  }
  return diffs;
}

absl::Status ComparePorts(const ModelSource& a, const ModelSource& b, ModelDiff& diff) {
  const Graph& graph_a = a.scanned.graph;
  const Graph& graph_b = b.scanned.graph;
  OH_ASSIGN_OR_RETURN(const ValueTypes types_a, ValueTypes::Find(a.image, a.scanned));
  OH_ASSIGN_OR_RETURN(const ValueTypes types_b, ValueTypes::Find(b.image, b.scanned));
  diff.inputs = CompareInputs(PortsOf(graph_a, types_a, graph_a.inputs(graph_a.main_block())),
                              PortsOf(graph_b, types_b, graph_b.inputs(graph_b.main_block())));
  diff.outputs = ChangedPlaces(PortsOf(graph_a, types_a, graph_a.outputs(graph_a.main_block())),
                               PortsOf(graph_b, types_b, graph_b.outputs(graph_b.main_block())));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelDiff> Compare(const Model& a, const Hierarchy& modules_a, const Model& b,
                                  const Hierarchy& modules_b, const DiffOptions& options) {
  const ModelSource& source_a = ModelAccess::Source(a);
  const ModelSource& source_b = ModelAccess::Source(b);
  StoredTensorHashes hashes_a = HashesOf(a);
  StoredTensorHashes hashes_b = HashesOf(b);
  StoredTensorValues values_a = ValuesOf(a);
  StoredTensorValues values_b = ValuesOf(b);
  const AttributeMeanings attributes_a(source_a.image, source_a.scanned, hashes_a);
  const AttributeMeanings attributes_b(source_b.image, source_b.scanned, hashes_b);
  OH_ASSIGN_OR_RETURN(ModelDiff diff,
                      CompareModules({modules_a, {hashes_a, values_a}, attributes_a},
                                     {modules_b, {hashes_b, values_b}, attributes_b}, options));
  if (options.structure) OH_RETURN_IF_ERROR(ComparePorts(source_a, source_b, diff));
  OH_RETURN_IF_ERROR(source_a.image.VerifyUnchanged());
  OH_RETURN_IF_ERROR(source_b.image.VerifyUnchanged());
  TellFaults("A", hashes_a, diff.warnings);
  TellFaults("B", hashes_b, diff.warnings);
  return diff;
}

}  // namespace onnx_hier
