// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/sidecar.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/cost/known_shapes.h"
#include "lib/files/file_place.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/show/column_json.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Columns of modules, as a sidecar has them.
class SidecarColumns {
 public:
  // `contents` refer to this then.
  SidecarColumns(const Annotation& annotation, const std::vector<const Column*>& columns,
                 SidecarContents& contents)
      : annotation_(annotation), fields_(columns) {
    JsonText json(&measures_);
    AppendMeasures(columns, json);
    contents.measures = measures_;
    // A module map may tell of more modules than have anything.
    contents.fields = [this](ModuleId id) {
      const PathId path = annotation_.all_modules().module(id).path;
      const ModuleId module = annotation_.modules.Find(path);
      return module.valid() ? fields_.Of(module) : absl::string_view();
    };
  }

 private:
  const Annotation& annotation_;
  std::string measures_;
  MeasureFields fields_;
};

}  // namespace

Document SidecarOf(const Model& model, const Annotation& annotation) {
  return Document("sidecar", [&model, &annotation](ByteSink& sink) {
    return WriteSidecarJson({model.graph(), annotation, {}, nullptr, ThreadsFor(model)},
                            FileNameOf(model.path()), sink);
  });
}

Document SidecarOf(const Model& model, const Annotation& annotation, const GivenNames& names,
                   const SidecarForms& forms) {
  return Document("sidecar", [&model, &annotation, &names, forms](ByteSink& sink) -> absl::Status {
    SidecarContents contents = {model.graph(), annotation, names, nullptr, ThreadsFor(model)};
    std::optional<SidecarColumns> columns;
    if (!forms.columns.empty()) columns.emplace(annotation, forms.columns, contents);
    const std::string file = FileNameOf(model.path());
    if (!forms.values) return WriteSidecarJson(contents, file, sink);
    const ModelSource& source = ModelAccess::Source(model);
    OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
    OH_ASSIGN_OR_RETURN(const KnownShapes shapes, KnownShapes::Find(model, types));
    const NodeValues values(model.graph(), types,
                            [&shapes](ValueId value) { return shapes.shape(value); });
    contents.values = &values;
    return WriteSidecarJson(contents, file, sink);
  });
}

}  // namespace onnx_hier
