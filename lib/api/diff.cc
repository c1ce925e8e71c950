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
#include "lib/onnx/stored_tensor_hashes.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/value_types.h"
#include "lib/relate/model_comparison.h"
#include "onnx_hier/model.h"

namespace onnx_hier {
namespace {

struct Input {
  std::string name;
  std::string type;   // "optional float32"
  std::string shape;  // "[batch,128]"
  std::string Text() const { return type + shape; }
};

// What open dimensions are called plays no part.
bool AreAlike(const Input& a, const Input& b) {
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
absl::StatusOr<std::vector<Input>> InputsOf(const ModelSource& source) {
  const Graph& graph = source.scanned.graph;
  OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  std::vector<Input> inputs;
  for (ValueId value : graph.inputs(graph.main_block())) {
    if (!value.valid()) continue;
    const bool has_default = graph.value(value).kind == ValueKind::kInitializer;
    inputs.push_back({std::string(graph.value(value).name),
                      absl::StrCat(has_default ? "optional " : "", TypeText(types.type(value))),
                      ShapeText(types.stated(value))});
  }
  return inputs;
}

// By name, else, as of a model whose inputs were renamed, by place.
std::vector<InputDiff> CompareInputs(const std::vector<Input>& a, const std::vector<Input>& b) {
  const auto called = [](const std::vector<Input>& inputs, const std::string& name) {
    return std::find_if(inputs.begin(), inputs.end(),
                        [&](const Input& input) { return input.name == name; });
  };
  std::vector<InputDiff> diffs;
  for (size_t i = 0; i < a.size(); ++i) {
    auto other = called(b, a[i].name);
    const bool is_renamed = other == b.end() && i < b.size() && called(a, b[i].name) == a.end();
    if (is_renamed) other = b.begin() + static_cast<ptrdiff_t>(i);
    if (other == b.end()) {
      diffs.push_back({a[i].name, a[i].Text(), ""});
    } else if (!AreAlike(a[i], *other)) {
      diffs.push_back({a[i].name, a[i].Text(), other->Text()});
    }
  }
  for (size_t i = 0; i < b.size(); ++i) {
    const bool is_renamed = i < a.size() && called(b, a[i].name) == b.end();
    if (called(a, b[i].name) == a.end() && !is_renamed)
      diffs.push_back({b[i].name, "", b[i].Text()});
  }
  return diffs;
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
  OH_ASSIGN_OR_RETURN(ModelDiff diff, CompareModules(modules_a, {hashes_a, values_a}, modules_b,
                                                     {hashes_b, values_b}, options));
  if (options.structure) {
    OH_ASSIGN_OR_RETURN(const std::vector<Input> inputs_a, InputsOf(source_a));
    OH_ASSIGN_OR_RETURN(const std::vector<Input> inputs_b, InputsOf(source_b));
    diff.inputs = CompareInputs(inputs_a, inputs_b);
  }
  OH_RETURN_IF_ERROR(source_a.image.VerifyUnchanged());
  OH_RETURN_IF_ERROR(source_b.image.VerifyUnchanged());
  TellFaults("A", hashes_a, diff.warnings);
  TellFaults("B", hashes_b, diff.warnings);
  return diff;
}

}  // namespace onnx_hier
