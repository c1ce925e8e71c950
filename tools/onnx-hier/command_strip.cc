#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    kOutputFlag, kInPlaceFlag, kExternalDataFlag, kNoSyncFlag, kForceFlag, kQuietFlag, kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier strip bert_tagged.onnx", "writes bert_tagged_stripped.onnx"},
    {"onnx-hier strip bert.onnx --in-place", "takes the tags out of bert.onnx"},
    {"onnx-hier strip bert_tagged.onnx -o - | sha256sum", "the checksum of the original file"},
};

int Run(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return UsageError("strip", "name one model");
  if (flags.Has("output") && flags.Has("in-place")) {
    return UsageError("strip", "--output and --in-place exclude each other");
  }
  const std::string& input = flags.arguments()[0];
  if (input == "-" && !flags.Has("output")) {
    return UsageError("strip", "standard input needs --output");
  }
  const std::string output = flags.Has("in-place") ? input
                             : flags.Has("output") ? flags.Value("output")
                                                   : ModelBeside(input, "_stripped", "");
  if (const std::string wrong = CheckWriteFlags(flags, output); !wrong.empty()) {
    return UsageError("strip", wrong);
  }
  const absl::StatusOr<Model> model = OpenModel(input);
  if (!model.ok()) return Fail(model.status().message());
  if (const absl::Status status = CheckTagsMayChange(*model); !status.ok()) {
    return Fail(absl::StrCat(InputName(input), ": ", status.message()));
  }
  Progress progress(InputName(input), model->file_size(), flags.Has("quiet"));
  std::vector<std::string> warnings;
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &warnings;
  const absl::Status status = Write(*model, StripEdits(*model), To(output), options);
  if (absl::IsCancelled(status)) return CatchInterrupts()->load() ? kFailed : kDone;
  if (!status.ok()) return Fail(absl::StrCat(OutputName(output), ": ", status.message()));
  WarnOf(warnings, flags);
  if (!flags.Has("quiet")) {
    SayLine(absl::StrCat(OutputName(output), ": tags taken out of ", CountTagged(*model), " of ",
                         model->graph().node_count(), " nodes"));
  }
  return kDone;
}

}  // namespace

Command StripCommand() {
  return {
      "strip",
      "IN.onnx",
      "take the tags out again: gives back the file as it was before 'tag'",
      "Restores the doc_strings that stood in the nodes before they were tagged, and takes away\n"
      "names that 'tag --name-nodes' gave: byte for byte for files in canonical protobuf "
      "encoding.\n"
      "'-' is standard input.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
