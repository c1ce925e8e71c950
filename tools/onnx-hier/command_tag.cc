// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/job_files.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/flags.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/many_inputs.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/model_jobs.h"
#include "tools/onnx-hier/output_places.h"
#include "tools/onnx-hier/tag_outputs.h"
#include "tools/onnx-hier/tag_report.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// The rules of how flags go together. Returns what is wrong, or "".
std::string CheckForms(const ParsedFlags& flags) {
  if (flags.Has("no-sidecar") && (flags.Has("sidecar") || flags.Has("sidecar-only"))) {
    return "--no-sidecar goes with neither --sidecar nor --sidecar-only";
  }
  if (std::string wrong = CheckSidecarOnly(flags); !wrong.empty()) return wrong;
  if (flags.Has("no-sidecar") && flags.Has("columns")) {
    return "--no-sidecar writes no sidecar, in which --columns could say something";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  if (flags.Has("no-sidecar") && flags.Has("values")) {
    return "--no-sidecar writes no sidecar, in which --values could say something";
  }
  if (flags.Has("sidecar-only") && flags.Has("metadata")) {
    return "--sidecar-only writes no model, in which --metadata could put anything";
  }
  if (flags.Has("sidecar-only") && flags.Has("name-nodes")) {
    return "--sidecar-only writes no model, whose nodes --name-nodes could name";
  }
  if (flags.Has("json") && flags.Has("json-lines")) {
    return "--json and --json-lines exclude each other";
  }
  if (IsForSeveral(flags) && flags.Has("sidecar"))
    return "--sidecar names one file: give one model";
  return "";
}

// The rules of what goes to and comes from where.
std::string CheckStreams(const ParsedFlags& flags) {
  const bool stream_out = flags.Value("output") == "-";
  if (stream_out && flags.Value("sidecar") == "-") {
    return "the model and the sidecar cannot both go to standard output";
  }
  for (const char* json : {"json", "json-lines"}) {
    if (flags.Has(json) && (stream_out || flags.Value("sidecar") == "-")) {
      return absl::StrCat("--", json, " needs standard output for itself");
    }
  }
  const bool sidecar_named = flags.Has("sidecar") || flags.Has("no-sidecar");
  for (const std::string& input : flags.arguments()) {
    if (input == "-" && !flags.Has("output") && !flags.Has("sidecar-only")) {
      return "standard input needs --output";
    }
    if (!sidecar_named &&
        (IsStream(flags.Value("output")) || (input == "-" && flags.Has("sidecar-only")))) {
      return "without a file name for the model, the sidecar needs --sidecar (or --no-sidecar)";
    }
  }
  return "";
}

absl::StatusOr<JobFiles> PlanJob(const std::string& input, const ParsedFlags& flags) {
  JobFiles job;
  job.input = input;
  if (flags.Has("in-place")) {
    job.model = input;
  } else if (flags.Has("output")) {
    job.model = flags.Value("output");
  } else {
    const absl::StatusOr<std::string> folder = FolderFor(input, flags);
    if (!folder.ok()) return folder.status();
    job.model = ModelBeside(input, "_tagged", *folder);
  }
  if (flags.Has("sidecar")) {
    job.sidecar = flags.Value("sidecar");
  } else if (!flags.Has("no-sidecar")) {
    job.sidecar = SidecarOf(job.model);
  }
  if (flags.Has("sidecar-only")) job.model.clear();
  job.copies_data = flags.Value("external-data") == "copy" && !job.model.empty();
  return job;
}

// What is wrong with how the flags go together, or "".
std::string CheckTagFlags(const ParsedFlags& flags) {
  std::string wrong = CheckInputs(flags, {});
  if (wrong.empty()) wrong = CheckOutputPlaces(flags);
  if (wrong.empty()) wrong = CheckForms(flags);
  if (wrong.empty()) wrong = CheckStreams(flags);
  if (wrong.empty()) wrong = CheckWriteFlags(flags, flags.Value("output"));
  return wrong;
}

// What else than models a call of 'tag' reads.
std::vector<TextFile> TagTexts(const ParsedFlags& flags) {
  return {{"the module map", flags.Value("module-map")}, {"the rules", flags.Value("rules")}};
}

// One job for each input, its data files still unknown; "" for `model` where none is written. An
// error if CheckJobFiles() finds one, or FolderFor().
absl::StatusOr<std::vector<JobFiles>> PlanTagJobs(const ParsedFlags& flags,
                                                  absl::Span<const std::string> inputs) {
  std::vector<JobFiles> jobs;
  jobs.reserve(inputs.size());
  for (const std::string& input : inputs) {
    absl::StatusOr<JobFiles> job = PlanJob(input, flags);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  const std::vector<TextFile> texts = TagTexts(flags);
  const absl::Status status = CheckOutputsApart(absl::MakeSpan(jobs), texts, flags);
  if (!status.ok()) return status;
  return jobs;
}

constexpr Flag kFirstFlags[] = {
    {"output", 'o', "OUT.onnx", "write the tagged model here ('-': standard output)",
     /*repeatable=*/false, ".onnx"},
    kOutputDirFlag,
    kMirrorFlag,
    kInPlaceFlag,
    kFilesFromFlag,
    kSkipExistingFlag,
    {"sidecar", 0, "FILE", "write the sidecar here ('-': standard output)",
     /*repeatable=*/false, ".json"},
    {"no-sidecar", 0, nullptr, "write no sidecar"},
    {"sidecar-only", 0, nullptr, "write no model"},
    {"name-nodes", 0, nullptr,
     "give each node without a name one ('MatMul_12'), 'unique': and each whose name others "
     "have, too; 'strip' takes it away",
     /*repeatable=*/false, /*ending=*/nullptr, /*words=*/"unique"},
    {"metadata", 0, nullptr,
     "write the tags into the nodes' metadata_props, too, as these readers look for them: Model "
     "Explorer (usual), tools for torch's exports, winml-cli, onnxruntime's layer_ann",
     /*repeatable=*/false, /*ending=*/nullptr, /*words=*/"explorer,torch,winml,ort"},
    {"values", 0, nullptr,
     "say in the sidecar what each node reads and makes, with types and shapes"},
    {"columns", 0, "A,B,...",
     "say in the sidecar what each module has of these: operators, methods, confidence, unsure, "
     "macs ..."},
};

constexpr Flag kOtherFlags[] = {
    kModuleMapFlag,
    kCheckpointFlag,
    kRulesFlag,
    kMinConfidenceFlag,
    kExternalDataFlag,
    kJobsFlag,
    kThreadsFlag,
    {"no-sync", 0, nullptr, "do not wait until the outputs are on the disk"},
    {"force", 'f', nullptr, "replace existing outputs; allow an output over 2 GiB"},
    kQuietFlag,
    {"json", 0, nullptr, "print the result as JSON on standard output"},
    kJsonLinesFlag,
    kHelpFlag,
};

constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier tag bert.onnx", "writes bert_tagged.onnx and bert_tagged_hierarchy.json"},
    {"onnx-hier tag bert.onnx --in-place", "tags bert.onnx itself, writes bert_hierarchy.json"},
    {"onnx-hier tag *.onnx --output-dir tagged", "tags many models, each for itself"},
    {"find hub -name '*.onnx' | onnx-hier tag --files-from - --mirror hub --output-dir tagged "
     "--skip-existing",
     "a tree of folders with models; run again, it does what is left"},
    {"onnx-hier tag fused.onnx --name-nodes", "for a quantiser that goes by names of nodes"},
    {"onnx-hier tag bert.onnx --sidecar-only --sidecar -", "prints the hierarchy as JSON"},
    {"onnx-hier tag bert.onnx --metadata", "for a viewer such as Model Explorer"},
    {"onnx-hier tag bert.onnx --metadata=torch,ort",
     "for tools that read torch's scopes, and "
     "for onnxruntime's rules for layers"},
    {"export | onnx-hier tag - -o - --no-sidecar | deploy", "a step in a pipeline"},
};

void WarnOfMetadata(int64_t ir_version, std::vector<std::string>& warnings) {
  if (ir_version >= kMetadataIrVersion) return;
  warnings.push_back(absl::StrCat("the model has IR version ", ir_version,
                                  ", and nodes have metadata from version ", kMetadataIrVersion,
                                  " on: programs that go by the version may not look for it"));
}

std::vector<std::string> FormsOf(const ParsedFlags& flags) {
  if (!flags.Has("metadata")) return {};
  const std::string words = flags.Value("metadata");
  if (words.empty()) return {MetadataForms().front()};
  return absl::StrSplit(words, ',');
}

// What --columns names, of one model.
class Measured {
 public:
  Measured(const Model& model, const Annotation& annotation)
      : model_(model), hierarchy_(model.graph(), annotation) {}

  absl::Status Read(const ParsedFlags& flags) {
    const absl::Status status = columns_.Setup(flags);
    return status.ok() ? columns_.Read(model_, hierarchy_, flags, {}) : status;
  }
  const std::vector<const Column*>& columns() const { return columns_.shown(); }

 private:
  const Model& model_;
  const Hierarchy hierarchy_;
  Columns columns_;
};

// As much of it as tells of the run; "" where it cannot be read.
std::string EndOf(const std::string& sidecar) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(sidecar.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) return "";
  const auto size = std::ftell(file.get());
  if (size <= 0) return "";
  std::string end(std::min(static_cast<size_t>(size), kSummaryBytes), '\0');
  const bool is_there =
      std::fseek(file.get(), -static_cast<decltype(std::ftell(nullptr))>(end.size()), SEEK_END) ==
      0;
  return is_there && std::fread(end.data(), 1, end.size(), file.get()) == end.size() ? end : "";
}

