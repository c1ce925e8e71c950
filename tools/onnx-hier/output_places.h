// SPDX-License-Identifier: Apache-2.0

// Where the outputs of one or several models go, and which of them are there already.
#ifndef ONNX_HIER_TOOLS_OUTPUT_PLACES_H_
#define ONNX_HIER_TOOLS_OUTPUT_PLACES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier_program/job_files.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kOutputDirFlag = {
    "output-dir", 0, "DIR", "write the outputs of all models into this folder, which is made"};
inline constexpr Flag kMirrorFlag = {
    "mirror", 0, "DIR", "in --output-dir, keep the folders that the models have below DIR"};
inline constexpr Flag kSkipExistingFlag = {
    "skip-existing", 0, nullptr,
    "leave out models whose outputs are there and not older; replace older ones"};

// What is wrong with how --output, --output-dir, --in-place, --mirror and --skip-existing go
// together, or with what several models need; or "".
std::string CheckOutputPlaces(const ParsedFlags& flags);

// The folder for what a model becomes: "" for beside it. An error if --mirror's does not hold it.
absl::StatusOr<std::string> FolderFor(const std::string& input, const ParsedFlags& flags);

// CheckJobFiles(), with advice where models of one name meet in one folder.
absl::Status CheckOutputsApart(absl::Span<JobFiles> jobs, absl::Span<const TextFile> texts,
                               const ParsedFlags& flags);

// Whether all outputs are there and none is older than any of the sources. "" is no file.
bool AreUpToDate(absl::Span<const std::string> outputs, absl::Span<const std::string> sources);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OUTPUT_PLACES_H_
