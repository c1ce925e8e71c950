// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/one_output.h"

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

std::string CheckOneOutput(const ParsedFlags& flags, const std::string& input,
                           const char* no_model) {
  if (flags.Has("output") && flags.Has("in-place")) {
    return "--output and --in-place exclude each other";
  }
  const bool writes = no_model == nullptr || !flags.Has(no_model);
  if (input == "-" && !flags.Has("output") && writes) return "standard input needs --output";
  return "";
}

std::string OneOutput(const ParsedFlags& flags, const std::string& input,
                      absl::string_view suffix) {
  return flags.Has("in-place") ? input
         : flags.Has("output") ? flags.Value("output")
                               : ModelBeside(input, suffix, "");
}

absl::Status WriteOneOutput(const ParsedFlags& flags, const std::string& input, const Model& model,
                            const Edits& edits, const std::string& output,
                            std::vector<std::string>& warnings) {
  Progress progress(InputName(input), model.file_size(), flags.Has("quiet"));
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &warnings;
  const absl::Status status = Write(model, edits, To(output), options);
  return status.ok() ? status : Named(OutputName(output), status);
}

}  // namespace onnx_hier::cli
