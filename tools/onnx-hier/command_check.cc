#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "lib/contamination/referee.h"
#include "lib/contamination/tag_reader.h"
#include "lib/report/check_report.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/terminal.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"contamination", 0, nullptr, "look for tags that name a wrong layer or module (the default)"},
    {"coverage", 0, nullptr, "look for nodes without tags and for tags that fit no module"},
    {"fresh", 0, nullptr, "check what 'tag' would write instead of what the file has"},
    {"max", 0, "N", "succeed with up to N findings"},
    {"json", 0, nullptr, "print the findings as JSON"},
    {"lines", 0, nullptr, "print one line for each finding"},
    {"help", 'h', nullptr, "show this help"},
};

constexpr Example kExamples[] = {
    {"onnx-hier check bert_tagged.onnx", "lists tags that name a wrong layer or module"},
    {"onnx-hier check bert.onnx --fresh", "the same for the tags that 'tag' would write"},
};

int Run(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return UsageError("check", "name one model");
  const std::string& path = flags.arguments()[0];
  const absl::StatusOr<Model> model =
      path == "-" ? Model::FromStream(STDIN_FILENO) : Model::Open(path);
  if (!model.ok()) {
    return Fail(absl::StrCat(path == "-" ? "standard input" : path, ": ",
                             model.status().message()));
  }
  ReadTagsResult read = flags.Has("fresh") ? ReadTagsResult{TagsOf(Annotate(*model)), {}}
                                           : ReadTags(model->graph());
  if (read.tags.source == TagSource::kNone) {
    return Fail(absl::StrCat(path, ": has no tags to check"));
  }
  std::vector<Finding> findings = FindContamination(model->graph(), read.tags);
  CheckReport report = {FileName(path), model->graph(), read.tags, std::move(findings), {}};
  const bool printed = Print(flags.Has("json")    ? CheckReportJson(report)
                             : flags.Has("lines") ? CheckReportLines(report)
                                                  : CheckReportText(report));
  if (!printed) return Fail("cannot write to standard output");
  return report.CountFound() > 0 ? kFound : kDone;
}

}  // namespace

Command CheckCommand() {
  return {"check",
          "IN.onnx",
          "find wrong tags",
          "Looks.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