// Tags models one by one, from any thread.
class Tagging {
 public:
  Tagging(const ParsedFlags& flags, const AnnotateOptions& annotate, ModelJobs& jobs)
      : flags_(flags),
        annotate_(annotate),
        forms_{.metadata = FormsOf(flags)},
        jobs_(jobs),
        results_(flags.Has("json") ? jobs.size() : 0) {}

  ModelOutcome Do(size_t index) {
    TagResult result = ResultOf(jobs_.files(index));
    ModelOutcome outcome = jobs_.Work(index, result, [&] { return Tag(index, result); });
    if (outcome.status == ResultStatus::kOk) outcome.message = SummaryLine(result);
    if (outcome.status == ResultStatus::kSkipped) {
      result.summary = SummaryOfSidecar(EndOf(result.sidecar)).value_or(Summary());
    }
    if (flags_.Has("json-lines")) outcome.line = TagResultLine(result);
    if (!results_.empty()) results_[index] = std::move(result);
    return outcome;
  }

  // With --json, of all models.
  absl::Span<const TagResult> results() const { return results_; }

 private:
  absl::Status Tag(size_t index, TagResult& result) {
    const JobFiles& job = jobs_.files(index);
    const auto about = [&result](const std::string& name, const absl::Status& status) {
      result.error = absl::StrCat(name, ": ", status.message());
      return status;
    };
    const absl::StatusOr<Model> model = OpenModel(job.input, annotate_.threads);
    if (!model.ok()) {
      result.error = std::string(model.status().message());
      return model.status();
    }
    if (const absl::Status status = jobs_.CheckData(index, *model); !status.ok()) {
      return about(InputName(job.input), status);
    }
    if (!job.model.empty()) {
      const absl::Status status = CheckTagsMayChange(*model);
      if (!status.ok()) return about(InputName(job.input), status);
    }
    const absl::StatusOr<Annotation> owners = FindOwners(*model, job.input, result);
    if (!owners.ok()) {
      result.error = std::string(owners.status().message());
      return owners.status();
    }
    const Annotation& annotation = *owners;
    for (std::string& warning : WarningsOf(flags_, annotate_, annotation)) {
      result.warnings.push_back(std::move(warning));
    }
    if (!forms_.metadata.empty()) WarnOfMetadata(model->graph().info().ir_version, result.warnings);
    Progress progress(InputName(job.input), model->file_size(),
                      flags_.Has("quiet") || job.model.empty() || jobs_.side_by_side());
    WriteOptions options = WriteOptionsOf(flags_);
    options.threads = annotate_.threads;
    options.folders = jobs_.folders();
    options.progress = progress.counter();
    options.warnings = &result.warnings;
    const NamedNodes which =
        flags_.Value("name-nodes").empty() ? NamedNodes::kUnnamed : NamedNodes::kUnnamedAndShared;
    const GivenNames names =
        flags_.Has("name-nodes") ? GivenNames(model->graph(), which) : GivenNames();
    SidecarForms sidecar = {.values = flags_.Has("values")};
    std::unique_ptr<Measured> measured;
    if (flags_.Has("columns")) {
      measured = std::make_unique<Measured>(*model, annotation);
      const absl::Status read = measured->Read(flags_);
      if (!read.ok()) return about(InputName(job.input), read);
      sidecar.columns = measured->columns();
    }
    const std::string& named = job.model.empty() ? job.sidecar : job.model;
    absl::Status status = jobs_.MakeFolder(index);
    if (status.ok()) {
      status = WriteTagOutputs(*model, annotation, names, forms_, sidecar, job, options);
    }
    if (!status.ok()) return about(OutputName(named), status);
    result.summary = Summarize(annotation);
    if (flags_.Has("name-nodes")) result.named = names.size();
    return status;
  }

