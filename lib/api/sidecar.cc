// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/sidecar.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/files/file_place.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/show/column_json.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Columns of modules, as a sidecar has them.
class SidecarColumns {
 public:
  SidecarColumns(const Graph& graph, const Annotation& annotation)
      : annotation_(annotation), hierarchy_(graph, annotation), columns_(hierarchy_) {}

  // `contents` refer to this then.
  absl::Status Measure(const std::vector<std::string>& ids, SidecarContents& contents) {
    absl::StatusOr<std::vector<const Column*>> shown = columns_.FindAll(ids);
    if (!shown.ok()) return shown.status();
    shown_ = *std::move(shown);
    JsonText json(&measures_);
    AppendMeasures(shown_, json);
    contents.measures = measures_;
    fields_.emplace(shown_);
    // A module map may tell of more modules than have anything.
    contents.fields = [this](ModuleId id) {
      const PathId path = annotation_.all_modules().module(id).path;
      const ModuleId module = annotation_.modules.Find(path);
      return module.valid() ? fields_->Of(module) : absl::string_view();
    };
    return absl::OkStatus();
  }

 private:
  const Annotation& annotation_;
  const Hierarchy hierarchy_;
  ColumnSet columns_;
  std::vector<const Column*> shown_;
  std::string measures_;
  std::optional<MeasureFields> fields_;
};

}  // namespace

Document SidecarOf(const Model& model, const Annotation& annotation) {
  return Document("sidecar", [&model, &annotation](ByteSink& sink) {
    return WriteSidecarJson({model.graph(), annotation, {}, nullptr, ThreadsFor(model)},
                            FileNameOf(model.path()), sink);
  });
}

Document SidecarOf(const Model& model, const Annotation& annotation, const GivenNames& names,
                   const TagForms& forms) {
  return Document("sidecar", [&model, &annotation, &names, forms](ByteSink& sink) {
    SidecarContents contents = {model.graph(), annotation, names, nullptr, ThreadsFor(model)};
    std::optional<SidecarColumns> columns;
    if (!forms.columns.empty()) {
      absl::Status status =
          columns.emplace(model.graph(), annotation).Measure(forms.columns, contents);
      if (!status.ok()) return status;
    }
    const std::string file = FileNameOf(model.path());
    if (!forms.values) return WriteSidecarJson(contents, file, sink);
    const ModelSource& source = ModelAccess::Source(model);
    const absl::StatusOr<ValueTypes> types = ValueTypes::Find(source.image, source.scanned);
    if (!types.ok()) return types.status();
    const NodeValues values(model.graph(), *types);
    contents.values = &values;
    return WriteSidecarJson(contents, file, sink);
  });
}

}  // namespace onnx_hier
