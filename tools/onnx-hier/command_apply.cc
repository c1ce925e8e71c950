// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/apply_original.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_output.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// Problems that are shown; --verbose shows all.
constexpr size_t kShownProblems = 10;

constexpr Flag kFlags[] = {
    kOutputFlag,
    kInPlaceFlag,
    {"sidecar", 0, "FILE", "of an original: write the sidecar here ('-': standard output)",
     /*repeatable=*/false, ".json"},
    {"sidecar-only", 0, nullptr, "of an original: write no model"},
    kModuleMapFlag,
    kCheckpointFlag,
    kRulesFlag,
    {"strict", 0, nullptr, "write nothing unless every entry and every node matches"},
    {"verbose", 'v', nullptr, "show every entry and node that does not match"},
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    kQuietFlag,
    {"json", 0, nullptr, "of an original: print the result as JSON on standard output"},
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier apply bert_hierarchy.json bert.onnx", "writes bert_tagged.onnx"},
    {"onnx-hier apply edited.json bert.onnx --in-place",
     "takes over tags that were edited by hand"},
    {"onnx-hier apply bert_hierarchy.json bert_optimized.onnx -o out.onnx",
     "gives tags to a model whose tool dropped them"},
    {"onnx-hier apply bert.onnx bert_optimized.onnx",
     "the same without a sidecar, from the model that was optimised"},
};

std::string ProblemsText(const std::vector<std::string>& problems, bool all) {
  std::string text;
  const size_t shown = all ? problems.size() : std::min(problems.size(), kShownProblems);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&text, "  ", SafeForTerminal(problems[i]), "\n");
  }
  if (shown < problems.size()) {
    absl::StrAppend(&text, "  and ", problems.size() - shown, " more (--verbose shows all)\n");
  }
  return text;
}

std::string OutputPath(const ParsedFlags& flags) {
  const bool names_output = flags.Has("in-place") || flags.Has("output");
  if (flags.Has("sidecar-only") && !names_output) return "";
  return OneOutput(flags, flags.arguments()[1], "_tagged");
}

std::string CheckFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name a sidecar or an original, and a model";
  const std::string& first = flags.arguments()[0];
  const std::string& second = flags.arguments()[1];
  if (IsModelFile(first) && absl::EndsWith(second, ".json")) {
    return absl::StrCat("the sidecar comes first: 'onnx-hier apply ", second, " ", first, "'");
  }
  if (std::string wrong = CheckOneOutput(flags, second, "sidecar-only"); !wrong.empty()) {
    return wrong;
  }
  if (first == "-" && second == "-") {
    return "only one of the two can be standard input";
  }
  if (std::string wrong = CheckSidecarFlags(flags, OutputPath(flags)); !wrong.empty()) return wrong;
  return CheckWriteFlags(flags, OutputPath(flags));
}

absl::StatusOr<TagFile> ReadTagFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<TagFile> file = ParseTagFile(*text);
  if (file.ok()) return file;
  return absl::InvalidArgumentError(absl::StrCat(InputName(path), ": ", file.status().message()));
}

class ApplyTags final : public Command {
 public:
  using Command::Command;

  absl::Status Setup() override {
    if (std::string wrong = CheckFlags(flags()); !wrong.empty()) return Misused(wrong);
    output_ = OutputPath(flags());
    return absl::OkStatus();
  }

  absl::StatusOr<int> Run() override {
    if (IsModelFile(source())) return ApplyOriginal(flags(), output_);
    absl::StatusOr<TagFile> file = ReadTagFile(source());
    if (!file.ok()) return file.status();
    const absl::StatusOr<Model> model = OpenModel(input());
    if (!model.ok()) return model.status();
    if (absl::Status status = CheckTagsMayChange(*model); !status.ok()) {
      return Named(InputName(input()), status);
    }
    const TagMatches matches = MatchTags(model->graph(), *file);
    absl::Status status = CheckMatches(model->graph(), InputName(input()), *file, matches);
    if (!status.ok()) return Named(InputName(source()), status);
    if (flags().Has("strict") && !matches.problems.empty()) {
      Say(ProblemsText(matches.problems, flags().Has("verbose")));
      return absl::FailedPreconditionError(absl::StrCat(InputName(source()), ": does not match in ",
                                                        matches.problems.size(),
                                                        " places; nothing was written"));
    }
    status = Write(*model, *std::move(file), matches);
    if (!status.ok()) return status;
    return kDone;
  }

 private:
  const std::string& source() const { return flags().arguments()[0]; }
  const std::string& input() const { return flags().arguments()[1]; }

  absl::Status Write(const Model& model, TagFile file, const TagMatches& matches) const {
    const TextFile text = {"the sidecar", source()};
    absl::Status status = CheckOutput(model, input(), output_, flags(), {&text, 1});
    if (!status.ok()) return status;
    const std::vector<GivenTag> tags = GivenTagsOf(std::move(file.entries), matches);
    std::vector<std::string> warnings;
    status = WriteOneOutput(flags(), input(), model, GivenTagEdits(model, tags, file.classes),
                            output_, warnings);
    if (!status.ok() || flags().Has("quiet")) return status;
    WarnOf(warnings, flags());
    SayLine(absl::StrCat(OutputName(output_), ": ", WithThousands(tags.size()), " of ",
                         Counted(model.graph().node_count(), "node"), " tagged (",
                         WithThousands(matches.by_id), " matched by id, ",
                         WithThousands(matches.by_output), " by output, ",
                         WithThousands(matches.by_name), " by name)"));
    Say(ProblemsText(matches.problems, flags().Has("verbose")));
    return status;
  }

  std::string output_;
};

}  // namespace

CommandEntry ApplyCommand() {
  return {
      "apply",
      "SIDECAR.json|ORIGINAL.onnx IN.onnx",
      "write the tags of a sidecar, or of the original, into a model",
      "Takes the tags of a sidecar, which may have been edited by hand or written by another\n"
      "tool, and writes them into the doc_strings of a model. Entries are matched by id and\n"
      "name, then by output name, then by a name that only one node has; those of nodes without\n"
      "a name of their own by the output. What does not match is listed, and such nodes stay\n"
      "as they are; where hardly anything matches, nothing is written.\n"
      "\n"
      "With the model that the other one was made from (by an optimiser, a quantiser, a\n"
      "conversion to float16) in the sidecar's place, each node gets the module of what it\n"
      "stands for there: nodes are matched by the values that they make, by names, by the\n"
      "parameters that they read, and by where they stand. What has no counterpart is worked\n"
      "out as 'tag' does. Nothing is written if the model was made from another one.",
      kFlags,
      kExamples,
      Make<ApplyTags>};
}

}  // namespace onnx_hier::cli
