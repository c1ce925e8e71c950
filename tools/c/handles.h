// SPDX-License-Identifier: Apache-2.0

// What the handles of the C API stand for. Each shares what it needs of the others.
#ifndef ONNX_HIER_TOOLS_C_HANDLES_H_
#define ONNX_HIER_TOOLS_C_HANDLES_H_

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/model.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/part.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/write.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier::c {

struct HeldModel {
  HeldModel(std::string model_name, Model opened)
      : name(std::move(model_name)), model(std::move(opened)) {}

  const std::string name;  // for errors: its path, or what the caller calls it
  Model model;
  // The library takes one thread at a time for each model.
  std::mutex mutex;
};
using ModelPtr = std::shared_ptr<HeldModel>;

// Both of them, or the one that they are.
class LockedModels {
 public:
  LockedModels(HeldModel& a, HeldModel& b)
      : first_(a.mutex, std::defer_lock), second_(b.mutex, std::defer_lock) {
    if (&a == &b) {
      first_.lock();
    } else {
      std::lock(first_, second_);
    }
  }

 private:
  std::unique_lock<std::mutex> first_;
  std::unique_lock<std::mutex> second_;
};

struct Annotated {
  Annotated(ModelPtr held_model, AnnotateOptions annotate_options, Annotation made,
            std::vector<std::string> told)
      : held(std::move(held_model)),
        options(std::move(annotate_options)),
        annotation(std::move(made)),
        warnings(std::move(told)),
        hierarchy(held->model.graph(), annotation) {}

  const Graph& graph() const { return held->model.graph(); }

  const ModelPtr held;
  const AnnotateOptions options;
  const Annotation annotation;
  const std::vector<std::string> warnings;
  const Hierarchy hierarchy;
  std::unique_ptr<Cutter> cutter;  // from the first cut on
};
using AnnotatedPtr = std::shared_ptr<Annotated>;

// Made when it is first asked for. The model is locked.
inline absl::StatusOr<Cutter*> CutterOf(Annotated& annotated) {
  if (annotated.cutter == nullptr) {
    absl::StatusOr<Cutter> cutter = Cutter::For(annotated.held->model, annotated.hierarchy);
    if (!cutter.ok()) return cutter.status();
    annotated.cutter = std::make_unique<Cutter>(*std::move(cutter));
  }
  return annotated.cutter.get();
}

// A part that was cut out; its edits are made when it is written.
struct HeldPart {
  Part part;
  std::optional<Written> written = std::nullopt;  // once it is a file
};

// Its outputs have numbers: `edits`, or else `parts`; then the sidecar, or else the manifest.
struct HeldProduct {
  ModelPtr held;
  AnnotatedPtr annotated;  // null: of a model that needed none
  std::vector<std::string> warnings;

  std::optional<Edits> edits;
  std::vector<HeldPart> parts;
  std::optional<GivenNames> sidecar_names;  // of the sidecar, if there is one
  std::optional<SplitResult> split;
  std::optional<FoldResult> fold;
};

}  // namespace onnx_hier::c

// Names of the C API, which has no namespaces.
// NOLINTBEGIN(readability-identifier-naming)
struct onnx_hier_call {
  std::atomic<bool> cancel = false;
  std::atomic<uint64_t> progress = 0;
  std::string text;  // the answer, or the error
  bool in_background = false;
  std::future<int> running;  // in the background, and nobody knows of its end
};
struct onnx_hier_model {
  onnx_hier::c::ModelPtr held;
};
struct onnx_hier_annotation {
  onnx_hier::c::AnnotatedPtr annotated;
};
struct onnx_hier_product {
  onnx_hier::c::HeldProduct product;
};
// NOLINTEND(readability-identifier-naming)

#endif  // ONNX_HIER_TOOLS_C_HANDLES_H_
