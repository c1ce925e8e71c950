// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
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
    {"call", 0, "K", "of a module that runs several times, its run K (from 0; default: 0)"},
    {"up-to", 0, nullptr, "with all that the modules need, from the model's inputs on"},
    {"from", 0, nullptr, "with all that needs the modules, to the model's outputs"},
    {"probe", 0, "FILE",
     "write the whole model, with the part's inputs and outputs as outputs of its own",
     /*repeatable=*/false, ".onnx"},
    {"strict", 0, nullptr, "exit with 1 if there is anything to be warned of"},
    kModuleMapFlag,
    kCutDataFlag,
    kNoSyncFlag,
    kForceFlag,
    {"json", 0, nullptr, "print what the part holds as JSON"},
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier extract bert.onnx /bert/encoder/layer.3", "writes bert_bert.encoder.layer.3.onnx"},
    {"onnx-hier extract bert.onnx 'bert.encoder.layer.[2-5]' -o middle.onnx",
     "a range of layers, with what lies between"},
    {"onnx-hier extract bert.onnx --up-to /bert/encoder/layer.3 -o head.onnx",
     "the model's inputs to the end of the layer"},
    {"onnx-hier extract albert.onnx '**.albert_layers.0' --call 2",
     "the third run of a shared layer"},
    {"onnx-hier extract bert.onnx bert.encoder.layer.3 --probe probe.onnx",
     "the whole model, which also gives out what the layer reads and makes"},
};

// What a run of the command works with.
struct Job {
  const ParsedFlags& flags;
  const Model& model;
  const Hierarchy& hierarchy;
  Cutter& cutter;
};

std::string OutputPath(const Job& job, const PartRequest& request) {
  if (job.flags.Has("output")) return job.flags.Value("output");
  if (job.flags.Has("probe")) return "";
  return ModelBeside(job.flags.arguments()[0], FileNamePart(job.hierarchy, request), "");
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() < 2) return "name one model and a module";
  if (flags.Has("up-to") && flags.Has("from")) return "--up-to and --from exclude each other";
  if (flags.arguments()[0] == "-" && !flags.Has("output") && !flags.Has("probe")) {
    return "standard input needs --output";
  }
  const int streams =
      (flags.Value("output") == "-" ? 1 : 0) + (flags.Value("probe") == "-" ? 1 : 0);
  if (streams > 0 && flags.Has("json")) {
    return "--json and a model cannot both go to standard output";
  }
  if (streams > 1) return "two models cannot both go to standard output";
  return CheckPartWriteFlags(flags, flags.Value("output"));
}

absl::StatusOr<PartRequest> ReadRequest(const ParsedFlags& flags, const Hierarchy& hierarchy) {
  PartRequest request;
  const std::vector<std::string> patterns(flags.arguments().begin() + 1, flags.arguments().end());
  const absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, patterns);
  if (!modules.ok()) return modules.status();
  request.modules = WithoutInner(hierarchy, *modules);
  request.reach = flags.Has("up-to")  ? Reach::kUpTo
                  : flags.Has("from") ? Reach::kFrom
                                      : Reach::kModules;
  if (flags.Has("call")) {
    const absl::StatusOr<uint32_t> call = ParseCount(flags, "call", 0);
    if (!call.ok()) return call.status();
    request.call = *call;
  }
  return request;
}

PartResult Describe(const Job& job, const Part& part) {
  PartResult result = DescribePart(job.model.graph(), job.hierarchy, job.cutter, part);
  result.input = job.flags.arguments()[0];
  return result;
}

// The part, made by `edits`, the probe, or both.
absl::Status WritePart(const Job& job, const Part& part, const Edits& edits, PartResult& result) {
  absl::StatusOr<Edits> probe = Edits();
  if (!result.probe.empty()) probe = job.cutter.ProbeEditsOf(part);
  if (!probe.ok()) return probe.status();
  std::vector<Output> outputs;
  if (!result.output.empty()) outputs.emplace_back(edits, To(result.output));
  if (!result.probe.empty()) outputs.emplace_back(*probe, To(result.probe));
  WriteOptions options = PartWriteOptionsOf(job.flags);
  options.warnings = &result.warnings;
  std::vector<Written> written;
  options.written = &written;
  absl::Status status = Write(job.model, outputs, options);
  if (status.ok()) NoteWritten(written, result);
  return status;
}

