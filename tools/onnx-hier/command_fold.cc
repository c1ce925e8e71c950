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
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/one_output.h"
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
    kRulesFlag,
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
  if (std::string wrong = CheckOneOutput(flags, flags.arguments()[0]); !wrong.empty()) return wrong;
  if (flags.Value("output") == "-" && flags.Has("json")) {
    return "--json and a model cannot both go to standard output";
  }
  return "";
}

class FoldModules final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    output_ = OneOutput(flags(), path(), "_folded");
    absl::Status status = Misused(CheckWriteFlags(flags(), output_));
    request_.repeated = flags().Has("repeated");
    if (status.ok()) status = ReadCount(flags(), "min-nodes", 1, request_.min_nodes);
    if (status.ok()) status = ReadCount(flags(), "depth", 1, request_.depth);
    return status;
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenAsItIs();
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    if (flags().Has("only")) {
      absl::StatusOr<std::vector<ModuleId>> only = Modules(flags().Values("only"));
      if (!only.ok()) return only.status();
      request_.only = *std::move(only);
    }
    const absl::StatusOr<Folding> folding = Fold(model(), hierarchy(), request_);
    if (!folding.ok()) return About(folding.status());
    FoldResult result = DescribeFolding(hierarchy(), *folding);
    result.input = path();
    result.output = output_;
    status = WriteOneOutput(flags(), path(), model(), folding->edits, output_, result.warnings);
    if (!status.ok()) return status;
    WarnOf(result.warnings, flags());
    return Tell(std::move(result));
  }

 private:
  int Tell(FoldResult result) const {
    const int code = flags().Has("strict") && !result.left.empty() ? kFound : kDone;
    if (flags().Has("json")) {
      const int printed = PrintOrFail(FoldResultJson(result));
      return printed == kDone ? code : printed;
    }
    if (flags().Has("quiet")) return code;
    result.output = OutputName(result.output);
    Say(FoldResultText(result));
    return code;
  }

  std::string output_;
  FoldRequest request_;
};

}  // namespace

CommandEntry FoldCommand() {
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
      Make<FoldModules>};
}

}  // namespace onnx_hier::cli
