// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/apply_original.h"

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier_program/summary.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/stopwatch.h"
#include "tools/onnx-hier/tag_outputs.h"
#include "tools/onnx-hier/tag_report.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

absl::Status WriteTagged(const Model& model, const Annotation& annotation, const ParsedFlags& flags,
                         JobFiles& job, TagResult& result) {
  job.data = model.external_locations();
  job.copies_data = flags.Value("external-data") == "copy" && !job.model.empty();
  const TextFile original = {"the original", flags.arguments()[0]};
  if (absl::Status status = CheckJobFiles({&job, 1}, {&original, 1}); !status.ok()) return status;
  Progress progress(InputName(job.input), model.file_size(),
                    flags.Has("quiet") || job.model.empty());
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &result.warnings;
  return WriteTagOutputs(model, annotation, {}, {}, {}, job, options);
}

// What was not transferred was worked out, as without an original.
uint64_t CountTransferred(const Summary& summary) {
  uint64_t count = 0;
  for (const Method method :
       {Method::kTransferValue, Method::kTransferName, Method::kTransferParameter,
        Method::kTransferRegion, Method::kNodeName, Method::kMetadata}) {
    count += summary.by_method[static_cast<size_t>(method)];
  }
  return count;
}

int Report(const ParsedFlags& flags, const TagResult& result) {
  if (flags.Has("json")) return PrintOrFail(TagResultsJson({&result, 1}));
  WarnOf(result.warnings, flags);
  if (!flags.Has("quiet")) SayLine(SummaryLine(result));
  return kDone;
}

}  // namespace

bool IsModelFile(const std::string& path) {
  if (path == "-") return false;
  if (absl::EndsWith(path, ".onnx")) return true;
  // The field with which exporters begin, the IR version: no character of a text.
  constexpr int kFirstByte = 0x08;
  return std::ifstream(path, std::ios::binary).peek() == kFirstByte;
}

std::string CheckSidecarFlags(const ParsedFlags& flags, const std::string& output) {
  const bool takes_model = IsModelFile(flags.arguments()[0]);
  for (const char* name : {"sidecar", "sidecar-only", "json"}) {
    if (flags.Has(name) && !takes_model) {
      return absl::StrCat("--", name, " goes with an original model, not with a sidecar");
    }
  }
  if (std::string wrong = CheckSidecarOnly(flags); !wrong.empty()) return wrong;
  if (flags.Has("sidecar-only") && !flags.Has("sidecar")) return "--sidecar-only needs --sidecar";
  const int to_stdout = (output == "-" && !flags.Has("sidecar-only") ? 1 : 0) +
                        (flags.Value("sidecar") == "-" ? 1 : 0) + (flags.Has("json") ? 1 : 0);
  return to_stdout > 1 ? "only one thing can go to standard output" : "";
}

absl::StatusOr<int> ApplyOriginal(const ParsedFlags& flags, const std::string& output) {
  const Stopwatch watch;
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return annotate.status();
  const std::string& input = flags.arguments()[1];
  const absl::StatusOr<Model> original = OpenFlatModel(flags.arguments()[0], Weights::kCopied);
  if (!original.ok()) return original.status();
  const absl::StatusOr<Model> model = OpenModel(input);
  if (!model.ok()) return model.status();
  absl::Status status = CheckTagsMayChange(*model);
  if (!status.ok()) return Named(InputName(input), status);
  JobFiles job;
  job.input = input;
  job.model = output;
  job.sidecar = flags.Value("sidecar");
  TagResult result = ResultOf(job);
  const absl::StatusOr<AnnotateOptions> named =
      OptionsFor(*model, input, *annotate, result.warnings);
  if (!named.ok()) return named.status();
  const absl::StatusOr<Annotation> annotation =
      AnnotateFrom(*original, *model, *named, &result.warnings);
  if (!annotation.ok()) return Named(InputName(input), annotation.status());
  const absl::Status order = CheckOrder(*original, *model);
  if (!order.ok() && !flags.Has("force")) {
    return Named(InputName(input), absl::FailedPreconditionError(absl::StrCat(
                                       order.message(),
                                       "; the original comes first ('--force' takes them as they "
                                       "are)")));
  }
  if (!order.ok()) result.warnings.push_back(absl::StrCat("the model ", order.message()));
  result.summary = Summarize(*annotation);
  const uint64_t left = result.summary.nodes - CountTransferred(result.summary);
  if (flags.Has("strict") && left > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(InputName(input), ": ", Counted(left, "node has", "nodes have"),
                     " no counterpart in the original; nothing was written"));
  }
  status = WriteTagged(*model, *annotation, flags, job, result);
  if (!status.ok()) return Named(OutputName(output.empty() ? job.sidecar : output), status);
  result.milliseconds = watch.milliseconds();
  return Report(flags, result);
}

}  // namespace onnx_hier::cli
