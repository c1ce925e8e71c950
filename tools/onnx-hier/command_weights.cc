// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/weights.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "onnx_hier_program/weights_report.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/one_output.h"
#include "tools/onnx-hier/tree_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr uint32_t kUsualRows = 25;

constexpr Flag kFlags[] = {
    kCheckpointFlag,
    {"rename", 0, nullptr,
     "write the model with its weights called as in the checkpoint, and all that reads them"},
    {"restore", 0, nullptr, "write it with the names that it had before --rename, byte for byte"},
    kOutputFlag,
    kInPlaceFlag,
    {"require", 0, "all|PATTERN",
     "exit with 1 unless the model holds all tensors, or those of these modules; may be given "
     "several times",
     /*repeatable=*/true},
    {"tolerance", 0, "X",
     "of --require: how far numbers may be from the tensor's, relative to their size (default: as "
     "far as quantising and casting bring them)"},
    {"module", 0, "PATTERN", "weights of these modules only; may be given several times",
     /*repeatable=*/true},
    {"sort", 0, "model|error|sure",
     "as in the model (default), the largest error or the least "
     "sure first"},
    {"top", 0, "N", "so many rows (default: 25 for people, all for machines; 0: all)"},
    kModuleMapFlag,
    kRulesFlag,
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    kFormatFlag,
    {"json", 0, nullptr, "the same as --format json"},
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier weights bert.onnx --checkpoint model.safetensors",
     "what each initializer is called in the checkpoint, and what was done to it"},
    {"onnx-hier weights llm.onnx --checkpoint model.safetensors.index.json --require all",
     "exit code 1 if a tensor of any shard is not in the model"},
    {"onnx-hier weights m.onnx --checkpoint m.gguf --require 'layers.*' --tolerance 0.01",
     "or if one of these modules is more than 1 % off"},
    {"onnx-hier weights m_int8.onnx --checkpoint m.onnx --sort error --format csv",
     "another model for a checkpoint: what quantising cost each weight"},
    {"onnx-hier weights m.onnx --checkpoint m.safetensors --rename -o named.onnx",
     "a model whose weights are called as in the checkpoint"},
    {"onnx-hier weights named.onnx --restore -o - | cmp - m.onnx", "the model as it was"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  const bool writes = flags.Has("rename") || flags.Has("restore");
  if (!writes) {
    for (const char* name : {"output", "in-place", "external-data", "no-sync", "force"}) {
      if (flags.Has(name)) return absl::StrCat("--", name, " goes with --rename or --restore");
    }
  }
  if (flags.Has("restore")) {
    for (const char* name : {"rename", "checkpoint", "require", "module", "sort", "top"}) {
      if (flags.Has(name)) return absl::StrCat("--restore takes no --", name);
    }
  } else if (!flags.Has(kCheckpointFlag.name)) {
    return "name a --checkpoint";
  }
  if (!writes) return "";
  if (std::string wrong = CheckOneOutput(flags, flags.arguments()[0]); !wrong.empty()) return wrong;
  if (flags.Value("output") == "-" && !flags.Has("quiet") && flags.Has("rename")) {
    return "a model on standard output and a table need --quiet";
  }
  return "";
}

