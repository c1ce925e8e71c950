// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "onnx_hier_program/probes.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/one_output.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    kOutputFlag,
    {"depth", 'd', "N", "only N levels of modules below the root, or each module that is named"},
    {"like", 0, "ORIGINAL.onnx",
     "the modules are of this model, which IN was made from: what says the same in IN is given out",
     /*repeatable=*/false, ".onnx"},
    {"isolated", 0, nullptr,
     "what goes into each module is given to the model, too: each runs for itself"},
    {"max-outputs", 0, "SIZE",
     "several files, none of which gives out more than this in a run (500MB, 2GiB)"},
};
constexpr Flag kOtherFlags[] = {
    {"strict", 0, nullptr, "exit with 1 if there is anything to be warned of"},
    kModuleMapFlag,
    kRulesFlag,
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    {"json", 0, nullptr, "print which value is of which module, and in which file, as JSON"},
    kQuietFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier probe bert.onnx --depth 4", "writes bert_probed.onnx"},
    {"onnx-hier probe bert.onnx 'bert.encoder.layer.*' -o probed.onnx --json > probes.json",
     "the layers and all inside them, with a list of what is what"},
    {"onnx-hier probe bert_int8.onnx --like bert.onnx -o int8_probed.onnx",
     "the same values of a model that was made from it"},
    {"onnx-hier probe bert_int8.onnx --like bert.onnx --isolated -o isolated.onnx",
     "each module of it reads what the original gives: what comes out was made here"},
    {"onnx-hier probe unet.onnx --max-outputs 2GB --dim batch=2",
     "as many files as a device of some memory needs"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().empty()) return "name one model";
  if (std::string wrong = CheckOneOutput(flags, flags.arguments()[0]); !wrong.empty()) {
    return wrong;
  }
  if (flags.Has("isolated") && flags.Has("max-outputs")) {
    return "--isolated and --max-outputs exclude each other";
  }
  for (const char* name : {"shape", "dim", "device"}) {
    if (flags.Has(name) && !flags.Has("max-outputs")) {
      return absl::StrCat("--", name, " goes with --max-outputs");
    }
  }
  if (flags.Value("output") == "-" && (flags.Has("json") || flags.Has("max-outputs"))) {
    return flags.Has("json") ? "--json and a model cannot both go to standard output"
                             : "--max-outputs needs an --output with a name";
  }
  return CheckStreams(flags, {"like"});
}

std::string Names(const Graph& graph, const std::vector<ValueId>& values) {
  constexpr size_t kShown = 3;
  std::string names;
  for (size_t i = 0; i < std::min(values.size(), kShown); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "",
                    SafeForTerminal(graph.value(values[i]).name, kLongestShownName));
  }
  return values.size() > kShown ? names + ", ..." : names;
}

std::vector<ValueId> ValuesOf(const std::vector<ValuePair>& pairs) {
  std::vector<ValueId> values;
  values.reserve(pairs.size());
  for (const ValuePair& pair : pairs) values.push_back(pair.value);
  return values;
}

