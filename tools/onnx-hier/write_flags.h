// SPDX-License-Identifier: Apache-2.0

// Flags of the commands that write a model, and what they mean.
#ifndef ONNX_HIER_TOOLS_WRITE_FLAGS_H_
#define ONNX_HIER_TOOLS_WRITE_FLAGS_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/job_files.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kOutputFlag = {"output",
                                     'o',
                                     "OUT.onnx",
                                     "write the model here ('-': standard output)",
                                     /*repeatable=*/false,
                                     ".onnx"};
inline constexpr Flag kInPlaceFlag = {"in-place", 0, nullptr, "replace the input, atomically"};
inline constexpr Flag kExternalDataFlag = {"external-data", 0, "copy|keep",
                                           "what to do with data files when the folder changes"};
inline constexpr Flag kCutDataFlag = {
    "external-data", 0, "cut|copy|keep",
    "data files: to each part its own ranges (in other folders the default), all of them, or none"};
inline constexpr Flag kNoSyncFlag = {"no-sync", 0, nullptr,
                                     "do not wait until the output is on the disk"};
inline constexpr Flag kForceFlag = {"force", 'f', nullptr,
                                    "replace an existing output; allow an output over 2 GiB"};

// --force, --in-place, --no-sync, --external-data; cancelled by Ctrl-C.
WriteOptions WriteOptionsOf(const ParsedFlags& flags);
// The same of commands that write parts, with kCutDataFlag.
WriteOptions PartWriteOptionsOf(const ParsedFlags& flags);

// Whether what is written there is no file: "-", a device, a named pipe.
bool IsStream(const std::string& path);
// Where an output goes; "-" is standard output.
Destination To(const std::string& path);
// The same of an output of a job that CheckJobFiles() has seen.
Destination To(const std::string& path, const JobFiles& job);

// What is wrong with these flags and with where the model goes, or "".
std::string CheckWriteFlags(const ParsedFlags& flags, const std::string& output);
// The same of commands that write parts.
std::string CheckPartWriteFlags(const ParsedFlags& flags, const std::string& output);

// What is wrong with --sidecar-only beside flags that name a model to write, or "".
std::string CheckSidecarOnly(const ParsedFlags& flags);

// "", or that more than one of the arguments and of what these flags name is standard input.
std::string CheckStreams(const ParsedFlags& flags, std::initializer_list<const char*> names);

// Writes a text that belongs to the model, as --force and --no-sync say. The error names the
// output.
absl::Status WriteDocument(const Model& model, const Document& document, const std::string& output,
                           const ParsedFlags& flags);

// Opens the model; "-" is standard input. The error names it.
absl::StatusOr<Model> OpenModel(const std::string& path, int threads = OpenOptions().threads);
// Annotate(), and an error that names the model where that could not be done as it should.
absl::StatusOr<Annotation> AnnotateModel(const Model& model, const std::string& path,
                                         const AnnotateOptions& options);
// A model whose functions stand for several modules (that was folded, or that an exporter wrote so)
// with the functions put in, by way of a temporary file: its modules are the same, and its nodes
// have one owner each.
absl::StatusOr<Model> OpenFlatModel(const std::string& path, Weights weights,
                                    int threads = OpenOptions().threads);
// The same of a model that was opened from there; none: it has no such functions.
absl::StatusOr<std::optional<UnfoldedModel>> UnfoldModel(const Model& model,
                                                         const std::string& path, Weights weights);

// Whether the one output of a call may be written: CheckJobFiles() with the model's data files.
absl::Status CheckOutput(const Model& model, const std::string& input, const std::string& output,
                         const ParsedFlags& flags, absl::Span<const TextFile> texts);

// Tells of what was lost though the output was written; nothing with --quiet.
void WarnOf(const std::vector<std::string>& warnings, const ParsedFlags& flags);

// The text of a whole file; "-" is standard input. The error names it.
absl::StatusOr<std::string> ReadText(const std::string& path);

// The same error, with the name of what it is about before it: "in.onnx: no such file".
absl::Status Named(absl::string_view name, const absl::Status& status);

// "standard input" for "-".
std::string InputName(const std::string& path);
std::string OutputName(const std::string& path);
// As reports call it: without its folder.
std::string ShownFileName(const std::string& path);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_WRITE_FLAGS_H_
