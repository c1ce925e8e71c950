// SPDX-License-Identifier: Apache-2.0

// An annotated model: its modules, nodes and parameters, and questions about them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "onnx_hier/diff.h"
#include "onnx_hier/module_map.h"
#include "onnx_hier/selection.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/summary.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/patterns.h"
#include "tools/python/src/aside.h"
#include "tools/python/src/core.h"
#include "tools/python/src/errors.h"

namespace onnx_hier::python {
namespace {

// `all`: with those that only a module map tells of.
py::list ListModules(const Annotated& annotated, bool all) {
  const Annotation& annotation = annotated.annotation;
  const ModuleTree& modules = all ? annotation.all_modules() : annotation.modules;
  py::list list;
  for (ModuleId id : modules.ids()) {
    const Module& module = modules.module(id);
    const absl::string_view library = LibraryOf(module.class_name);
    list.append(py::make_tuple(
        ToPython(annotation.paths.Tag(module.path)),
        ToPython(annotation.paths.QualifiedName(module.path)), ToPython(module.class_name),
        module.parent.valid() ? py::object(py::int_(module.parent.index())) : py::none(),
        module.calls, module.nodes, module.total_nodes, module.parameters, module.total_parameters,
        module.total_parameter_bytes, annotation.paths.depth(module.path), modules.is_leaf(id),
        library.empty() ? py::object(py::none()) : py::object(ToPython(library)),
        module.is_idle ? py::object(py::str("no nodes")) : py::object(py::none()),
        module.read_in.valid() ? py::object(ToPython(annotation.paths.Tag(module.read_in)))
                               : py::none()));
  }
  return list;
}

py::list ListNodes(const Annotated& annotated) {
  const Annotation& annotation = annotated.annotation;
  const Graph& graph = annotated.graph();
  py::list list;
  for (NodeId id : graph.node_ids()) {
    const Assignment& assignment = annotation.assignments[id];
    py::list auxiliary;
    for (PathId path : annotation.auxiliary_of(id)) {
      auxiliary.append(ToPython(annotation.paths.Tag(path)));
    }
    list.append(py::make_tuple(ToPython(graph.NodePath(id)), ToPython(graph.node(id).name),
                               ToPython(graph.op(id).type), ToPython(graph.op(id).domain),
                               ToPython(annotation.paths.Tag(assignment.primary)),
                               py::tuple(auxiliary), ToPython(MethodName(assignment.method)),
                               assignment.confidence, assignment.containment, assignment.call));
  }
  return list;
}

py::list ListParameters(const Annotated& annotated) {
  const Graph& graph = annotated.graph();
  py::list list;
  for (const OwnedParameter& parameter : annotated.annotation.parameters) {
    const Tensor& tensor = graph.tensor(parameter.tensor);
    py::list shape;
    for (int64_t size : graph.dims(parameter.tensor)) shape.append(size);
    list.append(py::make_tuple(ToPython(graph.value(parameter.value).name),
                               ToPython(annotated.annotation.paths.Tag(parameter.owner)),
                               tensor.data_type, py::tuple(shape), tensor.elements, tensor.bytes));
  }
  return list;
}

// Modules by their numbers; KeyError names the nearest ones.
std::vector<uint32_t> FindModules(const Annotated& annotated,
                                  const std::vector<std::string>& patterns) {
  const absl::StatusOr<std::vector<ModuleId>> modules =
      cli::FindModules(annotated.hierarchy, patterns);
  if (absl::IsNotFound(modules.status())) {
    RaiseKeyError(std::string(modules.status().message()));
  }
  Check(modules.status(), annotated.name());
  std::vector<uint32_t> numbers;
  for (ModuleId module : *modules) numbers.push_back(module.index());
  return numbers;
}

// Each once, and in the order of all.
template <class Id>
std::vector<uint32_t> InOrder(const std::vector<absl::Span<const Id>>& spans) {
  std::vector<uint32_t> numbers;
  for (absl::Span<const Id> span : spans) {
    for (Id id : span) numbers.push_back(id.index());
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<uint32_t> NodesOf(const Annotated& annotated, const std::vector<uint32_t>& modules,
                              bool own) {
  std::vector<absl::Span<const NodeId>> spans;
  for (uint32_t number : modules) {
    const ModuleId module(number);
    spans.push_back(own ? annotated.hierarchy.OwnNodes(module) : annotated.hierarchy.Nodes(module));
  }
  return InOrder(spans);
}

// By their numbers in ListParameters().
std::vector<uint32_t> ParametersOf(const Annotated& annotated, const std::vector<uint32_t>& modules,
                                   bool own) {
  std::vector<absl::Span<const ValueId>> spans;
  for (uint32_t number : modules) {
    const ModuleId module(number);
    spans.push_back(own ? annotated.hierarchy.OwnParameters(module)
                        : annotated.hierarchy.Parameters(module));
  }
  const std::vector<uint32_t> values = InOrder(spans);
  const std::vector<OwnedParameter>& parameters = annotated.annotation.parameters;
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (std::binary_search(values.begin(), values.end(), parameters[i].value.index())) {
      numbers.push_back(static_cast<uint32_t>(i));
    }
  }
  return numbers;
}

std::vector<uint32_t> SelectNodes(const Annotated& annotated,
                                  const std::vector<std::string>& patterns,
                                  const std::vector<std::string>& op_types, bool own,
                                  std::optional<float> below) {
  const Selection selection =
      Take(Select(annotated.hierarchy, {patterns, own, op_types, below}), annotated.name());
  if (!selection.unmet.empty()) {
    RaiseKeyError(cli::NoSuchModule(annotated.hierarchy, selection.unmet.front()));
  }
  std::vector<uint32_t> numbers;
  numbers.reserve(selection.nodes.size());
  for (NodeId node : selection.nodes) numbers.push_back(node.index());
  return numbers;
}

// Of each node its name, "" where it has none, or its place in the file.
py::list NamesOf(const Annotated& annotated, const std::vector<uint32_t>& nodes, bool ids) {
  const Graph& graph = annotated.graph();
  py::list list;
  for (NodeId node : ToIds<NodeId>(nodes)) {
    list.append(ids ? ToPython(graph.NodePath(node)) : ToPython(graph.node(node).name));
  }
  return list;
}

bool HasOperator(const Annotated& annotated, const std::string& op_type) {
  return annotated.graph().HasOperator(op_type);
}

// "inputs", "outputs" or "all" values of nodes, by name.
py::list ListValues(const Annotated& annotated, const std::vector<uint32_t>& nodes,
                    const std::string& which) {
  const SelectedValues values = ValuesOf(annotated.graph(), ToIds<NodeId>(nodes));
  py::list list;
  for (ValueId value : which == "inputs"    ? values.inputs
                       : which == "outputs" ? values.outputs
                                            : values.all) {
    list.append(ToPython(annotated.graph().value(value).name));
  }
  return list;
}

py::str ExplainNodes(const Annotated& annotated, const std::vector<uint32_t>& nodes) {
  return ToPython(Aside([&](const Cancel&) {
    const std::lock_guard<std::mutex> lock(annotated.held->mutex);
    const Explanations why =
        Explain(annotated.held->model, ToIds<NodeId>(nodes), annotated.options);
    return ExplainJson(annotated.graph(), why, cli::FileName(annotated.name()));
  }));
}

py::str DrawTree(const Annotated& annotated, uint32_t depth) {
  StringSink sink;
  Check(WriteTreeText(annotated.annotation, {.depth = depth}, sink), annotated.name());
  return ToPython(sink.text());
}

// As tag() reports it: schemas/tag_result.schema.json.
py::str DescribeTagged(const Annotated& annotated, const std::string& output,
                       const std::string& sidecar, std::optional<uint64_t> named,
                       const std::vector<std::string>& warnings, double milliseconds) {
  TagResult result;
  result.input = annotated.name();
  result.output = output;
  result.warnings = warnings;
  result.milliseconds = milliseconds;
  result.sidecar = sidecar;
  result.summary = Summarize(annotated.annotation);
  result.named = named;
  return ToPython(TagResultsJson({&result, 1}));
}

// The edits that tag the model, its sidecar, and how many nodes they name.
py::tuple Tag(const AnnotatedPtr& annotated, bool name_nodes) {
  auto sidecar = std::make_shared<HeldSidecar>(
      HeldSidecar{annotated, name_nodes ? GivenNames(annotated->graph()) : GivenNames()});
  const EditsPtr edits = MakeTagEdits(annotated->held, [&] {
    return TagEdits(annotated->held->model, annotated->annotation, sidecar->names);
  });
  return py::make_tuple(edits, sidecar, sidecar->names.size());
}

// schemas/diff.schema.json
py::str Diff(const Annotated& a, const Annotated& b, const DiffOptions& options) {
  auto text = Aside([&](const Cancel&) -> absl::StatusOr<std::string> {
    std::unique_lock<std::mutex> first(a.held->mutex, std::defer_lock);
    std::unique_lock<std::mutex> second(b.held->mutex, std::defer_lock);
    if (a.held == b.held) {
      first.lock();
    } else {
      std::lock(first, second);
    }
    const absl::StatusOr<ModelDiff> diff =
        Compare(a.held->model, a.hierarchy, b.held->model, b.hierarchy, options);
    if (!diff.ok()) return diff.status();
    return DiffReportJson({a.name(), b.name(), a.annotation, b.annotation, *diff});
  });
  return ToPython(Take(std::move(text), a.name()));
}

}  // namespace

void BindAnnotated(py::module_& module) {
  const py::class_<HeldSidecar, SidecarPtr> sidecar(module, "Sidecar");
  py::class_<Annotated, AnnotatedPtr>(module, "Annotated")
      .def_property_readonly("dialect",
                             [](const Annotated& a) { return ToPython(a.annotation.dialect); })
      .def_property_readonly("model", [](const Annotated& a) { return a.held; })
      .def_property_readonly("warnings", [](const Annotated& a) { return ToPython(a.warnings); })
      .def("modules", &ListModules)
      .def("nodes", &ListNodes)
      .def("parameters", &ListParameters)
      .def("find", &FindModules)
      .def("nodes_of", &NodesOf)
      .def("parameters_of", &ParametersOf)
      .def("select", &SelectNodes)
      .def("names_of", &NamesOf)
      .def("has_operator", &HasOperator)
      .def("values_of", &ListValues)
      .def("explain", &ExplainNodes)
      .def("tree", &DrawTree)
      .def("tag", &Tag)
      .def("describe", &DescribeTagged);
  module.def("diff", [](const Annotated& a, const Annotated& b, bool structure, bool weights,
                        uint32_t depth) {
    return Diff(a, b, {structure, weights, depth});
  });
}

}  // namespace onnx_hier::python