class ProbeModel final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    if (absl::Status status = ReadCount(flags(), "depth", 0, depth_); !status.ok()) return status;
    if (flags().Has("max-outputs")) {
      const absl::StatusOr<uint64_t> bytes = ParseBytes(flags(), "max-outputs");
      if (!bytes.ok()) return bytes.status();
      most_bytes_ = *bytes;
      absl::StatusOr<CostOptions> costs = ReadCostFlags(flags());
      if (!costs.ok()) return costs.status();
      costs_ = *std::move(costs);
    }
    output_ = OneOutput(flags(), path(), flags().Has("isolated") ? "_isolated" : "_probed");
    return Misused(CheckWriteFlags(flags(), output_));
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kCopied);
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    const absl::StatusOr<Cutter> cutter = Cutter::For(model(), hierarchy());
    if (!cutter.ok()) return About(cutter.status());
    result_.input = path();
    return flags().Has("like") ? ProbeLike(*cutter) : Probe(*cutter, *cutter, hierarchy(), nullptr);
  }

 private:
  absl::StatusOr<int> ProbeLike(const Cutter& cutter) {
    const std::string name = flags().Value("like");
    const absl::StatusOr<Model> original = OpenFlatModel(name, Weights::kCopied);
    if (!original.ok()) return original.status();
    const absl::StatusOr<Annotation> annotation = AnnotateModel(*original, name, options());
    if (!annotation.ok()) return annotation.status();
    const Hierarchy like(original->graph(), *annotation);
    const absl::StatusOr<Cutter> like_cutter = Cutter::For(*original, like);
    if (!like_cutter.ok()) return Named(InputName(name), like_cutter.status());
    const absl::StatusOr<ValuePairs> pairs = PairValues(*original, model(), &result_.warnings);
    if (!pairs.ok()) return About(pairs.status());
    result_.like = name;
    return Probe(cutter, *like_cutter, like, &*pairs);
  }

  // `from` and `like` are of the model that the modules are of.
  absl::StatusOr<int> Probe(const Cutter& cutter, const Cutter& from, const Hierarchy& like,
                            const ValuePairs* pairs) {
    std::vector<ModuleId> modules = {ModuleId(0)};
    if (flags().arguments().size() > 1) {
      absl::StatusOr<std::vector<ModuleId>> found =
          FindModules(like, absl::MakeConstSpan(flags().arguments()).subspan(1));
      if (!found.ok())
        return Named(InputName(pairs == nullptr ? path() : result_.like), found.status());
      modules = WithoutInner(like, *found);
    }
    const Probes probes =
        FindProbes(from, like, ModulesDownTo(like, modules, depth_), model().graph(), pairs);
    if (probes.pairs.empty()) return About(NothingToProbe(like, probes));
    Note(like, probes);
    absl::Status status = Divide(cutter, probes);
    if (status.ok()) status = WriteFiles(cutter, from);
    if (!status.ok()) return status;
    return Tell(like, probes);
  }

  absl::Status NothingToProbe(const Hierarchy& like, const Probes& probes) const {
    if (!probes.unpaired.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "nothing in it says what the original's ", Names(like.graph(), probes.unpaired), " do"));
    }
    return absl::FailedPreconditionError(
        probes.inside.empty() ? "these modules hold no nodes that run"
                              : "these modules run in functions or inside of other nodes: "
                                "'onnx-hier unfold --all' makes nodes of functions");
  }

  void Note(const Hierarchy& like, const Probes& probes) {
    if (!probes.inside.empty()) {
      result_.warnings.push_back(
          absl::StrCat(Counted(probes.inside.size(), "module runs", "modules run"),
                       " in functions or inside of other nodes, whose values are not given out: ",
                       SafeForTerminal(like.annotation().Tag(probes.inside.front())),
                       probes.inside.size() > 1 ? ", ..." : ""));
    }
  }

  absl::Status Divide(const Cutter& cutter, const Probes& probes) {
    ProbeFiles& division = result_.division;
    if (!most_bytes_.has_value()) {
      division.files.push_back({probes.pairs});
      result_.files = {output_};
      return absl::OkStatus();
    }
    absl::StatusOr<ProbeFiles> divided =
        DivideProbes(model(), hierarchy(), cutter, probes.pairs, *most_bytes_, costs_);
    if (!divided.ok()) return About(CostError(divided.status()));
    division = *std::move(divided);
    result_.is_measured = true;
    const size_t count = division.files.size();
    for (size_t i = 0; i < count; ++i) {
      result_.files.push_back(
          count == 1 ? output_ : absl::StrCat(Stem(output_), "_", FileNumber(i, count), ".onnx"));
    }
    const auto warn = [&](const std::vector<ValueId>& values, absl::string_view what) {
      if (values.empty()) return;
      result_.warnings.push_back(
          absl::StrCat(Counted(values.size(), "value"), what, Names(model().graph(), values)));
    };
    warn(division.unknown, " whose size nothing tells, counted as nothing: ");
    warn(division.large, " larger than --max-outputs by itself: ");
    return absl::OkStatus();
  }

  absl::StatusOr<Edits> EditsFor(const Cutter& cutter, const Cutter& from,
                                 const std::vector<ValuePair>& pairs) {
    if (!flags().Has("isolated")) return cutter.ProbeEdits(from, pairs);
    absl::StatusOr<Isolated> isolated = cutter.IsolatedEdits(from, pairs);
    if (!isolated.ok()) return isolated.status();
    if (!isolated->left.empty()) {
      result_.warnings.push_back(
          absl::StrCat(Counted(isolated->left.size(), "value is", "values are"),
                       " as they were, for want of a type, of a name, or of room: ",
                       Names(model().graph(), ValuesOf(isolated->left))));
    }
    result_.isolated = std::move(isolated->values);
    return std::move(isolated->edits);
  }

  absl::Status WriteFiles(const Cutter& cutter, const Cutter& from) {
    for (const std::string& file : result_.files) {
      const TextFile texts[] = {{"the module map", flags().Value("module-map")},
                                {"the rules", flags().Value("rules")},
                                {"the original", flags().Value("like")}};
      absl::Status status = CheckOutput(model(), path(), file, flags(), texts);
      if (!status.ok()) return status;
    }
    std::vector<Edits> edits;
    edits.reserve(result_.files.size());
    std::vector<Output> outputs;
    for (size_t i = 0; i < result_.files.size(); ++i) {
      absl::StatusOr<Edits> made = EditsFor(cutter, from, result_.division.files[i].values);
      if (!made.ok()) return About(made.status());
      outputs.emplace_back(edits.emplace_back(*std::move(made)), To(result_.files[i]));
    }
    WriteOptions options = WriteOptionsOf(flags());
    options.warnings = &result_.warnings;
    absl::Status status = Write(model(), outputs, options);
    return status.ok() ? status : Named(OutputName(result_.files.front()), status);
  }

  int Tell(const Hierarchy& like, const Probes& probes) {
    if (!flags().Has("json")) WarnOf(result_.warnings, flags());
    const int code = flags().Has("strict") && !result_.warnings.empty() ? kFound : kDone;
    if (flags().Has("json")) {
      const int printed = PrintOrFail(ProbeResultJson(like, model().graph(), probes, result_));
      return printed == kDone ? code : printed;
    }
    if (flags().Has("quiet")) return code;
    if (output_ == "-") result_.files = {OutputName(output_)};
    Say(ProbeResultText(probes, result_));
    return code;
  }

  std::string output_;
  uint32_t depth_ = 0xFFFFFFFFu;
  std::optional<uint64_t> most_bytes_;
  CostOptions costs_;
  ProbeResult result_;
};

}  // namespace

CommandEntry ProbeCommand() {
  return {
      "probe",
      "IN.onnx [PATTERN...]",
      "let the whole model also give out what goes into its modules and comes out of them",
      "Makes values outputs of the model, under their own names: those that go into the modules "
      "that\n"
      "are named, or all, and the modules inside them, and those that come out. What is read as a\n"
      "parameter, a constant or arithmetic with shapes is left out. Run it, and save what it "
      "gives\n"
      "out: 'onnx-hier numerics' says by module what becomes of errors. With --isolated each of\n"
      "these values becomes an input, which all that read it read now, and what was made in its\n"
      "place an output, NAME/made: given the values of another model, each module tells what it\n"
      "makes of them. For patterns see 'onnx-hier select --help'. '-' is standard input.",
      kFlags,
      kExamples,
      Make<ProbeModel>};
}

}  // namespace onnx_hier::cli
