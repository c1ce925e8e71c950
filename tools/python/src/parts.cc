// SPDX-License-Identifier: Apache-2.0

// Parts of a model, and modules as functions.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "onnx_hier_program/reports.h"
#include "tools/onnx-hier/fold_report.h"
#include "tools/onnx-hier/part_report.h"
#include "tools/onnx-hier/patterns.h"
#include "tools/python/src/aside.h"
#include "tools/python/src/core.h"
#include "tools/python/src/errors.h"

namespace onnx_hier::python {
namespace {

using Lock = std::lock_guard<std::mutex>;

// Of a model that is locked.
absl::StatusOr<Cutter*> CutterOf(Annotated& annotated) {
  if (annotated.cutter == nullptr) {
    absl::StatusOr<Cutter> cutter = Cutter::For(annotated.held->model, annotated.hierarchy);
    if (!cutter.ok()) return cutter.status();
    annotated.cutter = std::make_unique<Cutter>(*std::move(cutter));
  }
  return annotated.cutter.get();
}

PartPtr Cut(const AnnotatedPtr& annotated, const std::vector<uint32_t>& modules,
            std::optional<uint32_t> call, const std::string& reach) {
  PartRequest request;
  request.modules = cli::WithoutInner(annotated->hierarchy, ToIds<ModuleId>(modules));
  request.call = call;
  request.reach = reach == "up_to"  ? Reach::kUpTo
                  : reach == "from" ? Reach::kFrom
                                    : Reach::kModules;
  std::vector<std::string> warnings;
  auto part = Aside([&](const Cancel&) -> absl::StatusOr<Part> {
    const Lock lock(annotated->held->mutex);
    const absl::StatusOr<Cutter*> cutter = CutterOf(*annotated);
    if (!cutter.ok()) return cutter.status();
    cli::ChooseCall(annotated->hierarchy, **cutter, request, warnings);
    return (*cutter)->Cut(request);
  });
  return std::make_shared<HeldPart>(
      HeldPart{annotated, Take(std::move(part), annotated->name()), std::move(warnings)});
}

// schemas/extract_result.schema.json
py::str DescribeExtracted(const HeldPart& held, const std::string& output,
                          const std::vector<std::string>& warnings) {
  const Annotated& annotated = *held.annotated;
  PartResult result =
      cli::DescribePart(annotated.graph(), annotated.hierarchy, *annotated.cutter, held.part);
  result.input = annotated.name();
  result.output = output;
  if (held.written.has_value()) cli::NoteWritten({&*held.written, 1}, result);
  result.warnings.insert(result.warnings.begin(), held.warnings.begin(), held.warnings.end());
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return ToPython(PartResultJson(result));
}

SplitRequest RequestOf(const std::optional<std::vector<uint32_t>>& at,
                       std::optional<uint32_t> parts, const std::string& by,
                       std::optional<uint64_t> max_bytes) {
  SplitRequest request;
  if (at.has_value()) {
    request.modules = ToIds<ModuleId>(*at);
  } else if (parts.has_value()) {
    request.rule = SplitRequest::Rule::kParts;
    request.parts = *parts;
    request.measure = by == "nodes"        ? SplitRequest::Measure::kNodes
                      : by == "parameters" ? SplitRequest::Measure::kParameters
                                           : SplitRequest::Measure::kBytes;
  } else if (max_bytes.has_value()) {
    request.rule = SplitRequest::Rule::kMaxBytes;
    request.max_bytes = *max_bytes;
  }
  return request;
}

absl::StatusOr<SplitPlan> PlanSplit(Annotated& annotated, SplitRequest& request) {
  const Lock lock(annotated.held->mutex);
  const absl::StatusOr<Cutter*> cutter = CutterOf(annotated);
  if (!cutter.ok()) return cutter.status();
  if (request.rule == SplitRequest::Rule::kModules && request.modules.empty()) {
    request.modules = (*cutter)->MainList();
    if (request.modules.empty()) {
      return absl::FailedPreconditionError(
          "there is no list of layers to cut at; name modules with at=..., or use parts=...");
    }
  }
  absl::StatusOr<SplitPlan> plan = (*cutter)->Split(request);
  if (!plan.ok()) return plan;
  for (const SplitPart& part : plan->parts) {
    if (absl::Status told = (*cutter)->CheckTypes(part.part); !told.ok()) return told;
  }
  return plan;
}

// The parts, and what is told of them.
py::tuple Split(const AnnotatedPtr& annotated, const std::optional<std::vector<uint32_t>>& at,
                std::optional<uint32_t> parts, const std::string& by,
                std::optional<uint64_t> max_bytes) {
  SplitRequest request = RequestOf(at, parts, by, max_bytes);
  auto made = Aside([&](const Cancel&) { return PlanSplit(*annotated, request); });
  SplitPlan plan = Take(std::move(made), annotated->name());
  SplitResult result = cli::DescribeSplit(annotated->graph(), annotated->hierarchy,
                                          *annotated->cutter, request, plan, annotated->name());
  py::list list;
  for (SplitPart& part : plan.parts) {
    list.append(std::make_shared<HeldPart>(HeldPart{annotated, std::move(part.part), {}}));
  }
  return py::make_tuple(list, std::make_shared<HeldSplit>(HeldSplit{std::move(result)}));
}

// What became of a folded model.
struct HeldFolding {
  FoldResult result;
};

// The edits, and the rest of what is reported.
py::tuple FoldModules(const AnnotatedPtr& annotated,
                      const std::optional<std::vector<uint32_t>>& only, bool repeated,
                      uint32_t min_nodes, std::optional<uint32_t> depth) {
  FoldRequest request;
  if (only.has_value()) request.only = ToIds<ModuleId>(*only);
  request.repeated = repeated;
  request.min_nodes = min_nodes;
  request.depth = depth;
  auto made = Aside([&](const Cancel&) {
    const Lock lock(annotated->held->mutex);
    return Fold(annotated->held->model, annotated->hierarchy, request);
  });
  Folding folding = Take(std::move(made), annotated->name());
  FoldResult result = cli::DescribeFolding(annotated->hierarchy, folding);
  result.input = annotated->name();
  return py::make_tuple(
      std::make_shared<HeldEdits>(HeldEdits{annotated->held, std::move(folding.edits)}),
      std::make_shared<HeldFolding>(HeldFolding{std::move(result)}));
}

// schemas/fold_result.schema.json
py::str DescribeFolded(const HeldFolding& held, const std::string& output,
                       const std::vector<std::string>& warnings) {
  FoldResult result = held.result;
  result.output = output;
  result.warnings = warnings;
  return ToPython(FoldResultJson(result));
}

}  // namespace

void BindParts(py::module_& module) {
  py::class_<HeldPart, PartPtr>(module, "Part")
      .def_property_readonly(
          "suffix",
          [](const HeldPart& held) {
            return ToPython(cli::FileNamePart(held.annotated->hierarchy, held.part.request));
          })
      .def("describe", &DescribeExtracted);
  // The manifest: schemas/split.schema.json.
  py::class_<HeldSplit, SplitPtr>(module, "Split").def("describe", [](const HeldSplit& held) {
    return ToPython(SplitResultJson(held.result));
  });
  py::class_<HeldFolding, std::shared_ptr<HeldFolding>>(module, "Folding")
      .def("describe", &DescribeFolded);
  module.def("cut", &Cut);
  module.def("split", &Split);
  module.def("fold", &FoldModules);
}

}  // namespace onnx_hier::python
