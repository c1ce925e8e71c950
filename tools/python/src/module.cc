// SPDX-License-Identifier: Apache-2.0

// The extension module: models, and what is asked of them before they are annotated.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "onnx_hier/check.h"
#include "onnx_hier/given_tags.h"
#include "onnx_hier/tag_file.h"
#include "onnx_hier/transfer.h"
#include "onnx_hier_program/reports.h"
#include "tools/onnx-hier/checked_tags.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/python/src/aside.h"
#include "tools/python/src/core.h"
#include "tools/python/src/errors.h"
#include "tools/python/src/file_object.h"

namespace onnx_hier::python {
namespace {

using Lock = std::lock_guard<std::mutex>;

ModelPtr Hold(std::string name, py::buffer_info bytes, Model model) {
  return ModelPtr(new HeldModel{std::move(name), std::move(bytes), std::move(model), {}});
}

ModelPtr OpenPath(const std::string& path) {
  auto model = Aside([&](const Cancel& cancel) { return Model::Open(path, {.cancel = &cancel}); });
  return Hold(path, {}, Take(std::move(model), path));
}

ModelPtr OpenBytes(const py::buffer& buffer, const std::string& name) {
  py::buffer_info info = buffer.request();
  if (info.ndim != 1 || info.strides[0] != info.itemsize) {
    throw py::type_error("the bytes of a model must lie one after the other");
  }
  const absl::string_view bytes(static_cast<const char*>(info.ptr),
                                static_cast<size_t>(info.size * info.itemsize));
  auto model =
      Aside([&](const Cancel& cancel) { return Model::FromMemory(bytes, {.cancel = &cancel}); });
  return Hold(name, std::move(info), Take(std::move(model), name));
}

ModelPtr OpenFileObject(py::object file, const std::string& name) {
  std::shared_ptr<ByteSource> source = SourceOf(std::move(file));
  auto model = Aside([&](const Cancel& cancel) {
    return Model::FromSource(std::move(source), {.cancel = &cancel});
  });
  return Hold(name, {}, Take(std::move(model), name));
}

// The model before it was folded; itself if it was not.
ModelPtr Flatten(const ModelPtr& held, bool copies_weights) {
  if (!IsFolded(held->model)) return held;
  auto flat = Aside([&](const Cancel& cancel) {
    const Lock lock(held->mutex);
    return OpenUnfolded(held->model, copies_weights ? Weights::kCopied : Weights::kZeros,
                        {.cancel = &cancel});
  });
  return Hold(held->name, {}, Take(std::move(flat), held->name).model);
}

AnnotatedPtr AnnotateModel(const ModelPtr& held, const std::string& module_map, float least) {
  AnnotateOptions options = ReadOptions(module_map, least);
  Annotation annotation = Aside([&](const Cancel&) {
    const Lock lock(held->mutex);
    return Annotate(held->model, options);
  });
  Check(annotation.unfolding, held->name);
  return std::make_shared<Annotated>(held, std::move(options), std::move(annotation));
}

AnnotatedPtr AnnotateByOriginal(const ModelPtr& held, const ModelPtr& original,
                                const std::string& module_map, float least) {
  if (held == original) throw py::value_error("a model is no original of itself");
  AnnotateOptions options = ReadOptions(module_map, least);
  std::vector<std::string> warnings;
  auto annotation = Aside([&](const Cancel&) {
    const std::scoped_lock lock(held->mutex, original->mutex);
    return AnnotateFrom(original->model, held->model, options, &warnings);
  });
  return std::make_shared<Annotated>(held, std::move(options),
                                     Take(std::move(annotation), held->name), std::move(warnings));
}

void CheckModelOrder(const ModelPtr& held, const ModelPtr& original) {
  const std::scoped_lock lock(held->mutex, original->mutex);
  Check(CheckOrder(original->model, held->model), held->name);
}

EditsPtr StripModel(const ModelPtr& held) {
  return MakeTagEdits(held, [&] { return StripEdits(held->model); });
}

// By their numbers.
py::set NodesWithGraphs(const HeldModel& held) {
  const Graph& graph = held.model.graph();
  py::set numbers;
  for (NodeId id : graph.node_ids()) {
    if (!graph.blocks(id).empty()) numbers.add(id.index());
  }
  return numbers;
}

// The edits, and what became of it.
py::tuple UnfoldModel(const ModelPtr& held, bool all) {
  auto made = Aside([&](const Cancel&) {
    const Lock lock(held->mutex);
    return Unfold(held->model, {.all = all});
  });
  Unfolding unfolding = Take(std::move(made), held->name);
  py::dict told;
  told["exact"] = unfolding.exact;
  told["was_folded"] = unfolding.was_folded;
  told["functions"] = unfolding.functions;
  told["functions_left"] = unfolding.functions_left + unfolding.other_opsets;
  told["nodes_before"] = unfolding.nodes_before;
  told["nodes_after"] = unfolding.nodes_after;
  return py::make_tuple(std::make_shared<HeldEdits>(HeldEdits{held, std::move(unfolding.edits)}),
                        told);
}

// The edits, how many entries mean a node, and what does not match.
py::tuple ApplySidecar(const ModelPtr& held, const std::string& text, const std::string& name) {
  const TagFile file = Take(Aside([&](const Cancel&) { return ParseTagFile(text); }), name);
  TagMatches matches;
  const EditsPtr edits = MakeTagEdits(held, [&] {
    matches = MatchTags(held->model.graph(), file);
    return GivenTagEdits(held->model, GivenTagsOf(file, matches), file.classes);
  });
  const size_t matched = matches.by_id + matches.by_output + matches.by_name;
  if (matched == 0) {
    Check(absl::InvalidArgumentError("none of its entries matches a node of " + held->name), name);
  }
  return py::make_tuple(edits, matched, ToPython(matches.problems));
}

struct CheckRequest {
  std::optional<std::string> sidecar;  // its text
  bool fresh = false;
  bool contamination = false;
  bool coverage = false;
  AnnotateOptions options;
};

absl::StatusOr<cli::CheckedTags> FindTags(const Model& model,
                                          const std::optional<UnfoldedModel>& flat,
                                          const CheckRequest& request, const Annotation& written) {
  absl::StatusOr<cli::CheckedTags> found =
      request.fresh      ? cli::CheckedTags{TagsOf(written), {}, {}}
      : flat.has_value() ? cli::TagsOfFolded(model, *flat, request.sidecar, request.options)
                         : cli::TagsToCheck(model.graph(), request.sidecar);
  if (!found.ok() || found->tags.CountTagged() > 0 || request.coverage ||
      model.graph().node_count() == 0) {
    return found;
  }
  return absl::FailedPreconditionError(
      "has no tags to check: tag it first, give them with tags=..., or check with fresh=True what "
      "tag() would write");
}

// schemas/check_report.schema.json
absl::StatusOr<std::string> CheckReportJson(const HeldModel& held, const CheckRequest& request) {
  std::optional<UnfoldedModel> flat;
  if (IsFolded(held.model)) {
    absl::StatusOr<UnfoldedModel> unfolded = OpenUnfolded(held.model, Weights::kZeros);
    if (!unfolded.ok()) return unfolded.status();
    flat = *std::move(unfolded);
  }
  const Model& model = flat.has_value() ? flat->model : held.model;
  const ModuleMap& map = request.options.module_map;
  const bool compares = request.fresh || request.coverage || !map.empty();
  const Annotation written = compares ? Annotate(model, request.options) : Annotation();
  absl::StatusOr<cli::CheckedTags> checked = FindTags(held.model, flat, request, written);
  if (!checked.ok()) return checked.status();
  CheckReport report = {
      cli::FileName(held.name), model.graph(), checked->tags, checked->malformed.size(), {}, {}};
  if (request.contamination) {
    report.contamination = FindContamination(model.graph(), map, checked->tags);
  }
  if (request.coverage) {
    report.coverage =
        FindGaps(model.graph(), map, written, checked->tags, checked->malformed, checked->sidecar);
  }
  StringSink sink;
  if (absl::Status status = WriteCheckReportJson(report, sink); !status.ok()) return status;
  return sink.text();
}

py::str CheckModel(const ModelPtr& held, const std::optional<std::string>& sidecar, bool fresh,
                   bool contamination, bool coverage, const std::string& module_map) {
  const CheckRequest request = {sidecar, fresh, contamination, coverage,
                                ReadOptions(module_map, 0)};
  auto text = Aside([&](const Cancel&) {
    const Lock lock(held->mutex);
    return CheckReportJson(*held, request);
  });
  return ToPython(Take(std::move(text), held->name));
}

}  // namespace

py::list ToPython(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(ToPython(text));
  return list;
}

AnnotateOptions ReadOptions(const std::string& module_map, float least_containment) {
  AnnotateOptions options;
  options.least_containment = least_containment;
  if (!module_map.empty()) options.module_map = Take(ReadModuleMap(module_map), module_map);
  return options;
}

EditsPtr MakeTagEdits(const ModelPtr& held, const std::function<absl::StatusOr<Edits>()>& make) {
  auto edits = Aside([&](const Cancel&) -> absl::StatusOr<Edits> {
    const Lock lock(held->mutex);
    if (absl::Status status = CheckTagsMayChange(held->model); !status.ok()) return status;
    return make();
  });
  return std::make_shared<HeldEdits>(HeldEdits{held, Take(std::move(edits), held->name)});
}

void BindModel(py::module_& module) {
  py::class_<HeldModel, std::shared_ptr<HeldModel>>(module, "Model")
      .def_static("open", &OpenPath)
      .def_static("from_bytes", &OpenBytes)
      .def_static("from_file_object", &OpenFileObject)
      .def_property_readonly("name", [](const HeldModel& held) { return ToPython(held.name); })
      .def_property_readonly("size", [](const HeldModel& held) { return held.model.file_size(); })
      .def_property_readonly("is_folded",
                             [](const HeldModel& held) { return IsFolded(held.model); })
      .def_property_readonly("tagged",
                             [](const HeldModel& held) { return CountTagged(held.model); })
      .def_property_readonly("nodes",
                             [](const HeldModel& held) { return held.model.graph().node_count(); })
      .def("nodes_with_graphs", &NodesWithGraphs)
      .def("flat", &Flatten)
      .def("annotate", &AnnotateModel)
      .def("annotate_from", &AnnotateByOriginal)
      .def("check_order", &CheckModelOrder)
      .def("strip", &StripModel)
      .def("unfold", &UnfoldModel)
      .def("apply_sidecar", &ApplySidecar)
      .def("check", &CheckModel);
}

}  // namespace onnx_hier::python

PYBIND11_MODULE(_core, module) {
  onnx_hier::python::FinishWorkAtExit();
  module.attr("__version__") = std::string(onnx_hier::Version());
  onnx_hier::python::BindModel(module);
  onnx_hier::python::BindAnnotated(module);
  onnx_hier::python::BindParts(module);
  onnx_hier::python::BindWrite(module);
}
