// SPDX-License-Identifier: Apache-2.0

// Profiles on the command line: flags that say how they are read, opening them, and the modules
// that their kernels count for; tables likewise.
#ifndef ONNX_HIER_TOOLS_PROFILE_FILES_H_
#define ONNX_HIER_TOOLS_PROFILE_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kOriginalFlag = {
    "original", 0, "ORIGINAL.onnx",
    "the model that IN was made from by an optimiser: its modules count"};
inline constexpr Flag kLayerInfoFlag = {
    "layer-info", 0, "FILE",
    "what TensorRT's layers are made of (trtexec --exportLayerInfo "
    "--profilingVerbosity=detailed)"};
inline constexpr Flag kWarmUpFlag = {"warm-up", 0, "N",
                                     "runs at the beginning that do not count (default: 1)"};
inline constexpr Flag kSumRunsFlag = {"sum-runs", 0, nullptr,
                                      "times of all runs together, not the median of each kernel"};

// How a table is read.
inline constexpr Flag kTableFlags[] = {
    {"key", 0, "COLUMN", "of a table: the column that names nodes, or values that they make"},
    {"value", 0, "COLUMN", "of a table: the column that is added up; words are counted"},
    {"sum", 0, nullptr, "of a table: add numbers up (default)"},
    {"mean", 0, nullptr, "of a table: the mean of its rows"},
    {"max", 0, nullptr, "of a table: the largest number of its rows"},
    {"count", 0, nullptr, "of a table: how many rows there are"},
};

// What is wrong about the flags above; "": nothing.
std::string WrongTableFlags(const ParsedFlags& flags);
// All of them that the command has.
absl::StatusOr<ProfileOptions> ReadProfileOptions(const ParsedFlags& flags);

// Another one that the first one can be compared with, which `flag` names. The error says what each
// of them has.
absl::StatusOr<OpenedProfile> OpenOtherProfile(const OpenedProfile& first, const char* flag,
                                               const ProfileOptions& options, const Model& model,
                                               const Hierarchy& hierarchy,
                                               const ParsedFlags& flags);

// With --layer-info; "-" is standard input. The error names the file. One of its own: a profile of
// another model, or of one that was optimised beyond recognition.
absl::StatusOr<OpenedProfile> OpenProfile(const std::string& path, const std::string& shown,
                                          const ProfileOptions& options, const Model& model,
                                          const Hierarchy& hierarchy, const ParsedFlags& flags);

// By --original, where it is given. `path` is where the model is from.
absl::StatusOr<Annotation> AnnotateByOriginal(const Model& model, const std::string& path,
                                              const ParsedFlags& flags,
                                              const AnnotateOptions& options);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_PROFILE_FILES_H_
