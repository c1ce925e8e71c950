// What the commands that read and write models have in common.
#ifndef ONNX_HIER_TOOLS_MODEL_IO_H_
#define ONNX_HIER_TOOLS_MODEL_IO_H_

#include <string>

#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/flags.h"

namespace onnx_hier::cli {

// "-" is standard input.
absl::StatusOr<Model> OpenInput(const std::string& path);

// How messages call an input or output: "-" has a name for people.
std::string InputName(const std::string& path);
std::string OutputName(const std::string& path);

// What is wrong with the flags that commands with a model as output share, or "".
std::string CheckOutputFlags(const ParsedFlags& flags, const std::string& output);
// These flags as options: --force, --in-place, --no-sync, --external-data. Cancelled by signals.
WriteOptions ToWriteOptions(const ParsedFlags& flags);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_MODEL_IO_H_
