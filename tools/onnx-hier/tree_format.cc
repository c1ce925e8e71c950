// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/tree_format.h"

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier::cli {
namespace {

std::optional<TreeFormat> FormatOf(const ParsedFlags& flags) {
  if (flags.Has("json") || flags.Has("json-lines")) return TreeFormat::kJson;
  const std::string name = flags.Value("format");
  if (!flags.Has("format") || name == "text") return TreeFormat::kText;
  if (name == "markdown") return TreeFormat::kMarkdown;
  if (name == "csv") return TreeFormat::kCsv;
  if (name == "json") return TreeFormat::kJson;
  return std::nullopt;
}

}  // namespace

std::string WrongTreeFormat(const ParsedFlags& flags) {
  if (flags.Has("json") && flags.Has("json-lines")) {
    return "--json and --json-lines exclude each other";
  }
  if (flags.Has("format") && (flags.Has("json") || flags.Has("json-lines"))) {
    return "--format and --json exclude each other";
  }
  if (FormatOf(flags)) return "";
  return absl::StrCat("--format takes text, markdown, csv or json, not '", flags.Value("format"),
                      "'");
}

TreeFormat TreeFormatOf(const ParsedFlags& flags) {
  return FormatOf(flags).value_or(TreeFormat::kText);
}

absl::Status WriteTree(const Model& model, const Annotation& annotation,
                       const TreeTextOptions& options, const std::string& title, TreeFormat format,
                       ByteSink& sink) {
  switch (format) {
    case TreeFormat::kText:
      break;
    case TreeFormat::kMarkdown:
      return WriteTreeMarkdown(annotation, options, title, sink);
    case TreeFormat::kCsv:
      return WriteTreeCsv(annotation, options, sink);
    case TreeFormat::kJson:
      return WriteTreeJson(model.graph(), annotation, options, FileName(model.path()), sink);
  }
  const absl::Status status = sink.Append(absl::StrCat(title, "\n"));
  return status.ok() ? WriteTreeText(annotation, options, sink) : status;
}

}  // namespace onnx_hier::cli
