#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/report/json_text.h"
#include "lib/report/summary.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/terminal.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"output", 'o', "OUT.onnx", "write the tagged model here ('-': standard output)"},
    {"output-dir", 0, "DIR", "write the outputs of all inputs into this folder"},
    {"in-place", 0, nullptr, "replace the input, atomically"},
    {"sidecar", 0, "FILE", "write the sidecar here ('-': standard output)"},
    {"no-sidecar", 0, nullptr, "write no sidecar"},
    {"sidecar-only", 0, nullptr, "write no model"},
    {"module-map", 0, "FILE", "JSON with the classes of the network's modules, by qualified name"},
    {"external-data", 0, "copy|keep", "what to do with data files when the folder changes"},
    {"no-sync", 0, nullptr, "do not wait until the outputs are on the disk"},
    {"force", 'f', nullptr, "replace existing outputs; allow an output over 2 GiB"},
    {"quiet", 'q', nullptr, "print nothing but errors"},
    {"json", 0, nullptr, "print the result as JSON on standard output"},
    {"help", 'h', nullptr, "show this help"},
};

constexpr Example kExamples[] = {
    {"onnx-hier tag bert.onnx", "writes bert_tagged.onnx and bert_tagged_hierarchy.json"},
    {"onnx-hier tag bert.onnx --in-place", "tags bert.onnx itself, writes bert_hierarchy.json"},
    {"onnx-hier tag *.onnx --output-dir tagged", "tags many models, each for itself"},
    {"onnx-hier tag bert.onnx --sidecar-only --sidecar -", "prints the hierarchy as JSON"},
    {"export | onnx-hier tag - -o - --no-sidecar | deploy", "a step in a pipeline"},
};

// What one input becomes.
struct Job {
  std::string input;
  std::string model;    // "": none; "-": standard output
  std::string sidecar;  // likewise
};

struct Outcome {
  Job job;
  std::string error;  // "": it went well
  Summary summary;
  double milliseconds = 0;
};

std::string DisplayName(const std::string& path) { return path == "-" ? "standard input" : path; }

// The rules of how flags go together. Returns what is wrong, or "".
std::string CheckFlags(const ParsedFlags& flags) {
  const size_t inputs = flags.arguments().size();
  const bool in_place = flags.Has("in-place");
  const bool to_folder = flags.Has("output-dir");
  if (inputs == 0) return "name at least one model";
  if (flags.Has("output") + in_place + to_folder > 1) {
    return "--output, --output-dir and --in-place exclude each other";
  }
  if (flags.Has("no-sidecar") && (flags.Has("sidecar") || flags.Has("sidecar-only"))) {
    return "--no-sidecar goes with neither --sidecar nor --sidecar-only";
  }
  if (flags.Has("sidecar-only") && (in_place || flags.Has("output"))) {
    return "--sidecar-only writes no model: it goes with neither --output nor --in-place";
  }
  if (inputs > 1 && !in_place && !to_folder) {
    return "several models need --output-dir or --in-place";
  }
  if (inputs > 1 && flags.Has("sidecar")) return "--sidecar names one file: give one model";
  const std::string external = flags.Value("external-data");
  if (flags.Has("external-data") && external != "copy" && external != "keep") {
    return absl::StrCat("--external-data takes copy or keep, not '", external, "'");
  }
  const bool stream_out = flags.Value("output") == "-";
  if (stream_out && flags.Value("sidecar") == "-") {
    return "the model and the sidecar cannot both go to standard output";
  }
  if (flags.Has("json") && (stream_out || flags.Value("sidecar") == "-")) {
    return "--json needs standard output for itself";
  }
  std::set<std::string> names;
  for (const std::string& input : flags.arguments()) {
    if (input == "-" && !flags.Has("output") && !flags.Has("sidecar-only")) {
      return "standard input needs --output";
    }
    if ((input == "-" || stream_out) && !flags.Has("sidecar") && !flags.Has("no-sidecar") &&
        (stream_out || flags.Has("sidecar-only"))) {
      return "without a file name for the model, the sidecar needs --sidecar (or --no-sidecar)";
    }
    if (to_folder && !names.insert(FileName(input)).second) {
      return absl::StrCat("two inputs are named ", FileName(input),
                          ": their outputs would be one file");
    }
  }
  return "";
}

Job PlanJob(const std::string& input, const ParsedFlags& flags) {
  Job job;
  job.input = input;
  if (flags.Has("in-place")) {
    job.model = input;
  } else if (flags.Has("output")) {
    job.model = flags.Value("output");
  } else {
    job.model = ModelBeside(input, "_tagged", flags.Value("output-dir"));
  }
  if (flags.Has("sidecar")) {
    job.sidecar = flags.Value("sidecar");
  } else if (!flags.Has("no-sidecar")) {
    job.sidecar = SidecarOf(job.model);
  }
  if (flags.Has("sidecar-only")) job.model.clear();
  return job;
}

