// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
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
    {"all", 0, nullptr, "put in the bodies of all local functions, whoever made them"},
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier unfold bert_folded.onnx", "writes bert_folded_unfolded.onnx"},
    {"onnx-hier unfold bert_folded.onnx -o - | cmp - bert.onnx", "the model as it was"},
    {"onnx-hier unfold exported.onnx --all", "a model without any local functions"},
};

std::string Told(const std::string& output, const Unfolding& unfolding) {
  return absl::StrCat(OutputName(output), ": ", Counted(unfolding.functions, "function"),
                      " put in, ", Counted(unfolding.nodes_before, "node"), " -> ",
                      WithThousands(unfolding.nodes_after),
                      unfolding.exact       ? "; the model as it was before it was folded"
                      : unfolding.scattered ? "; as they were before they were folded, but one "
                                              "behind the other in the file"
                                            : "");
}

std::vector<std::string> WarningsOf(const Unfolding& unfolding) {
  std::vector<std::string> warnings;
  if (unfolding.was_folded && !unfolding.exact && !unfolding.scattered) {
    warnings.push_back(
        "it is not as it was folded: names are made of those of calls and functions");
  }
  if (unfolding.functions_left > 0) {
    warnings.push_back(
        absl::StrCat(unfolding.functions_left,
                     " functions stay: they are called from within graphs inside of nodes, too"));
  }
  if (unfolding.other_opsets > 0) {
    warnings.push_back(absl::StrCat(unfolding.other_opsets,
                                    " functions stay: they are for other opsets than the model"));
  }
  return warnings;
}

class UnfoldFunctions final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (flags().arguments().size() != 1) return Misused("name one model");
    absl::Status status = Misused(CheckOneOutput(flags(), path()));
    if (!status.ok()) return status;
    output_ = OneOutput(flags(), path(), "_unfolded");
    return Misused(CheckWriteFlags(flags(), output_));
  }

  absl::StatusOr<int> Run() override {
    if (absl::Status status = OpenAsItIs(); !status.ok()) return status;
    const absl::StatusOr<Unfolding> unfolding = Unfold(model(), {.all = flags().Has("all")});
    if (!unfolding.ok()) return About(unfolding.status());
    if (unfolding->functions == 0 && !flags().Has("output") && !flags().Has("in-place")) {
      if (!flags().Has("quiet")) {
        SayLine(absl::StrCat(path(), ": was not folded: there is nothing to put in, and nothing ",
                             "was written",
                             flags().Has("all") ? "" : " (--all takes all functions)"));
      }
      return kDone;
    }
    std::vector<std::string> warnings = WarningsOf(*unfolding);
    const absl::Status status =
        WriteOneOutput(flags(), path(), model(), unfolding->edits, output_, warnings);
    if (!status.ok()) return status;
    WarnOf(warnings, flags());
    if (!flags().Has("quiet")) SayLine(Told(output_, *unfolding));
    return kDone;
  }

 private:
  std::string output_;
};

}  // namespace

CommandEntry UnfoldCommand() {
  return {"unfold",
          "IN.onnx",
          "put the bodies of functions in the place of their calls: takes back 'fold'",
          "Gives back the model that was folded, byte for byte. A model whose nodes, functions or\n"
          "table of names were changed since (weights may be, and tags go) is refused: --all puts\n"
          "in the bodies as they are now, with names made of those of calls and functions, as is\n"
          "done where another program left the table out. '-' is standard input.",
          kFlags,
          kExamples,
          Make<UnfoldFunctions>};
}

}  // namespace onnx_hier::cli
