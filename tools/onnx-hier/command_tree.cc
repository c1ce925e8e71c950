// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/many_inputs.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/other_model.h"
#include "tools/onnx-hier/tree_format.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"module", 0, "PATTERN", "draw these modules only; may be given several times",
     /*repeatable=*/true},
    {"in", 0, "GRAPH",
     "of one branch of an If or one body of a loop alone: then_branch, or 1045/then_branch"},
    {"nodes", 0, nullptr, "show the nodes of each module, too"},
    kColumnsFlag,
    kSortFlag,
    {"own", 0, nullptr, "leave out what lines below have: each node counts in one line"},
    kProfileFlag,
};
constexpr Flag kOtherFlags[] = {
    {"compare", 0, "OTHER.onnx", "another model: what has changed in it, module by module"},
    {"classes", 'c', nullptr, "show the class of each module, where it is known"},
    kModuleMapFlag,
    kCheckpointFlag,
    kRulesFlag,
    {"all", 'a', nullptr, "show the modules of the module map that have no nodes, too"},
    kMinConfidenceFlag,
    kFilesFromFlag,
    kJobsFlag,
    kThreadsFlag,
    kFormatFlag,
    {"json", 0, nullptr, "the same as --format json"},
    kJsonLinesFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier tree bert.onnx", "draws the modules with their nodes, parameters and sizes"},
    {"onnx-hier tree bert.onnx --depth 2", "the upper two levels only"},
    {"onnx-hier tree bert.onnx --module '**.layer.1.attention' --nodes", "a module with its nodes"},
    {"onnx-hier tree bert.onnx --depth 2 --sort bytes", "the largest modules first"},
    {"onnx-hier tree bert.onnx --profile profile.json --sort time", "where the time goes"},
    {"onnx-hier tree bert.onnx --profile ep.csv --depth 3", "which modules run on which provider"},
    {"onnx-hier tree bert.onnx --depth 3 --own --columns nodes,operators,methods,confidence "
     "--format markdown",
     "a table of components for a pull request, each node in one row"},
    {"onnx-hier tree decoder_model_merged.onnx --in else_branch",
     "of two runs, the one with a cache"},
    {"onnx-hier tree before.onnx --compare after.onnx", "which modules changed"},
    {"onnx-hier tree bert.onnx --classes --module-map modules.json", "with the modules' classes"},
    {"onnx-hier tree bert.onnx --all --module-map modules.json",
     "with those that left no node: folded, or never called"},
    {"onnx-hier tree bert.onnx --json", "the same for machines"},
    {"onnx-hier tree hub/*.onnx --json-lines", "a line of JSON for each of many models"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (std::string wrong = CheckInputs(flags, {"profile", "compare"}); !wrong.empty()) return wrong;
  if (std::string wrong = WrongTreeFormat(flags); !wrong.empty()) return wrong;
  const TreeFormat format = TreeFormatOf(flags);
  if (format == TreeFormat::kJson && !flags.Has("json-lines") && IsForSeveral(flags)) {
    return "several models need --json-lines";
  }
  if (format != TreeFormat::kText && flags.Has("nodes")) {
    return "--nodes is for people: 'tag' and 'select' list nodes for machines";
  }
  if ((format == TreeFormat::kJson || format == TreeFormat::kCsv) && flags.Has("compare")) {
    return "--compare is for people: 'diff' prints changes for machines";
  }
  if (format == TreeFormat::kJson && flags.Has("own")) {
    return "--json prints own figures and totals";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  if (flags.Has("all") && !flags.Has("module-map")) {
    return "--all shows the modules of a module map: it goes with --module-map";
  }
  return CheckStreams(flags, {"profile", "compare", "files-from"});
}

// What --compare brings.
struct Comparison {
  explicit Comparison(OtherModel given)
      : other(std::move(given)), tree{other.diff, other.annotation.paths} {}

  const OtherModel other;
  const TreeComparison tree;
};

// Draws models one by one, from any thread.
class Drawing {
 public:
  Drawing(const ParsedFlags& flags, const AnnotateOptions& annotate, const TreeTextOptions& options)
      : flags_(flags), annotate_(annotate), options_(options) {}

  ModelOutcome Do(const std::string& path) const {
    return ReportOn(path, flags_, "tree", [&](ByteSink& sink, ModelResult& result, std::string&) {
      return Draw(path, sink, result.warnings);
    });
  }

 private:
  absl::Status Draw(const std::string& path, ByteSink& sink,
                    std::vector<std::string>& warnings) const {
    TreeTextOptions options = options_;
    // Shapes may be made of weights.
    const bool asks_for_weights =
        flags_.Has("compare") || flags_.Has(kCheckpointFlag.name) || AsksForCost(flags_);
    const Weights weights = asks_for_weights ? Weights::kCopied : Weights::kZeros;
    const absl::StatusOr<Model> model = OpenFlatModel(path, weights, annotate_.threads);
    if (!model.ok()) return model.status();
    const absl::StatusOr<AnnotateOptions> annotate = OptionsFor(*model, path, annotate_, warnings);
    if (!annotate.ok()) return annotate.status();
    Annotation annotation = Annotate(*model, *annotate);
    if (flags_.Has("all")) annotation.modules = std::exchange(annotation.network, {});
    if (flags_.Has("in")) {
      absl::StatusOr<Annotation> inside =
          AnnotationIn(model->graph(), annotation, flags_.Value("in"));
      if (!inside.ok()) return Named(InputName(path), inside.status());
      annotation = *std::move(inside);
    }
    const Hierarchy hierarchy(model->graph(), annotation);
    absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, flags_.Values("module"));
    if (!modules.ok()) {
      return Named(InputName(path), modules.status());
    }
    options.modules = WithoutInner(hierarchy, *modules);
    if (flags_.Has("nodes")) options.with_nodes = &hierarchy;
    // JSON has figures of its own for these.
    const bool is_json = TreeFormatOf(flags_) == TreeFormat::kJson;
    Columns columns;
    absl::Status status = columns.Setup(flags_);
    if (status.ok()) {
      status = columns.Read(*model, hierarchy, flags_,
                            is_json ? std::vector<std::string>() : UsualColumns());
    }
    if (!status.ok()) return status;
    options.columns = columns.shown();
    options.sort_by = columns.sort_by();
    std::optional<Comparison> comparison;
    if (flags_.Has("compare")) {
      absl::StatusOr<OtherModel> other =
          CompareWithOther(*model, hierarchy, flags_.Value("compare"));
      if (!other.ok()) return other.status();
      comparison.emplace(*std::move(other));
      options.comparison = &comparison->tree;
    }
    if (path != "-") options.file = path;
    for (std::string& warning : WarningsOf(flags_, annotate_, annotation)) {
      warnings.push_back(std::move(warning));
    }
    const TreeFormat format = TreeFormatOf(flags_);
    const std::string name = NameInReports(path, flags_);
    const std::string title = absl::StrCat(
        format == TreeFormat::kText ? SafeForTerminal(name) : name, " (", annotation.dialect, ")",
        flags_.Has("in") ? absl::StrCat(", in ", flags_.Value("in")) : "");
    return WriteTree(*model, annotation, options, title, format, sink);
  }

  const ParsedFlags& flags_;
  const AnnotateOptions& annotate_;
  const TreeTextOptions& options_;
};

class DrawTree final : public ManyInputs {
 public:
  using ManyInputs::ManyInputs;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    options_.classes = flags().Has("classes");
    options_.own = flags().Has("own");
    absl::Status status = ReadCount(flags(), "depth", 0, options_.depth);
    return status.ok() ? Columns().Setup(flags()) : status;
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = ReadList();
    if (status.ok()) status = ReadOptions();
    if (!status.ok()) return status;
    const Drawing drawing(flags(), options(), options_);
    return ForEach([&drawing](const std::string& path) { return drawing.Do(path); });
  }

 private:
  TreeTextOptions options_;
};

}  // namespace

CommandEntry TreeCommand() {
  return {"tree",
          "IN.onnx...",
          "draw the model's module hierarchy",
          "Shows the modules of an ONNX model as a tree, with the number of their nodes and\n"
          "parameters and the size of these, everything inside included. Members of a list that\n"
          "are built alike are drawn once, with their sum and what each has; of a list whose\n"
          "members are not, one line has the sum.\n"
          "'-' is standard input.",
          kFlags,
          kExamples,
          Make<DrawTree>};
}

}  // namespace onnx_hier::cli
