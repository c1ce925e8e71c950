// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/diff.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/names/number.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/stored_tensor_hashes.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/value_types.h"
#include "lib/relate/data_faults.h"
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

// As the model states them, by place and by name.
class Ports {
 public:
  Ports(const Graph& graph, const ValueTypes& types, absl::Span<const ValueId> values) {
    for (ValueId value : values) {
      if (!value.valid()) continue;
      const bool has_default = graph.value(value).kind == ValueKind::kInitializer;
      places_.emplace(graph.value(value).name, list_.size());
      list_.push_back({std::string(graph.value(value).name),
                       absl::StrCat(has_default ? "optional " : "", TypeText(types.type(value))),
                       ShapeText(types.stated(value))});
    }
  }

  size_t size() const { return list_.size(); }
  const Port& operator[](size_t place) const { return list_[place]; }
  bool Has(absl::string_view name) const { return places_.contains(name); }
  size_t PlaceOf(absl::string_view name) const { return places_.at(name); }
  // Those that the others have, too.
  std::vector<const Port*> CommonWith(const Ports& others) const {
    std::vector<const Port*> common;
    for (const Port& port : list_) {
      if (others.Has(port.name)) common.push_back(&port);
    }
    return common;
  }

 private:
  std::vector<Port> list_;
  absl::flat_hash_map<absl::string_view, size_t> places_;  // of equal names, the first one's
};

// Of the same name in both, where these changed places: nodes are compared by what stands at a
// place, callers go by names.
std::vector<PortDiff> ChangedPlaces(const Ports& a, const Ports& b) {
  const std::vector<const Port*> common_a = a.CommonWith(b);
  const std::vector<const Port*> common_b = b.CommonWith(a);
  std::vector<PortDiff> diffs;
  for (size_t i = 0; i < std::min(common_a.size(), common_b.size()); ++i) {
    const std::string& name = common_a[i]->name;
    if (name == common_b[i]->name) continue;
    const auto text = [&](const Ports& ports) {
      const size_t place = ports.PlaceOf(name);
      return absl::StrCat("place ", place + 1, ", ", ports[place].Text());
    };
    diffs.push_back({name, text(a), text(b)});
  }
  return diffs;
}

// By name, else, as of a model whose inputs were renamed, by place.
std::vector<PortDiff> CompareInputs(const Ports& a, const Ports& b) {
  std::vector<PortDiff> diffs = ChangedPlaces(a, b);
  if (!diffs.empty()) return diffs;
  const auto is_renamed = [&](size_t place) {
    return place < a.size() && place < b.size() && !b.Has(a[place].name) && !a.Has(b[place].name);
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (!b.Has(a[i].name) && !is_renamed(i)) {
      diffs.push_back({a[i].name, a[i].Text(), ""});
      continue;
    }
    const Port& other = b[is_renamed(i) ? i : b.PlaceOf(a[i].name)];
    if (!AreAlike(a[i], other)) diffs.push_back({a[i].name, a[i].Text(), other.Text()});
  }
  for (size_t i = 0; i < b.size(); ++i) {
    if (!a.Has(b[i].name) && !is_renamed(i)) diffs.push_back({b[i].name, "", b[i].Text()});
  }
  return diffs;
}

absl::Status ComparePorts(const ModelSource& a, const ModelSource& b, ModelDiff& diff) {
  const Graph& graph_a = a.scanned.graph;
  const Graph& graph_b = b.scanned.graph;
  OH_ASSIGN_OR_RETURN(const ValueTypes types_a, ValueTypes::Find(a.image, a.scanned));
  OH_ASSIGN_OR_RETURN(const ValueTypes types_b, ValueTypes::Find(b.image, b.scanned));
  diff.inputs = CompareInputs({graph_a, types_a, graph_a.inputs(graph_a.main_block())},
                              {graph_b, types_b, graph_b.inputs(graph_b.main_block())});
  diff.outputs = ChangedPlaces({graph_a, types_a, graph_a.outputs(graph_a.main_block())},
                               {graph_b, types_b, graph_b.outputs(graph_b.main_block())});
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
  TellFaults("A", hashes_a.faults(), diff.warnings);
  TellFaults("B", hashes_b.faults(), diff.warnings);
  return diff;
}

}  // namespace onnx_hier
