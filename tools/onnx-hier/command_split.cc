// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/output_folder.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// The file, its folder, and on some file systems the one that it is made in.
constexpr rlim_t kPerOutput = 3;
// For the streams, the input, and what libraries open.
constexpr rlim_t kOthers = 64;

// Outputs that appear together stay open until all are complete. Raises the process's own limit so
// that `outputs` of them can be, as far as the system lets it; where it does not, writing fails.
void AllowOutputs(size_t outputs) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = kPerOutput * outputs + kOthers;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

constexpr Flag kFirstFlags[] = {
    {"output-dir", 0, "DIR", "write the parts and their manifest into this folder"},
    {"in", 0, "GRAPH",
     "cut the body of a branch or a loop, not the main graph: then_branch, or 1045/then_branch"},
    {"at", 0, "PATTERN",
     "cut at these modules or nodes, or behind these values; may be given several times (default: "
     "the layers)",
     /*repeatable=*/true},
    {"parts", 0, "N",
     "cut into N parts (1000 at most), between modules, the largest as small as can be"},
    OneOf(
        {"by", 0, "WHAT",
         "what --parts counts: bytes, nodes, parameters, macs (or what else 'cost' counts; bound: "
         "the "
         "slowest part is as fast as can be), time, or the column of a table that --profile brings "
         "(default: bytes)"},
        "bytes nodes parameters macs bound time"),
    kProfileFlag,
};
constexpr Flag kOtherFlags[] = {
    {"max-bytes", 0, "SIZE", "cut into as few parts as have no more weights each (500MB, 1.5GiB)"},
    {"dry-run", 0, nullptr, "say what would be written, and write nothing"},
    {"olive", 0, nullptr, "print the parts as split_assignments for Olive, and write nothing"},
    {"strict", 0, nullptr, "exit with 1 if there is anything to be warned of"},
    kModuleMapFlag,
    kRulesFlag,
    kCutDataFlag,
    kNoSyncFlag,
    kForceFlag,
    {"json", 0, nullptr, "print the manifest"},
    kQuietFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier split bert.onnx --output-dir parts", "a part for each layer, a head and a tail"},
    {"onnx-hier split bert.onnx --output-dir parts --parts 4",
     "four parts, the largest as small as can be"},
    {"onnx-hier split bert.onnx --output-dir parts --at 'bert.encoder.layer.{4,8}'",
     "three parts and what is before"},
    {"onnx-hier split llama.onnx --output-dir parts --max-bytes 1.5GB", "parts that fit a device"},
    {"onnx-hier split bert.onnx --output-dir parts --parts 2 --by time --profile profile.json",
     "two parts that take as long as each other"},
    {"onnx-hier split bert.onnx --output-dir parts --parts 2 --by macs --dim sequence=128",
     "two parts that multiply as much as each other"},
    {"onnx-hier split bert.onnx --parts 2 --olive", "for Olive's SplitModel"},
};

bool WritesNothing(const ParsedFlags& flags) { return flags.Has("dry-run") || flags.Has("olive"); }

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  const int rules =
      (flags.Has("at") ? 1 : 0) + (flags.Has("parts") ? 1 : 0) + (flags.Has("max-bytes") ? 1 : 0);
  if (rules > 1) return "--at, --parts and --max-bytes exclude each other";
  if (flags.Has("by") && !flags.Has("parts")) return "--by is for --parts";
  const std::string by = flags.Value("by");
  const bool is_of_model = by == "bytes" || by == "nodes" || by == "parameters";
  if (flags.Has("by") && !is_of_model && !IsCostMeasure(by) && !flags.Has("profile")) {
    return by == "time" ? "--by time goes with --profile"
                        : absl::StrCat(
                              "--by takes bytes, nodes, parameters, macs or what else 'cost' "
                              "counts, or time, not '",
                              by, "'");
  }
  if (by == "bound" && !flags.Has("device")) return "--by bound goes with --device";
  if (flags.Has("profile") && (!flags.Has("by") || is_of_model || IsCostMeasure(by))) {
    return "--profile goes with --by time, or the column of a table";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, IsCostMeasure(by)); !wrong.empty()) return wrong;
  if (!flags.Has("output-dir") && !WritesNothing(flags)) {
    return "name the folder for the parts: --output-dir DIR";
  }
  if (flags.Has("olive") && flags.Has("json")) return "--olive and --json exclude each other";
  return CheckPartWriteFlags(flags, "");
}