int Tell(const Job& job, PartResult result) {
  WarnOf(result.warnings, job.flags);
  const int code = job.flags.Has("strict") && !result.warnings.empty() ? kFound : kDone;
  if (job.flags.Has("json")) {
    const int printed = PrintOrFail(PartResultJson(result));
    return printed == kDone ? code : printed;
  }
  if (job.flags.Has("quiet")) return code;
  if (!result.output.empty()) result.output = OutputName(result.output);
  if (!result.probe.empty()) result.probe = OutputName(result.probe);
  Say(PartResultText(result));
  return code;
}

int RunJob(const Job& job) {
  absl::StatusOr<PartRequest> request = ReadRequest(job.flags, job.hierarchy);
  const std::string input = InputName(job.flags.arguments()[0]);
  if (!request.ok()) return Fail(absl::StrCat(input, ": ", request.status().message()));
  std::vector<std::string> notes;
  ChooseCall(job.hierarchy, job.cutter, *request, notes);
  const absl::StatusOr<Part> part = job.cutter.Cut(*request);
  if (!part.ok()) return Fail(absl::StrCat(input, ": ", part.status().message()));
  PartResult result = Describe(job, *part);
  result.warnings.insert(result.warnings.begin(), notes.begin(), notes.end());
  result.output = OutputPath(job, *request);
  result.probe = job.flags.Value("probe");
  const std::string& first = result.output.empty() ? result.probe : result.output;
  const TextFile map = {"the module map", job.flags.Value("module-map")};
  for (const std::string& output : {result.output, result.probe}) {
    const absl::Status fits = CheckOutput(job.model, result.input, output, job.flags, {&map, 1});
    if (!fits.ok()) return Fail(fits.message());
  }
  absl::StatusOr<Edits> edits = Edits();
  // A probe can do without the types that a part must tell.
  if (!result.output.empty()) edits = job.cutter.EditsOf(*part);
  if (!edits.ok()) return Fail(absl::StrCat(input, ": ", edits.status().message()));
  const absl::Status status = WritePart(job, *part, *edits, result);
  if (absl::IsCancelled(status)) return CatchInterrupts()->load() ? kFailed : kDone;
  if (!status.ok()) return Fail(absl::StrCat(OutputName(first), ": ", status.message()));
  return Tell(job, std::move(result));
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) {
    return UsageError("extract", wrong);
  }
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const std::string& path = flags.arguments()[0];
  const absl::StatusOr<Model> model = OpenFlatModel(path, Weights::kCopied);
  if (!model.ok()) return Fail(model.status().message());
  const Annotation annotation = Annotate(*model, *annotate);
  const Hierarchy hierarchy(model->graph(), annotation);
  absl::StatusOr<Cutter> cutter = Cutter::For(*model, hierarchy);
  if (!cutter.ok()) return Fail(absl::StrCat(InputName(path), ": ", cutter.status().message()));
  return RunJob({flags, *model, hierarchy, *cutter});
}

}  // namespace

Command ExtractCommand() {
  return {
      "extract",
      "IN.onnx PATTERN...",
      "write a module, or a range of them, as a model of its own",
      "Writes the nodes of a module with the parameters that they read, their names unchanged.\n"
      "Constants and shape arithmetic that it needs from elsewhere are copied along; all else "
      "that\n"
      "it reads becomes an input. Run on the values that the whole model computes, it computes "
      "the\n"
      "same. A pattern (see 'onnx-hier select --help') that means several modules takes what lies\n"
      "between them as well. Of a module in a local function's body, or inside of an If or a "
      "Loop,\n"
      "that body becomes the graph, as its first call runs it (or --call K). Weights are copied,\n"
      "never parsed. '-' is standard input.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
