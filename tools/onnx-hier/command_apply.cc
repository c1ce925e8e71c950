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
  const std::string& input = flags.arguments()[1];
  return flags.Has("in-place")       ? input
         : flags.Has("output")       ? flags.Value("output")
         : flags.Has("sidecar-only") ? ""
                                     : ModelBeside(input, "_tagged", "");
}

std::string CheckFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name a sidecar or an original, and a model";
  const std::string& first = flags.arguments()[0];
  const std::string& second = flags.arguments()[1];
  if (IsModelFile(first) && absl::EndsWith(second, ".json")) {
    return absl::StrCat("the sidecar comes first: 'onnx-hier apply ", second, " ", first, "'");
  }
  if (flags.Has("output") && flags.Has("in-place")) {
    return "--output and --in-place exclude each other";
  }
  if (flags.arguments()[1] == "-" && !flags.Has("output") && !flags.Has("sidecar-only")) {
    return "standard input needs --output";
  }
  if (flags.arguments()[0] == "-" && flags.arguments()[1] == "-") {
    return "only one of the two can be standard input";
  }
  if (std::string wrong = CheckSidecarFlags(flags, OutputPath(flags)); !wrong.empty()) return wrong;
  return CheckWriteFlags(flags, OutputPath(flags));
}

int Write(const Model& model, const ParsedFlags& flags, TagFile file, const TagMatches& matches) {
  const std::string& input = flags.arguments()[1];
  const std::string output = OutputPath(flags);
  const std::string& sidecar = flags.arguments()[0];
  const TextFile text = {"the sidecar", sidecar};
  if (const absl::Status status = CheckOutput(model, input, output, flags, {&text, 1});
      !status.ok()) {
    return Fail(status.message());
  }
  const std::vector<GivenTag> tags = GivenTagsOf(std::move(file.entries), matches);
  Progress progress(InputName(input), model.file_size(), flags.Has("quiet"));
  std::vector<std::string> warnings;
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &warnings;
  const absl::Status status =
      Write(model, GivenTagEdits(model, tags, file.classes), To(output), options);
  if (absl::IsCancelled(status)) return CatchInterrupts()->load() ? kFailed : kDone;
  if (!status.ok()) return Fail(absl::StrCat(OutputName(output), ": ", status.message()));
  WarnOf(warnings, flags);
  if (!flags.Has("quiet")) {
    SayLine(absl::StrCat(OutputName(output), ": ", tags.size(), " of ", model.graph().node_count(),
                         " nodes tagged (", matches.by_id, " matched by id, ", matches.by_output,
                         " by output, ", matches.by_name, " by name)"));
    Say(ProblemsText(matches.problems, flags.Has("verbose")));
  }
  return kDone;
}

absl::StatusOr<TagFile> ReadTagFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<TagFile> file = ParseTagFile(*text);
  if (file.ok()) return file;
  return absl::InvalidArgumentError(absl::StrCat(InputName(path), ": ", file.status().message()));
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = CheckFlags(flags); !wrong.empty()) {
    return UsageError("apply", wrong);
  }
  const std::string& sidecar = flags.arguments()[0];
  if (IsModelFile(sidecar)) return ApplyOriginal(flags, OutputPath(flags));
  absl::StatusOr<TagFile> file = ReadTagFile(sidecar);
  if (!file.ok()) return Fail(file.status().message());
  const absl::StatusOr<Model> model = OpenModel(flags.arguments()[1]);
  if (!model.ok()) return Fail(model.status().message());
  if (const absl::Status status = CheckTagsMayChange(*model); !status.ok()) {
    return Fail(absl::StrCat(InputName(flags.arguments()[1]), ": ", status.message()));
  }
  const TagMatches matches = MatchTags(model->graph(), *file);
  if (const absl::Status status =
          CheckMatches(model->graph(), InputName(flags.arguments()[1]), *file, matches);
      !status.ok()) {
    return Fail(absl::StrCat(InputName(sidecar), ": ", status.message()));
  }
  if (flags.Has("strict") && !matches.problems.empty()) {
    Say(ProblemsText(matches.problems, flags.Has("verbose")));
    return Fail(absl::StrCat(InputName(sidecar), ": does not match in ", matches.problems.size(),
                             " places; nothing was written"));
  }
  return Write(*model, flags, *std::move(file), matches);
}

}  // namespace

Command ApplyCommand() {
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
      Run};
}

}  // namespace onnx_hier::cli
