// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/one_input.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/profile_files.h"

namespace onnx_hier::cli {
namespace {

// Takes the value of `from`, if it has one.
template <typename T>
absl::Status Take(absl::StatusOr<T> from, std::unique_ptr<T>& to) {
  if (!from.ok()) return from.status();
  to = std::make_unique<T>(*std::move(from));
  return absl::OkStatus();
}

}  // namespace

absl::Status OneInput::ReadOptions() {
  absl::StatusOr<AnnotateOptions> options = ReadAnnotateOptions(flags());
  if (!options.ok()) return options.status();
  options_ = *std::move(options);
  return absl::OkStatus();
}

absl::Status OneInput::OpenFlat(Weights weights) {
  absl::Status status = ReadOptions();
  if (options_.checkpoint != nullptr) weights = Weights::kCopied;
  return status.ok() ? Take(OpenFlatModel(path(), weights), model_) : status;
}

absl::Status OneInput::OpenAsItIs() {
  absl::Status status = ReadOptions();
  return status.ok() ? Take(OpenModel(path()), model_) : status;
}

absl::Status OneInput::NameWeights() {
  std::vector<std::string> warnings;
  absl::StatusOr<AnnotateOptions> options = OptionsFor(model(), path(), options_, warnings);
  if (!options.ok()) return options.status();
  options_ = *std::move(options);
  for (const std::string& warning : warnings) Warn(warning);
  return absl::OkStatus();
}

absl::Status OneInput::Place() {
  const absl::Status status = NameWeights();
  return status.ok() ? PlaceNamed() : status;
}

absl::Status OneInput::PlaceWith(ParameterNames names) {
  TakeNames(std::move(names), options_);
  return PlaceNamed();
}

absl::Status OneInput::PlaceNamed() {
  absl::Status status = Take(AnnotateByOriginal(*model_, path(), flags(), options_), annotation_);
  if (!status.ok()) return status;
  for (const std::string& warning : WarningsOf(flags(), options_, *annotation_)) Warn(warning);
  hierarchy_ = std::make_unique<Hierarchy>(model_->graph(), *annotation_);
  return status;
}

absl::Status OneInput::KeepGraph() {
  if (!flags().Has("in")) return absl::OkStatus();
  absl::Status status =
      Take(AnnotationIn(model_->graph(), *annotation_, flags().Value("in")), annotation_);
  if (!status.ok()) return About(status);
  hierarchy_ = std::make_unique<Hierarchy>(model_->graph(), *annotation_);
  return status;
}

absl::Status OneInput::About(const absl::Status& status) const {
  return Named(InputName(path()), status);
}

absl::StatusOr<std::vector<ModuleId>> OneInput::Modules(
    absl::Span<const std::string> patterns) const {
  absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy(), patterns);
  if (!modules.ok()) return About(modules.status());
  return modules;
}

}  // namespace onnx_hier::cli
