// SPDX-License-Identifier: Apache-2.0

// What commands have in common that work on one model, the first of their arguments.
#ifndef ONNX_HIER_TOOLS_ONE_INPUT_H_
#define ONNX_HIER_TOOLS_ONE_INPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/cli.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

class OneInput : public Command {
 protected:
  using Command::Command;

  // As the flags tell it: --module-map and what else is read of how nodes are placed.
  absl::Status ReadOptions();
  // Opens the model: one that was folded as it was before, with its weights, or as it is. With
  // ReadOptions().
  absl::Status OpenFlat(Weights weights);
  absl::Status OpenAsItIs();
  // Has its weights called as in --checkpoint, which Place() does, too.
  absl::Status NameWeights();
  // Places its nodes, by --original where that is given, and warns of a module map that is not of
  // this model. Once it is open.
  absl::Status Place();
  // The same with its weights called so.
  absl::Status PlaceWith(ParameterNames names);
  // Keeps what is said of the graph that --in names, once nodes are placed.
  absl::Status KeepGraph();

  const std::string& path() const { return flags().arguments()[0]; }
  const AnnotateOptions& options() const { return options_; }
  const Model& model() const { return *model_; }
  const Hierarchy& hierarchy() const { return *hierarchy_; }

  // The same error, with the model's name before it.
  absl::Status About(const absl::Status& status) const;
  // What FindModules() finds; its error names the model.
  absl::StatusOr<std::vector<ModuleId>> Modules(absl::Span<const std::string> patterns) const;

 private:
  absl::Status PlaceNamed();

  AnnotateOptions options_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Annotation> annotation_;
  std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_ONE_INPUT_H_
