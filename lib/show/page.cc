// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cost/known_shapes.h"
#include "lib/files/file_place.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/onnx/attribute_meanings.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/show/page_data.h"
#include "lib/show/page_text.h"
#include "onnx_hier/model.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {
namespace {

// The page says how large tensors are, not what they hold.
class NoHashes : public TensorHashes {
 public:
  absl::StatusOr<uint64_t> Sample(TensorId) override { return 0; }
  absl::StatusOr<uint64_t> Whole(TensorId) override { return 0; }
};

absl::StatusOr<IdVector<NodeId, std::string>> AttributeTexts(const ModelSource& source) {
  NoHashes hashes;
  const AttributeMeanings meanings(source.image, source.scanned, hashes);
  const Graph& graph = source.scanned.graph;
  std::vector<NodeId> nodes;
  for (NodeId node : graph.node_ids()) nodes.push_back(node);
  OH_ASSIGN_OR_RETURN(const std::vector<AttributeMeaning> told, meanings.Tell(nodes));
  IdVector<NodeId, std::string> texts(graph.node_count());
  for (const AttributeMeaning& attribute : told) {
    std::string& text = texts[attribute.node];
    absl::StrAppend(&text, text.empty() ? "" : ", ", attribute.name,
                    attribute.text.empty() ? "" : ": ", attribute.text);
  }
  return texts;
}

}  // namespace

absl::Status WritePage(const Model& model, const PageReport& report, ByteSink& sink) {
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  OH_ASSIGN_OR_RETURN(const KnownShapes shapes, KnownShapes::Find(model, types));
  OH_ASSIGN_OR_RETURN(const auto attributes, AttributeTexts(source));
  const PageData data(report, {report.file.empty() ? FileNameOf(model.path()) : report.file,
                               model.file_size(), types, shapes, attributes});
  OH_RETURN_IF_ERROR(sink.Append(kPageBeforeData));
  OH_RETURN_IF_ERROR(data.Write(sink));
  for (absl::string_view piece : kPageBehindData) OH_RETURN_IF_ERROR(sink.Append(piece));
  return absl::OkStatus();
}

}  // namespace onnx_hier
