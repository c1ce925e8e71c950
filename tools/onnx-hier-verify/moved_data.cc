// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/moved_data.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {
namespace {

using Visit = absl::FunctionRef<void(const std::string& key, const onnx::TensorProto& tensor)>;

void VisitGraph(const onnx::GraphProto& graph, Visit visit);

void VisitSparse(const std::string& key, const onnx::SparseTensorProto& tensor, Visit visit) {
  visit(absl::StrCat(key, " values"), tensor.values());
  visit(absl::StrCat(key, " indices"), tensor.indices());
}

void VisitAttribute(const std::string& key, const onnx::AttributeProto& attribute, Visit visit) {
  int index = 0;
  visit(key, attribute.t());
  VisitSparse(key, attribute.sparse_tensor(), visit);
  for (const onnx::TensorProto& tensor : attribute.tensors()) {
    visit(absl::StrCat(key, " ", index++), tensor);
  }
  for (const onnx::SparseTensorProto& tensor : attribute.sparse_tensors()) {
    VisitSparse(absl::StrCat(key, " ", index++), tensor, visit);
  }
}

void VisitNodes(const Nodes& nodes, Visit visit) {
  ForEachNode(nodes, [&](const onnx::NodeProto& node) {
    const std::string output = node.output_size() > 0 ? node.output(0) : "";
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      VisitAttribute(absl::StrCat(Quoted(output), ", attribute ", Quoted(attribute.name())),
                     attribute, visit);
      VisitGraph(attribute.g(), visit);
      for (const onnx::GraphProto& graph : attribute.graphs()) VisitGraph(graph, visit);
    }
  });
}

// Its initializers.
void VisitGraph(const onnx::GraphProto& graph, Visit visit) {
  for (const onnx::TensorProto& tensor : graph.initializer()) visit(Quoted(tensor.name()), tensor);
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    VisitSparse(Quoted(tensor.values().name()), tensor, visit);
  }
}

// Of the main graph and the functions, those whose data are in other files.
void VisitExternal(const onnx::ModelProto& model, Visit visit) {
  const auto visit_external = [&](const std::string& key, const onnx::TensorProto& tensor) {
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) visit(key, tensor);
  };
  VisitGraph(model.graph(), visit_external);
  VisitNodes(model.graph().node(), visit_external);
  for (const onnx::FunctionProto& function : model.functions()) {
    VisitNodes(function.node(), visit_external);
  }
}

// Where a tensor says that its data are.
struct DataPlace {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;

  bool operator==(const DataPlace&) const = default;
};

DataPlace PlaceOf(const onnx::TensorProto& tensor) {
  DataPlace place;
  uint64_t number = 0;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (!absl::SimpleAtoi(entry.value(), &number)) continue;
    if (entry.key() == "offset") place.offset = number;
    if (entry.key() == "length") place.length = number;
  }
  return place;
}

// A range of a file below a folder; one elsewhere does not open.
std::ifstream Open(const std::string& model, const DataPlace& place, uint64_t& length) {
  const std::filesystem::path location(place.location);
  const std::filesystem::path path = std::filesystem::path(model).parent_path() / location;
  std::ifstream file;
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  const bool is_outside =
      location.is_absolute() || std::find(location.begin(), location.end(), "..") != location.end();
  if (error || is_outside || place.offset > size) return file;
  length = place.length.value_or(size - place.offset);
  if (length > size - place.offset) return file;
  file.open(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  return file;
}

// Why the data of a tensor of OUT are not those of IN's; "": they are.
std::string DataDifference(const ModelFile& in, const DataPlace& before, const ModelFile& out,
                           const DataPlace& after) {
  uint64_t old_length = 0;
  uint64_t new_length = 0;
  std::ifstream old_file = Open(in.path(), before, old_length);
  std::ifstream new_file = Open(out.path(), after, new_length);
  if (!old_file.is_open()) return absl::StrCat(Quoted(before.location), " of IN cannot be read");
  if (!new_file.is_open()) return absl::StrCat(Quoted(after.location), " cannot be read");
  // Where no length is given, the tensor's is meant, which is that of the other.
  if (!before.length.has_value()) old_length = std::min(old_length, new_length);
  if (!after.length.has_value()) new_length = std::min(old_length, new_length);
  if (old_length != new_length) {
    return absl::StrCat("were ", old_length, " bytes, are ", new_length);
  }
  std::vector<char> a(1 << 20);
  std::vector<char> b(1 << 20);
  for (uint64_t at = 0; at < old_length; at += a.size()) {
    const auto n = static_cast<std::streamsize>(std::min<uint64_t>(a.size(), old_length - at));
    if (!old_file.read(a.data(), n) || !new_file.read(b.data(), n)) return "cannot be read";
    const auto [other, there] = std::mismatch(a.begin(), a.begin() + n, b.begin());
    if (other != a.begin() + n) {
      return absl::StrCat("byte ", at + static_cast<uint64_t>(other - a.begin()),
                          " is not that of IN");
    }
  }
  return "";
}

}  // namespace

MovedData::MovedData(const ModelFile& in, const ModelFile& out) : out_(out.model()) {
  absl::flat_hash_map<std::string, std::vector<const onnx::TensorProto*>> known;
  VisitExternal(in.model(), [&](const std::string& key, const onnx::TensorProto& tensor) {
    known[key].push_back(&tensor);
  });
  if (known.empty()) return;
  settled_ = std::make_unique<onnx::ModelProto>(out.model());
  VisitExternal(*settled_, [&](const std::string& key, const onnx::TensorProto& tensor) {
    const auto found = known.find(key);
    if (found == known.end()) return;
    const DataPlace after = PlaceOf(tensor);
    for (const onnx::TensorProto* before : found->second) {
      if (PlaceOf(*before) == after) return;
    }
    std::string why;
    for (const onnx::TensorProto* before : found->second) {
      why = DataDifference(in, PlaceOf(*before), out, after);
      if (!why.empty()) continue;
      // A tensor of settled_.
      *const_cast<onnx::TensorProto&>(tensor).mutable_external_data() = before->external_data();
      return;
    }
    if (difference_.none()) difference_ = {absl::StrCat("data of ", key), why};
  });
}

}  // namespace onnx_hier::verify
