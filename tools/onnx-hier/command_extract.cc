// SPDX-License-Identifier: Apache-2.0
#include <optional>
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
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    kOutputFlag,
    {"call", 0, "K", "of a module that runs several times, its run K (from 0; default: 0)"},
    {"in", 0, "GRAPH",
     "of what is in several graphs, as both branches of an If: then_branch, or 1045/then_branch"},
    {"up-to", 0, nullptr, "with all that the modules need, from the model's inputs on"},
    {"from", 0, nullptr, "with all that needs the modules, to the model's outputs"},
    {"inputs", 0, "A,B,...",
     "instead of modules: what lies between values, which become the part's inputs ...",
     /*repeatable=*/true},
    {"outputs", 0, "C,...",
     "... and its outputs (default: what of the model's outputs needs --inputs)",
     /*repeatable=*/true},
    {"probe", 0, "FILE",
     "write the whole model, with the part's inputs and outputs as outputs of its own",
     /*repeatable=*/false, ".onnx"},
    {"strict", 0, nullptr, "exit with 1 if there is anything to be warned of"},
    kModuleMapFlag,
    kRulesFlag,
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
    {"onnx-hier extract detector.onnx --up-to /head/Concat_output_0",
     "all up to a value, or to a node by its name"},
    {"onnx-hier extract detector.onnx --inputs normalized --outputs boxes,scores",
     "what lies between values"},
    {"onnx-hier extract decoder_model_merged.onnx model.decoder.layers.1 --in else_branch",
     "a layer that both branches of an If have"},
    {"onnx-hier extract albert.onnx '**.albert_layers.0' --call 2",
     "the third run of a shared layer"},
    {"onnx-hier extract bert.onnx bert.encoder.layer.3 --probe probe.onnx",
     "the whole model, which also gives out what the layer reads and makes"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  const bool has_values = flags.Has("inputs") || flags.Has("outputs");
  if (flags.arguments().empty() || (flags.arguments().size() < 2 && !has_values)) {
    return "name one model and a module";
  }
  if (has_values && (flags.arguments().size() > 1 || flags.Has("up-to") || flags.Has("from"))) {
    return "--inputs and --outputs say what lies between values, without modules, --up-to, --from";
  }
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

class ExtractModules final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    request_.reach = flags().Has("up-to")  ? Reach::kUpTo
                     : flags().Has("from") ? Reach::kFrom
                                           : Reach::kModules;
    return ReadCount(flags(), "call", 0, request_.call);
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kCopied);
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    absl::StatusOr<Cutter> cutter = Cutter::For(model(), hierarchy());
    if (!cutter.ok()) return About(cutter.status());
    status = ReadRequest();
    if (!status.ok()) return About(status);
    std::vector<std::string> notes;
    status = ChooseCall(hierarchy(), *cutter, flags().Value("in"), request_, notes);
    if (!status.ok()) return About(status);
    const absl::StatusOr<Part> part = cutter->Cut(request_);
    if (!part.ok()) return About(part.status());
    PartResult result = DescribePart(model().graph(), hierarchy(), *cutter, *part);
    result.warnings.insert(result.warnings.begin(), notes.begin(), notes.end());
    result.input = path();
    result.output = OutputPath();
    result.probe = flags().Value("probe");
    status = CheckOutputs(result);
    if (status.ok()) status = WriteParts(*cutter, *part, result);
    if (!status.ok()) return status;
    return Tell(std::move(result));
  }

 private:
  absl::Status ReadRequest() {
    const std::optional<uint32_t> call = request_.call;
    absl::StatusOr<PartRequest> request =
        flags().Has("inputs") || flags().Has("outputs")
            ? PartBetween(hierarchy(), flags().Values("inputs"), flags().Values("outputs"))
            : PartMeant(hierarchy(), request_.reach,
                        absl::MakeConstSpan(flags().arguments()).subspan(1));
    if (!request.ok()) return request.status();
    request_ = *std::move(request);
    request_.call = call;
    return absl::OkStatus();
  }

  std::string OutputPath() const {
    if (flags().Has("output")) return flags().Value("output");
    return flags().Has("probe") ? "" : ModelBeside(path(), FileNamePart(hierarchy(), request_), "");
  }

  absl::Status CheckOutputs(const PartResult& result) const {
    const TextFile texts[] = {{"the module map", flags().Value("module-map")},
                              {"the rules", flags().Value("rules")}};
    for (const std::string& output : {result.output, result.probe}) {
      absl::Status status = CheckOutput(model(), path(), output, flags(), texts);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The part, the probe, or both.
  absl::Status WriteParts(Cutter& cutter, const Part& part, PartResult& result) const {
    absl::StatusOr<Edits> edits = Edits();
    // A probe can do without the types that a part must tell.
    if (!result.output.empty()) edits = cutter.EditsOf(part);
    if (!edits.ok()) return About(edits.status());
    absl::StatusOr<Edits> probe = Edits();
    if (!result.probe.empty()) probe = cutter.ProbeEditsOf(part);
    const std::string& first = result.output.empty() ? result.probe : result.output;
    if (!probe.ok()) return Named(OutputName(first), probe.status());
    std::vector<Output> outputs;
    if (!result.output.empty()) outputs.emplace_back(*edits, To(result.output));
    if (!result.probe.empty()) outputs.emplace_back(*probe, To(result.probe));
    WriteOptions options = PartWriteOptionsOf(flags());
    options.warnings = &result.warnings;
    std::vector<Written> written;
    options.written = &written;
    absl::Status status = Write(model(), outputs, options);
    if (!status.ok()) return Named(OutputName(first), status);
    NoteWritten(written, result);
    return status;
  }

  int Tell(PartResult result) const {
    WarnOf(result.warnings, flags());
    const int code = flags().Has("strict") && !result.warnings.empty() ? kFound : kDone;
    if (flags().Has("json")) {
      const int printed = PrintOrFail(PartResultJson(result));
      return printed == kDone ? code : printed;
    }
    if (flags().Has("quiet")) return code;
    if (!result.output.empty()) result.output = OutputName(result.output);
    if (!result.probe.empty()) result.probe = OutputName(result.probe);
    Say(PartResultText(result));
    return code;
  }

  PartRequest request_;
};

}  // namespace

CommandEntry ExtractCommand() {
  return {
      "extract",
      "IN.onnx PATTERN...",
      "write a module, a range of them, or what lies between values, as a model of its own",
      "Writes the nodes of a module with the parameters that they read, their names unchanged.\n"
      "Constants and shape arithmetic that it needs from elsewhere are copied along; all else "
      "that\n"
      "it reads becomes an input. Run on the values that the whole model computes, it computes "
      "the\n"
      "same. A pattern (see 'onnx-hier select --help') that means several modules takes what lies\n"
      "between them as well. Of a module in a local function's body, or inside of an If or a "
      "Loop,\n"
      "that body becomes the graph, as its first call runs it (or --call K). A word that means no\n"
      "module may be the id or name of a node, or the name of a value: a value stands for the "
      "node\n"
      "that makes it, with --up-to for the part's output, with --from for its input. Weights are\n"
      "copied, never parsed. '-' is standard input.",
      kFlags,
      kExamples,
      Make<ExtractModules>};
}

}  // namespace onnx_hier::cli