class SplitModel final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    return columns_.Setup(flags());
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kCopied);
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    absl::StatusOr<Cutter> cutter = Cutter::For(model(), hierarchy());
    if (!cutter.ok()) return About(cutter.status());
    const absl::StatusOr<SplitRequest> request = ReadRequest(*cutter);
    if (!request.ok()) return About(request.status());
    const absl::StatusOr<SplitPlan> plan = cutter->Split(*request);
    if (!plan.ok()) return About(plan.status());
    SplitResult result =
        DescribeSplit(model().graph(), hierarchy(), *cutter, *request, *plan, path());
    if (!WritesNothing(flags())) {
      status = WriteParts(*cutter, *plan, result);
      if (!status.ok()) return status;
    }
    return Tell(*plan, result);
  }

 private:
  // What the nodes have of the column that --by names.
  absl::StatusOr<std::vector<std::pair<NodeId, uint64_t>>> Amounts() {
    const std::string by = flags().Value("by");
    absl::Status status = columns_.Read(model(), hierarchy(), flags(), {by});
    if (!status.ok()) return status;
    const Column& column = *columns_.shown().front();
    if (!column.nodes().empty()) return WholeAmounts(column);
    return absl::InvalidArgumentError(absl::StrCat("--by ", by, ": no node has a number of it"));
  }

  std::string NoList(Cutter& cutter) const {
    for (BlockId block : GraphsInside(model().graph())) {
      if (cutter.MainList(block).empty()) continue;
      const absl::string_view path = model().graph().BlockPath(block);
      return absl::StrCat("there is no list of layers to cut at in the main graph, but in ", path,
                          ": --in ", path, " cuts that one");
    }
    return "there is no list of layers to cut at; name modules with --at, or use --parts";
  }

  absl::StatusOr<SplitRequest> ReadRequest(Cutter& cutter) {
    BlockId graph;
    if (flags().Has("in")) {
      const absl::StatusOr<BlockId> found =
          GraphNamed(model().graph(), GraphsInside(model().graph()), flags().Value("in"));
      if (!found.ok()) return found.status();
      graph = *found;
    }
    absl::StatusOr<SplitRequest> request = ReadRule(cutter, graph);
    if (request.ok()) request->graph = graph;
    return request;
  }

  absl::StatusOr<SplitRequest> ReadRule(Cutter& cutter, BlockId graph) {
    SplitRequest request;
    if (flags().Has("parts")) return ReadParts();
    if (flags().Has("max-bytes")) {
      const absl::StatusOr<uint64_t> bytes = ParseBytes(flags(), "max-bytes");
      if (!bytes.ok()) return bytes.status();
      request.rule = SplitRequest::Rule::kMaxBytes;
      request.max_bytes = *bytes;
      return request;
    }
    if (!flags().Has("at")) {
      request.modules = cutter.MainList(graph);
      if (!request.modules.empty()) return request;
      return absl::FailedPreconditionError(NoList(cutter));
    }
    absl::StatusOr<Places> places = FindPlaces(hierarchy(), flags().Values("at"));
    if (!places.ok()) return places.status();
    request.modules = std::move(places->modules);
    request.nodes = std::move(places->nodes);
    request.values = std::move(places->values);
    if (!request.values.empty() && !(request.modules.empty() && request.nodes.empty())) {
      return absl::InvalidArgumentError("--at takes modules and nodes, or values, not both");
    }
    return request;
  }

  absl::StatusOr<SplitRequest> ReadParts() {
    SplitRequest request;
    request.rule = SplitRequest::Rule::kParts;
    absl::Status status = ReadCount(flags(), "parts", 2, request.parts);
    if (!status.ok()) return status;
    const std::string by = flags().Value("by");
    request.measure = by == "nodes"        ? SplitRequest::Measure::kNodes
                      : by == "parameters" ? SplitRequest::Measure::kParameters
                                           : SplitRequest::Measure::kBytes;
    if (!flags().Has("profile") && !IsCostMeasure(by)) return request;
    absl::StatusOr<std::vector<std::pair<NodeId, uint64_t>>> amounts = Amounts();
    if (!amounts.ok()) return amounts.status();
    request.measure = SplitRequest::Measure::kAmounts;
    request.amounts = *std::move(amounts);
    return request;
  }

  // "encoder.layer.0=0;encoder.layer.1=1"
  std::string OliveAssignments(const SplitPlan& plan) const {
    const Annotation& annotation = hierarchy().annotation();
    std::vector<std::string> assignments;
    for (size_t i = 0; i < plan.parts.size(); ++i) {
      for (ModuleId module : plan.parts[i].part.request.modules) {
        const PathId path = annotation.modules.module(module).path;
        assignments.push_back(absl::StrCat(annotation.paths.QualifiedName(path), "=", i));
      }
    }
    return absl::StrCat(absl::StrJoin(assignments, ";"), "\n");
  }

  // An error begins with the folder, or with the first part, as other outputs are named behind it.
  absl::Status WriteParts(const Cutter& cutter, const SplitPlan& plan, SplitResult& result) const {
    for (const SplitPart& part : plan.parts) {
      const absl::Status told = cutter.CheckTypes(part.part);
      if (!told.ok()) return About(told);
    }
    const std::string folder = flags().Value("output-dir");
    const absl::StatusOr<OutputFolder> made = OutputFolder::Prepare(folder);
    if (!made.ok()) return made.status();
    std::vector<Written> written;
    const Document manifest("manifest", [&](ByteSink& sink) {
      NoteWritten(written, result);
      return sink.Append(SplitResultJson(result));
    });
    std::vector<Output> outputs;
    for (size_t i = 0; i < plan.parts.size(); ++i) {
      const Part& part = plan.parts[i].part;
      outputs.emplace_back([&cutter, &part] { return cutter.EditsOf(part); },
                           To(absl::StrCat(folder, "/", result.parts[i].output)));
    }
    const std::string stem = Stem(FileName(path()));
    outputs.emplace_back(
        manifest, To(absl::StrCat(folder, "/", stem == "-" ? "model" : stem, "_split.json")));
    AllowOutputs(2 * outputs.size());  // with data files
    WriteOptions options = PartWriteOptionsOf(flags());
    options.warnings = &result.warnings;
    options.written = &written;
    absl::Status status = Write(model(), outputs, options);
    if (status.ok()) return status;
    return Named(outputs.front().to.path(), status);
  }

  int Tell(const SplitPlan& plan, const SplitResult& result) const {
    WarnOf(result.warnings, flags());
    const int code = flags().Has("strict") && !result.warnings.empty() ? kFound : kDone;
    if (flags().Has("json") || WritesNothing(flags())) {
      const int printed = PrintOrFail(flags().Has("olive")  ? OliveAssignments(plan)
                                      : flags().Has("json") ? SplitResultJson(result)
                                                            : SplitResultText(result));
      return printed == kDone ? code : printed;
    }
    if (!flags().Has("quiet")) Say(SplitResultText(result));
    return code;
  }

  Columns columns_;
};

}  // namespace

CommandEntry SplitCommand() {
  return {
      "split",
      "IN.onnx",
      "cut the model into parts that run one after the other",
      "Writes a part for each member of the list of layers that the model mostly consists of, one\n"
      "for what comes before them and one for what comes after: IN_00_head.onnx,\n"
      "IN_01_layer.0.onnx ... and IN_split.json, which lists them in order with their inputs,\n"
      "outputs and modules. Each part reads what the model is given and what earlier parts give;\n"
      "run in order, they compute what the model computes. Constants and shape arithmetic are in\n"
      "every part that needs them, and so are parameters that several parts read. '-' is standard\n"
      "input.",
      kFlags,
      kExamples,
      Make<SplitModel>};
}

}  // namespace onnx_hier::cli
