#include "tools/onnx-hier/model_io.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "tools/onnx-hier/terminal.h"

namespace onnx_hier::cli {

absl::StatusOr<Model> OpenInput(const std::string& path) {
  return path == "-" ? Model::FromStream(STDIN_FILENO, CatchInterrupts()) : Model::Open(path);
}

std::string InputName(const std::string& path) { return path == "-" ? "standard input" : path; }
std::string OutputName(const std::string& path) { return path == "-" ? "standard output" : path; }

std::string CheckOutputFlags(const ParsedFlags& flags, const std::string& output) {
  const std::string external = flags.Value("external-data");
  if (flags.Has("external-data") && external != "copy" && external != "keep") {
    return absl::StrCat("--external-data takes copy or keep, not '", external, "'");
  }
  if (output == "-" && isatty(STDOUT_FILENO) != 0) {
    return "a model is not for a terminal: send standard output to a file or a program";
  }
  return "";
}

WriteOptions ToWriteOptions(const ParsedFlags& flags) {
  WriteOptions options;
  options.replace = flags.Has("force");
  options.allow_over_2gib = flags.Has("force");
  options.in_place = flags.Has("in-place");
  options.sync = !flags.Has("no-sync");
  options.external_data = flags.Value("external-data") == "copy"   ? ExternalData::kCopy
                          : flags.Value("external-data") == "keep" ? ExternalData::kKeep
                                                                   : ExternalData::kRefuse;
  options.cancel = CatchInterrupts();
  return options;
}

}  // namespace onnx_hier::cli