  absl::StatusOr<Annotation> FindOwners(const Model& model, const std::string& path,
                                        TagResult& result) const {
    const absl::StatusOr<AnnotateOptions> named =
        OptionsFor(model, path, annotate_, result.warnings);
    if (!named.ok()) return named.status();
    return AnnotateModel(model, path, *named);
  }

  const ParsedFlags& flags_;
  const AnnotateOptions& annotate_;
  const TagForms forms_;
  ModelJobs& jobs_;
  std::vector<TagResult> results_;
};

class TagNodes final : public ManyInputs {
 public:
  using ManyInputs::ManyInputs;

  absl::Status Setup() override { return Misused(CheckTagFlags(flags())); }

  absl::StatusOr<int> Run() override {
    if (absl::Status status = ReadList(); !status.ok()) return status;
    absl::StatusOr<std::vector<JobFiles>> files = PlanTagJobs(flags(), inputs());
    if (!files.ok()) return Misused(files.status().message());
    if (absl::Status status = ReadOptions(); !status.ok()) return status;
    absl::StatusOr<ModelJobs> jobs =
        ModelJobs::Prepare(flags(), *std::move(files), TagTexts(flags()), at_a_time());
    if (!jobs.ok()) return jobs.status();
    Tagging tagging(flags(), options(), *jobs);
    const int code = ModelBatch(flags(), jobs->size(), jobs->threads()).Run([&](size_t index) {
      return tagging.Do(index);
    });
    if (!flags().Has("json") || Interrupted() || OutputClosed()) return code;
    return std::max(code, PrintOrFail(TagResultsJson(tagging.results())));
  }
};

}  // namespace

