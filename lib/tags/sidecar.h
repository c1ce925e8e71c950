// SPDX-License-Identifier: Apache-2.0

// The sidecar: everything that is known of a model's hierarchy as one JSON document
// (schemas/sidecar.schema.json). The same input gives the same bytes, always.
#ifndef ONNX_HIER_LIB_TAGS_SIDECAR_H_
#define ONNX_HIER_LIB_TAGS_SIDECAR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/outgoing_text.h"
#include "lib/onnx/value_types.h"
#include "lib/tags/tag_texts.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {

// What a node reads and makes, as keys of its object in a sidecar:
//
//   "inputs":["x",""],"outputs":["y"],"types":["float32"],"shapes":[["batch",128]]
class NodeValues {
 public:
  // Dimensions are numbers, formulas or "" for one that is not known; none: not even how many.
  using ShapeOf = std::function<std::optional<std::vector<std::string>>(ValueId value)>;

  // All must outlive this; shapes are asked for from several threads.
  NodeValues(const Graph& graph, const ValueTypes& types, ShapeOf shape_of)
      : graph_(graph), types_(types), shape_of_(std::move(shape_of)) {}

  void AppendTo(NodeId node, std::string* out) const;

 private:
  void AppendNames(absl::Span<const ValueId> values, JsonText& json) const;

  const Graph& graph_;
  const ValueTypes& types_;
  const ShapeOf shape_of_;
};

// Of schemas/sidecar.schema.json. 2: parameters were added.
constexpr uint64_t kSidecarVersion = 2;

struct SidecarContents {
  const Graph& graph;
  const Annotation& annotation;
  const GivenNames& names;             // of nodes that have none in `graph`
  const NodeValues* values = nullptr;  // null: they are left out
  size_t threads = 1;                  // up to so many may help; the result is the same
  absl::string_view measures = {};     // of columns, as JSON; "": there are none
  // What modules have of them, as ModuleFields; none: nothing.
  std::function<absl::string_view(ModuleId)> fields = {};
};

// Streams the sidecar; memory does not grow with the model. `file` is the model's file name without
// its folder.
absl::Status WriteSidecarJson(const SidecarContents& contents, absl::string_view file,
                              ByteSink& sink);

// The parts that other documents share with the sidecar: {"file": ..., "dialect": ...} and the
// array of modules, one a line; `json` appends to `out`.
void AppendModelJson(const Graph& graph, const Annotation& annotation, absl::string_view file,
                     JsonText& json);
void AppendModulesJson(const Annotation& annotation, const ModuleTree& modules,
                       const TagTexts& tags, JsonText& json, OutgoingText& out);
// Some of them, in another order. `fields`: what a module's object has besides, as JSON:
// ",\"measures\":{...}", or "".
using ModuleFields = absl::FunctionRef<absl::string_view(ModuleId)>;
void AppendModulesJson(const Annotation& annotation, const ModuleTree& modules,
                       absl::Span<const ModuleId> shown, const TagTexts& tags, ModuleFields fields,
                       JsonText& json, OutgoingText& out);

// "checkpoint": the files that names of parameters are from.
void AppendCheckpointJson(const ParameterNames& names, JsonText& json);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_SIDECAR_H_
