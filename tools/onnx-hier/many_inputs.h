// SPDX-License-Identifier: Apache-2.0

// What commands have in common that work on any number of models, each for itself.
#ifndef ONNX_HIER_TOOLS_MANY_INPUTS_H_
#define ONNX_HIER_TOOLS_MANY_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/cli.h"
#include "tools/onnx-hier/model_batch.h"

namespace onnx_hier::cli {

class ManyInputs : public Command {
 protected:
  using Command::Command;

  // Which models, and how many of them at a time.
  absl::Status ReadList();
  // How their nodes are placed: with ReadList(), which says how many threads each has.
  absl::Status ReadOptions();

  const std::vector<std::string>& inputs() const { return inputs_; }
  uint32_t at_a_time() const { return at_a_time_; }
  const AnnotateOptions& options() const { return options_; }

  // Calls `work` with each model, from several threads, and returns the exit code.
  int ForEach(absl::FunctionRef<ModelOutcome(const std::string& path)> work) const;

 private:
  std::vector<std::string> inputs_;
  uint32_t at_a_time_ = 1;
  AnnotateOptions options_;
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MANY_INPUTS_H_
