// SPDX-License-Identifier: Apache-2.0

// Which models a call is about: those of the command line, and those of a list.
#ifndef ONNX_HIER_TOOLS_INPUT_LIST_H_
#define ONNX_HIER_TOOLS_INPUT_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kFilesFromFlag = {
    "files-from", 0, "LIST",
    "take the models that are named in this file, too, one a line or with NUL bytes between "
    "('-': standard input)"};

// Whether the call is about several models, however many the list has.
bool IsForSeveral(const ParsedFlags& flags);

// What is wrong with how the models are given, before anything is read; or "". `alone`: flags that
// are about one model.
std::string CheckInputs(const ParsedFlags& flags, absl::Span<const char* const> alone);

// The arguments, then what the list names. An error if that cannot be read, or is no list.
absl::StatusOr<std::vector<std::string>> ReadInputs(const ParsedFlags& flags);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_INPUT_LIST_H_