absl::Status WriteOutputs(const Model& model, const Annotation& annotation, const Job& job,
                          const WriteOptions& base) {
  WriteOptions options = base;
  if (job.model.empty()) {
    return job.sidecar == "-" ? WriteSidecarToStream(model, annotation, STDOUT_FILENO)
                              : WriteSidecar(model, annotation, job.sidecar, options);
  }
  const bool sidecar_apart = job.model == "-" || job.sidecar == "-";
  if (!sidecar_apart) options.sidecar = job.sidecar;
  absl::Status status = job.model == "-"
                            ? WriteTaggedToStream(model, annotation, STDOUT_FILENO, options)
                            : WriteTagged(model, annotation, job.model, options);
  if (!status.ok() || !sidecar_apart || job.sidecar.empty()) return status;
  return job.sidecar == "-" ? WriteSidecarToStream(model, annotation, STDOUT_FILENO)
                            : WriteSidecar(model, annotation, job.sidecar, options);
}

// The error's text, with the file it is about in front.
std::string Describe(const std::string& path, const absl::Status& status) {
  return absl::StrCat(DisplayName(path), ": ", status.message());
}

// Done with one model; errors are returned as text. Cancelled: a reader or the user went away.
absl::StatusOr<Summary> TagOne(const Job& job, const ParsedFlags& flags,
                               const AnnotateOptions& annotate, std::string* error) {
  absl::StatusOr<Model> model =
      job.input == "-" ? Model::FromStream(STDIN_FILENO) : Model::Open(job.input);
  if (!model.ok()) {
    *error = Describe(job.input, model.status());
    return model.status();
  }
  const Annotation annotation = Annotate(*model, annotate);
  Progress progress(DisplayName(job.input), model->file_size(),
                    flags.Has("quiet") || job.model.empty());
  WriteOptions options;
  options.replace = flags.Has("force");
  options.allow_over_2gib = flags.Has("force");
  options.in_place = flags.Has("in-place");
  options.sync = !flags.Has("no-sync");
  options.external_data = flags.Value("external-data") == "copy"   ? ExternalData::kCopy
                          : flags.Value("external-data") == "keep" ? ExternalData::kKeep
                                                                   : ExternalData::kRefuse;
  options.cancel = CatchInterrupts();
  options.progress = progress.counter();
  if (absl::Status status = WriteOutputs(*model, annotation, job, options); !status.ok()) {
    const std::string& about = job.model.empty() ? job.sidecar : job.model;
    *error = about == "-" ? Describe("standard output", status) : Describe(about, status);
    return status;
  }
  return Summarize(annotation);
}

std::string SummaryLine(const Outcome& outcome) {
  const Summary& summary = outcome.summary;
  return absl::StrFormat(
      "%s: %d of %d nodes tagged (%s), %.0f ms\n",
      outcome.job.model.empty() ? DisplayName(outcome.job.input) : outcome.job.model,
      summary.tagged, summary.nodes, MethodsText(summary), outcome.milliseconds);
}

void AppendOutcome(const Outcome& outcome, JsonText& json) {
  const auto path_or_null = [&json](const char* key, const std::string& path) {
    json.Key(key);
    if (path.empty()) {
      json.Null();
    } else {
      json.String(path);
    }
  };
  json.NewLine();
  json.BeginObject();
  json.Key("input").String(outcome.job.input);
  path_or_null("output", outcome.job.model);
  path_or_null("sidecar", outcome.job.sidecar);
  json.Key("status").String(outcome.error.empty() ? "ok" : "error");
  path_or_null("error", outcome.error);
  AppendSummaryFields(outcome.summary, json);
  json.Key("milliseconds").Raw(absl::StrFormat("%.1f", outcome.milliseconds));
  json.EndObject();
}

std::string ResultJson(const std::vector<Outcome>& outcomes) {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("schema").String("onnx-hier/tag-result");
  json.Key("schema_version").Unsigned(1);
  json.Key("files").BeginArray();
  for (const Outcome& outcome : outcomes) AppendOutcome(outcome, json);
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = CheckFlags(flags); !wrong.empty()) {
    return UsageError("tag", wrong);
  }
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  int code = kDone;
  std::vector<Outcome> outcomes;
  for (const std::string& input : flags.arguments()) {
    Outcome outcome;
    outcome.job = PlanJob(input, flags);
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<Summary> summary = TagOne(outcome.job, flags, *annotate, &outcome.error);
    outcome.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (summary.ok()) {
      outcome.summary = *summary;
      if (!flags.Has("quiet")) Say(SummaryLine(outcome));
    } else if (absl::IsCancelled(summary.status())) {
      // Interrupted, or nobody reads our output any more: not an error of the model.
      return CatchInterrupts()->load() ? kFailed : code;
    } else {
      code = Fail(outcome.error);
    }
    outcomes.push_back(std::move(outcome));
  }
  if (flags.Has("json") && !Print(ResultJson(outcomes))) {
    return Fail("cannot write to standard output");
  }
  return code;
}

}  // namespace

Command TagCommand() {
  return {"tag",
          "IN.onnx...",
          "write each node's module into its doc_string, and a JSON sidecar",
          "Reads an ONNX model, works out which module of the original network each node belongs\n"
          "to, and writes IN_tagged.onnx with the answer in the nodes' doc_strings, beside\n"
          "IN_tagged_hierarchy.json with the whole hierarchy. Nothing else in the model changes;\n"
          "'onnx-hier strip' gives back the original file. '-' is standard input.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
