// SPDX-License-Identifier: Apache-2.0

// A part of a function's body, or of a graph inside a node, becomes the main graph.

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_image.h"
#include "lib/graph/callees.h"
#include "lib/onnx/file_order.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/schema.h"
#include "lib/parts/cutter_state.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/model.h"

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

// Gives nodes of a function what their attributes refer to in a call:
//
//   call:  F(x) {alpha = 0.5}      in F:  LeakyRelu(x) {alpha: refers to alpha}
//   ->     LeakyRelu(x) {alpha = 0.5}
//
// `nodes` are in the function that the last of `callers` calls, which is in the function that the
// one before it calls, and so on. What no call gives has the function's default; what has none is
// no attribute of the node.
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
  SortInFileOrder(model, nodes);
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

}  // namespace

absl::Status Cutter::State::Lift(const Part& part, const Kept& kept, Edits& edits) const {
  const BlockId main = graph.main_block();
  const Place& place = PlaceOf(part);
  for (NodeId node : part.nodes) {
    edits.Move(node, main);
    for (ValueId value : graph.outputs(node)) {
      if (!value.valid() || kept.IsOutput(value)) continue;
      const absl::string_view stated = place.types.stated(value);
      if (!stated.empty()) edits.AddValueInfo(main, stated);
    }
  }
  for (ValueId value : kept.parameters()) {
    const TensorId tensor = place.units.tensor(value);
    if (graph.tensor(tensor).block != main) {
      edits.Move(tensor, main);
    } else if (graph.tensor(tensor).name != graph.value(value).name) {
      edits.SetName(tensor, graph.value(value).name);
    }
  }
  const BlockId top = calls.TopOf(part.graph);
  if (top == main) return absl::OkStatus();
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(const ModelLayout layout,
                      ModelLayout::Read(source.image, source.scanned,
                                        std::vector<bool>(graph.node_count(), false)));
  for (const OpsetImport& opset : FunctionOpsets(layout, top)) {
    edits.SetOpset(opset.domain, opset.version);
  }
  std::vector<NodeId> nodes;
  for (NodeId node : kept.nodes()) {
    if (calls.TopOf(graph.node(node).block) == top) nodes.push_back(node);
  }
  return FillAttributes(source.image, source.scanned, layout, part.callers, nodes, edits);
}

}  // namespace onnx_hier
