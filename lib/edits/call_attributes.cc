#include "lib/edits/call_attributes.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

using Values = absl::flat_hash_map<absl::string_view, absl::string_view>;  // by name: protos

// What the attributes of a function are in one of its calls. `outer`: what those are that the call
// itself refers to. Texts lie in `names` and `contents`, which are fresh: either is read forwards.
absl::StatusOr<Values> ValuesIn(FileImage& names, FileImage& contents, const ScannedModel& model,
                                const ModelLayout& layout, NodeId call, BlockId function,
                                const Values& outer) {
  Values values;
  OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                      ReadAttributes(names, model, {&call, 1}));
  for (const NodeAttribute& attribute : attributes) {
    if (attribute.reference.empty()) {
      OH_RETURN_IF_ERROR(contents.Require(attribute.begin, attribute.end));
      values[attribute.name] = contents.Text(attribute.begin, attribute.end);
    } else if (const auto found = outer.find(attribute.reference); found != outer.end()) {
      values[attribute.name] = found->second;
    }
  }
  for (const FieldSpan& field : layout.fields(function)) {
    if (field.Is(schema::function::kAttributeProto)) {
      values.try_emplace(layout.KeyOf(field), layout.ContentsOf(field));
    }
  }
  return values;
}

}  // namespace

absl::Status FillAttributes(const FileImage& image, const ScannedModel& model,
                            const ModelLayout& layout, absl::Span<const NodeId> callers,
                            std::vector<NodeId> nodes, Edits& edits) {
  const IdVector<OpId, BlockId> callees = FindCallees(model.graph);
  Values values;
  std::deque<FileImage> images;  // calls stand in any order
  for (NodeId call : callers) {
    for (int i = 0; i < 2; ++i) {
      OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
      images.push_back(std::move(again));
    }
    const BlockId function = callees[model.graph.node(call).op];
    OH_ASSIGN_OR_RETURN(values, ValuesIn(images[images.size() - 2], images.back(), model, layout,
                                         call, function, values));
  }
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return model.frames[model.node_frames[a]].begin < model.frames[model.node_frames[b]].begin;
  });
  OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
  OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                      ReadAttributes(again, model, nodes));
  for (const NodeAttribute& attribute : attributes) {
    if (attribute.reference.empty()) continue;
    const auto found = values.find(attribute.reference);
    if (found == values.end()) {
      edits.RemoveAttribute(attribute.node, attribute.name);
    } else {
      edits.SetAttribute(attribute.node, attribute.name,
                         RenamedAttribute(found->second, attribute.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