CommandEntry TagCommand() {
  return {
      "tag",
      "IN.onnx...",
      "write each node's module into its doc_string, and a JSON sidecar",
      "Reads an ONNX model, works out which module of the original network each node belongs\n"
      "to, and writes IN_tagged.onnx with the answer in the nodes' doc_strings, beside\n"
      "IN_tagged_hierarchy.json with the whole hierarchy. Nothing else in the model changes;\n"
      "'onnx-hier strip' gives back the original file. '-' is standard input.\n"
      "\n"
      "With --name-nodes, each node that has no name gets one that no other node has, so that\n"
      "tools which take names of nodes can be told of it. Such names say nothing of modules,\n"
      "and stay when the file is tagged again. Names that nodes have are kept as they are, also\n"
      "those that several nodes share: with --name-nodes=unique all but the first one of these\n"
      "get a number behind them.\n"
      "\n"
      "A file of --rules says what you know better, a line each; PATTERN means modules:\n"
      "  owner NODE-OR-PATTERN = MODULE   the node, or all of the modules, is there\n"
      "  boundary PATTERN                 modules inside are not told apart\n"
      "  rename PATTERN = PATH            called otherwise; each '*' is as it is found\n"
      "  major PATTERN                    no node that says it is in one is moved out of it\n"
      "  least PATTERN = P                --min-confidence P in these modules\n"
      "and for 'check' what must hold besides:\n"
      "  MEASURE PATTERN <= N, no-op PATTERN OPERATOR, precision PATTERN TYPE,\n"
      "  unchanged PATTERN (with --original), coverage >= SHARE at P",
      kFlags,
      kExamples,
      Make<TagNodes>};
}

}  // namespace onnx_hier::cli
