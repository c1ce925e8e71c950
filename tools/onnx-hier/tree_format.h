// SPDX-License-Identifier: Apache-2.0

// Formats in which commands print a tree of modules with its columns.
#ifndef ONNX_HIER_TOOLS_TREE_FORMAT_H_
#define ONNX_HIER_TOOLS_TREE_FORMAT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kFormatFlag =
    OneOf({"format", 0, "F", "text (default), markdown, csv or json"}, "text markdown csv json");

enum class TreeFormat { kText, kMarkdown, kCsv, kJson };

// What is wrong about --format, --json and --json-lines; "": nothing.
std::string WrongTreeFormat(const ParsedFlags& flags);
// What they say. Once nothing is wrong.
TreeFormat TreeFormatOf(const ParsedFlags& flags);

// `title`: what stands above it, for people.
absl::Status WriteTree(const Model& model, const Annotation& annotation,
                       const TreeTextOptions& options, const std::string& title, TreeFormat format,
                       ByteSink& sink);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_TREE_FORMAT_H_
