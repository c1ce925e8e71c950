// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/exports.h"

#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "lib/show/chosen_modules.h"
#include "lib/show/model_explorer.h"
#include "lib/show/module_graph.h"

namespace onnx_hier {
namespace {

absl::Status WriteNodes(const Model& model, const Hierarchy& hierarchy, const ChosenModules& chosen,
                        absl::Span<const Column* const> columns, ByteSink& sink) {
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  return WriteModelExplorer(hierarchy, chosen, columns, types, FileNameOf(model.path()), sink);
}

absl::Status WriteExport(const Model& model, const Hierarchy& hierarchy, ExportFormat format,
                         const ExportOptions& options, ByteSink& sink) {
  const std::string file = FileNameOf(model.path());
  const ChosenModules chosen(hierarchy, options.modules);
  ColumnSet usual(hierarchy);
  OH_ASSIGN_OR_RETURN(std::vector<const Column*> columns, usual.FindAll(UsualColumns()));
  columns.insert(columns.end(), options.columns.begin(), options.columns.end());
  switch (format) {
    case ExportFormat::kModelExplorer:
      break;
    case ExportFormat::kGraphml:
      return WriteGraphml(ModuleGraph(hierarchy, chosen, options.depth), columns, file, sink);
    case ExportFormat::kDot:
      return WriteDot(ModuleGraph(hierarchy, chosen, options.depth), file, sink);
  }
  return WriteNodes(model, hierarchy, chosen, columns, sink);
}

}  // namespace

std::optional<ExportFormat> ExportFormatNamed(absl::string_view name) {
  if (name == "model-explorer") return ExportFormat::kModelExplorer;
  if (name == "graphml") return ExportFormat::kGraphml;
  if (name == "dot") return ExportFormat::kDot;
  return std::nullopt;
}

std::optional<uint32_t> DrawableDepth(const Hierarchy& hierarchy,
                                      const std::vector<ModuleId>& modules) {
  const uint32_t depth = DrawableDepthOf(hierarchy, ChosenModules(hierarchy, modules));
  if (depth >= ModulePaths::kDeepest) return std::nullopt;
  return depth;
}

Document ExportOf(const Model& model, const Hierarchy& hierarchy, ExportFormat format,
                  const ExportOptions& options) {
  return Document("export", [&model, &hierarchy, format, options](ByteSink& sink) {
    return WriteExport(model, hierarchy, format, options, sink);
  });
}

Document NodeDataOf(const Model& model, const NodeData& data) {
  return Document("node data", [&model, &data](ByteSink& sink) {
    return WriteNodeData(model.graph(), data, sink);
  });
}

}  // namespace onnx_hier
