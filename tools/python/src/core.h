// SPDX-License-Identifier: Apache-2.0

// What Python holds of the library: a model, its annotation, what is made of them.
#ifndef ONNX_HIER_TOOLS_PYTHON_CORE_H_
#define ONNX_HIER_TOOLS_PYTHON_CORE_H_

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/given_names.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/write.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier::python {

namespace py = pybind11;

struct HeldModel {
  std::string name;       // for errors: its path, or "<bytes>"
  py::buffer_info bytes;  // that the model is in, if they are the caller's
  Model model;
  // The library takes one thread at a time for each model.
  std::mutex mutex;
};
using ModelPtr = std::shared_ptr<HeldModel>;

struct Annotated {
  Annotated(ModelPtr held_model, AnnotateOptions annotate_options, Annotation made,
            std::vector<std::string> told = {})
      : held(std::move(held_model)),
        options(std::move(annotate_options)),
        annotation(std::move(made)),
        warnings(std::move(told)),
        hierarchy(held->model.graph(), annotation) {}

  const Graph& graph() const { return held->model.graph(); }
  const std::string& name() const { return held->name; }

  const ModelPtr held;
  const AnnotateOptions options;
  const Annotation annotation;
  const std::vector<std::string> warnings;
  const Hierarchy hierarchy;
  std::unique_ptr<Cutter> cutter;  // from the first cut on
};
using AnnotatedPtr = std::shared_ptr<Annotated>;

struct HeldEdits {
  ModelPtr held;
  Edits edits;
};
using EditsPtr = std::shared_ptr<HeldEdits>;

struct HeldSidecar {
  AnnotatedPtr annotated;
  GivenNames names;
};
using SidecarPtr = std::shared_ptr<HeldSidecar>;

// A part that was cut out; its edits are made when it is written.
struct HeldPart {
  AnnotatedPtr annotated;
  Part part;
  std::vector<std::string> warnings;
  std::optional<Written> written = std::nullopt;  // once it is a file
};
using PartPtr = std::shared_ptr<HeldPart>;

// What became of a model that was cut into parts.
struct HeldSplit {
  SplitResult result;
};
using SplitPtr = std::shared_ptr<HeldSplit>;

// Bytes that are not UTF-8 come back as they were when the text is encoded with "surrogateescape".
inline py::str ToPython(absl::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}
py::list ToPython(const std::vector<std::string>& texts);

template <class Id>
std::vector<Id> ToIds(const std::vector<uint32_t>& numbers) {
  return std::vector<Id>(numbers.begin(), numbers.end());
}

// "" for no map.
AnnotateOptions ReadOptions(const std::string& module_map, float least_containment);

// What `make` makes of a model whose tags may change, without the interpreter's lock.
EditsPtr MakeTagEdits(const ModelPtr& held, const std::function<absl::StatusOr<Edits>()>& make);

void BindModel(py::module_& module);
void BindAnnotated(py::module_& module);
void BindParts(py::module_& module);
void BindWrite(py::module_& module);

}  // namespace onnx_hier::python

#endif  // ONNX_HIER_TOOLS_PYTHON_CORE_H_