class MatchCheckpoint final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    if (std::string wrong = WrongTreeFormat(flags()); !wrong.empty()) return Misused(wrong);
    const std::string sort = flags().Value("sort");
    if (!sort.empty() && sort != "model" && sort != "error" && sort != "sure") {
      return Misused(absl::StrCat("--sort takes model, error or sure, not '", sort, "'"));
    }
    if (flags().Has("tolerance")) {
      double tolerance = 0;
      if (!absl::SimpleAtod(flags().Value("tolerance"), &tolerance) || !(tolerance >= 0)) {
        return Misused(absl::StrCat("--tolerance takes a number from 0 on, not '",
                                    flags().Value("tolerance"), "'"));
      }
      if (!flags().Has("require")) return Misused("--tolerance goes with --require");
      tolerance_ = tolerance;
    }
    output_ = OneOutput(flags(), path(), flags().Has("rename") ? "_renamed" : "_restored");
    if (absl::Status status = Misused(CheckWriteFlags(flags(), output_)); !status.ok())
      return status;
    return ReadCount(flags(), "top", 0, top_);
  }

  absl::StatusOr<int> Run() override {
    if (flags().Has("restore")) return Restore();
    absl::Status status = flags().Has("rename") ? OpenAsItIs() : OpenFlat(Weights::kCopied);
    if (!status.ok()) return status;
    const Checkpoint& checkpoint = *options().checkpoint;
    const absl::StatusOr<WeightMatches> matches = MatchWeights(model(), checkpoint);
    if (!matches.ok()) return About(matches.status());
    for (const std::string& warning : matches->warnings) Warn(warning);
    status = PlaceWith(NamesOf(model(), checkpoint, *matches));
    if (!status.ok()) return status;
    WeightsReport report = {.input = ShownFileName(path()),
                            .hierarchy = hierarchy(),
                            .checkpoint = checkpoint,
                            .matches = *matches};
    absl::StatusOr<std::vector<ModuleId>> modules = Modules(flags().Values("module"));
    if (!modules.ok()) return modules.status();
    report.modules = *std::move(modules);
    const std::string sort = flags().Value("sort");
    report.order = sort == "error"  ? WeightOrder::kError
                   : sort == "sure" ? WeightOrder::kProbability
                                    : WeightOrder::kModel;
    const TreeFormat format = TreeFormatOf(flags());
    const bool is_for_people = format == TreeFormat::kText || format == TreeFormat::kMarkdown;
    const uint32_t top = flags().Has("top") ? top_ : is_for_people ? kUsualRows : 0;
    if (top > 0) report.most_rows = top;
    if (flags().Has("require")) {
      const absl::StatusOr<std::vector<bool>> asked =
          TensorsMeant(TensorNamesIn(model(), checkpoint, *matches), flags().Values("require"));
      if (!asked.ok()) return About(asked.status());
      report.is_required = true;
      report.unmet = UnmetTensors(*matches, *asked, tolerance_);
    }
    if (flags().Has("rename")) {
      absl::StatusOr<WeightRenaming> renaming = RenameWeights(model(), checkpoint, *matches);
      if (!renaming.ok()) return About(renaming.status());
      if (status = Put(*renaming); !status.ok()) return status;
    }
    if (flags().Has("quiet")) return report.unmet.empty() ? kDone : kFound;
    const int printed = PrintOrFail(format == TreeFormat::kText       ? WeightsText(report)
                                    : format == TreeFormat::kMarkdown ? WeightsMarkdown(report)
                                    : format == TreeFormat::kCsv      ? WeightsCsv(report)
                                                                      : WeightsJson(report));
    return printed == kDone && !report.unmet.empty() ? kFound : printed;
  }

 private:
  absl::StatusOr<int> Restore() {
    if (absl::Status status = OpenAsItIs(); !status.ok()) return status;
    const absl::StatusOr<WeightRenaming> renaming = RestoreWeightNames(model());
    if (!renaming.ok()) return About(renaming.status());
    if (renaming->renamed.empty() && !flags().Has("output") && !flags().Has("in-place")) {
      if (!flags().Has("quiet")) {
        SayLine(absl::StrCat(path(), ": its weights were not renamed: nothing was written"));
      }
      return kDone;
    }
    if (absl::Status status = Put(*renaming); !status.ok()) return status;
    return kDone;
  }

  absl::Status Put(const WeightRenaming& renaming) const {
    std::vector<std::string> warnings;
    absl::Status status =
        WriteOneOutput(flags(), path(), model(), renaming.edits, output_, warnings);
    if (!status.ok()) return status;
    WarnOf(warnings, flags());
    if (flags().Has("quiet") || output_ == "-") return status;
    const std::string kept =
        renaming.left.empty() ? "" : absl::StrCat(", ", renaming.left.size(), " keep their names");
    SayLine(absl::StrCat(OutputName(output_), ": ", Counted(renaming.renamed.size(), "weight"),
                         " renamed", kept));
    return status;
  }

  std::string output_;
  uint32_t top_ = 0;
  std::optional<double> tolerance_;
};

}  // namespace

CommandEntry WeightsCommand() {
  return {
      "weights",
      "IN.onnx --checkpoint FILE...",
      "which initializer is which tensor of the checkpoint, and what was done to it",
      "Finds the model's weights in a checkpoint by what they hold: as stored, transposed, in\n"
      "another order or type, quantised (QDQ, integer operators, MatMulNBits), scaled by a norm\n"
      "that was folded into them, put together or taken apart. Equal contents are told apart by\n"
      "names and by the weights around them.\n"
      "\n"
      "A checkpoint is FILE.safetensors; an index of several (model.safetensors.index.json);\n"
      "GGUF, whose blocks are dequantised; or an ONNX model. Pickled files (.bin, .pt) are not\n"
      "read: that would run what is in them. 'error' is how far numbers are from the tensor's,\n"
      "relative to their size, once scales are taken off.",
      kFlags,
      kExamples,
      Make<MatchCheckpoint>};
}

}  // namespace onnx_hier::cli
