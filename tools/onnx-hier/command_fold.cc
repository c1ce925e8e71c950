// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    kOutputFlag,
    kInPlaceFlag,
    {"only", 0, "PATTERN", "fold these modules, not those inside of them (may be repeated)", true},
    {"repeated", 0, nullptr, "fold modules only that are built like another one, or run again"},
    {"min-nodes", 0, "N", "leave modules of fewer nodes where they are (default: 3)"},
    {"depth", 0, "N", "fold modules only that are at most N modules deep"},
    {"strict", 0, nullptr, "exit with 1 if a module could not be folded"},
    kModuleMapFlag,
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    {"json", 0, nullptr, "print what was made as JSON"},
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier fold bert.onnx", "writes bert_folded.onnx, a function for each module"},
    {"onnx-hier fold bert.onnx --repeated -o layers.onnx",
     "only what is there more than once: alike layers share one function"},
    {"onnx-hier fold bert.onnx --only '**.layer.*'", "one function for the layers"},
    {"onnx-hier unfold bert_folded.onnx -o - | cmp - bert.onnx", "the model as it was"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  if (flags.Has("output") && flags.Has("in-place")) {
    return "--output and --in-place exclude each other";
  }
  if (flags.arguments()[0] == "-" && !flags.Has("output")) return "standard input needs --output";
  if (flags.Value("output") == "-" && flags.Has("json")) {
    return "--json and a model cannot both go to standard output";
  }
  return "";
}

absl::StatusOr<FoldRequest> ReadRequest(const ParsedFlags& flags, const Hierarchy& hierarchy) {
  FoldRequest request;
  request.repeated = flags.Has("repeated");
  if (flags.Has("only")) {
    absl::StatusOr<std::vector<ModuleId>> only = FindModules(hierarchy, flags.Values("only"));
    if (!only.ok()) return only.status();
    request.only = *std::move(only);
  }
  if (flags.Has("min-nodes")) {
    const absl::StatusOr<uint32_t> nodes = ParseCount(flags, "min-nodes", 1);
    if (!nodes.ok()) return nodes.status();
    request.min_nodes = *nodes;
  }
  if (flags.Has("depth")) {
    const absl::StatusOr<uint32_t> depth = ParseCount(flags, "depth", 1);
    if (!depth.ok()) return depth.status();
    request.depth = *depth;
  }
  return request;
}

int WriteFolded(const ParsedFlags& flags, const Model& model, const Folding& folding,
                FoldResult& result) {
  Progress progress(InputName(result.input), model.file_size(), flags.Has("quiet"));
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &result.warnings;
  const absl::Status status = Write(model, folding.edits, To(result.output), options);
  if (absl::IsCancelled(status)) return CatchInterrupts()->load() ? kFailed : kDone;
  if (!status.ok()) {
    return Fail(absl::StrCat(OutputName(result.output), ": ", status.message()));
  }
  WarnOf(result.warnings, flags);
  const int code = flags.Has("strict") && !result.left.empty() ? kFound : kDone;
  if (flags.Has("json")) {
    const int printed = PrintOrFail(FoldResultJson(result));
    return printed == kDone ? code : printed;
  }
  if (flags.Has("quiet")) return code;
  result.output = OutputName(result.output);
  Say(FoldResultText(result));
  return code;
}

int Run(const ParsedFlags& flags) {
  const std::string& input = flags.arguments().empty() ? "" : flags.arguments()[0];
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) {
    return UsageError("fold", wrong);
  }
  const std::string output = flags.Has("in-place") ? input
                             : flags.Has("output") ? flags.Value("output")
                                                   : ModelBeside(input, "_folded", "");
  if (const std::string wrong = CheckWriteFlags(flags, output); !wrong.empty()) {
    return UsageError("fold", wrong);
  }
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const absl::StatusOr<Model> model = OpenModel(input);
  if (!model.ok()) return Fail(model.status().message());
  const Annotation annotation = Annotate(*model, *annotate);
  const Hierarchy hierarchy(model->graph(), annotation);
  const absl::StatusOr<FoldRequest> request = ReadRequest(flags, hierarchy);
  if (!request.ok()) {
    return Fail(absl::StrCat(InputName(input), ": ", request.status().message()));
  }
  const absl::StatusOr<Folding> folding = Fold(*model, hierarchy, *request);
  if (!folding.ok()) {
    return Fail(absl::StrCat(InputName(input), ": ", folding.status().message()));
  }
  FoldResult result = DescribeFolding(hierarchy, *folding);
  result.input = input;
  result.output = output;
  return WriteFolded(flags, *model, *folding, result);
}

}  // namespace

Command FoldCommand() {
  return {
      "fold",
      "IN.onnx",
      "make modules local functions of the model: alike layers share one",
      "Each run of a module becomes one node, which calls a function; modules that are built "
      "alike\n"
      "share one. Viewers open such a model module by module, and compilers see alike layers "
      "once.\n"
      "What it computes stays the same, weights are copied, never parsed, and 'onnx-hier unfold'\n"
      "gives back the model as it was, byte for byte. For patterns see 'onnx-hier select --help'.\n"
      "'-' is standard input.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
