// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/model_fields.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {
namespace {

constexpr absl::string_view kOurs = "onnx_hier.";

// What of a model's metadata is ours; a key may have several values.
std::map<std::string, std::vector<std::string>> OursOf(const onnx::ModelProto& model) {
  std::map<std::string, std::vector<std::string>> entries;
  for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
    if (IsOurs(entry.key())) entries[entry.key()].push_back(entry.value());
  }
  return entries;
}

}  // namespace

const FieldSet& NodeDocStrings() {
  static const FieldSet& fields = *new FieldSet(FieldsOf<onnx::NodeProto>({"doc_string"}));
  return fields;
}

bool IsOurs(absl::string_view key) { return absl::StartsWith(key, kOurs); }

std::set<std::string> OurMetadata(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const auto before = OursOf(in);
  const auto after = OursOf(out);
  std::set<std::string> keys;
  for (const auto* entries : {&before, &after}) {
    for (const auto& [key, values] : *entries) {
      const auto one = before.find(key);
      const auto other = after.find(key);
      const bool both = one != before.end() && other != after.end();
      if (!both || one->second != other->second) keys.insert(key);
    }
  }
  return keys;
}

Difference OtherMetadata(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  onnx::ModelProto before, after;
  for (const auto& [from, to] : {std::pair{&in, &before}, std::pair{&out, &after}}) {
    for (const onnx::StringStringEntryProto& entry : from->metadata_props()) {
      if (!IsOurs(entry.key())) *to->add_metadata_props() = entry;
    }
  }
  return FirstDifference(before, after);
}

std::map<std::string, int64_t> OpsetsOf(const onnx::ModelProto& model) {
  std::map<std::string, int64_t> versions;
  for (const onnx::OperatorSetIdProto& opset : model.opset_import()) {
    versions[std::string(PlainDomain(opset.domain()))] = opset.version();
  }
  return versions;
}

StatedTypes StatedTypesOf(const onnx::GraphProto& graph) {
  StatedTypes types;
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()}) {
    absl::flat_hash_set<absl::string_view> seen;
    for (const onnx::ValueInfoProto& value : *values) {
      if (value.type().value_case() == onnx::TypeProto::VALUE_NOT_SET) continue;
      if (seen.insert(value.name()).second) types.emplace(value.name(), &value.type());
    }
  }
  return types;
}

bool SameElements(const onnx::TypeProto& a, const onnx::TypeProto& b) {
  if (a.value_case() != b.value_case()) return false;
  switch (a.value_case()) {
    case onnx::TypeProto::kTensorType:
      return a.tensor_type().elem_type() == b.tensor_type().elem_type();
    case onnx::TypeProto::kSparseTensorType:
      return a.sparse_tensor_type().elem_type() == b.sparse_tensor_type().elem_type();
    case onnx::TypeProto::kSequenceType:
      return SameElements(a.sequence_type().elem_type(), b.sequence_type().elem_type());
    case onnx::TypeProto::kOptionalType:
      return SameElements(a.optional_type().elem_type(), b.optional_type().elem_type());
    default:
      return FirstDifference(a, b).none();
  }
}

}  // namespace onnx_hier::verify
