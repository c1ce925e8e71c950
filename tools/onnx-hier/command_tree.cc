// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/other_model.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/patterns.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"module", 0, "PATTERN", "draw these modules only; may be given several times",
     /*repeatable=*/true},
    {"nodes", 0, nullptr, "show the nodes of each module, too"},
    {"sort", 0, "KEY",
     "the largest modules first, by nodes, parameters, bytes or time; default: as in the model"},
    {"profile", 0, "PROFILE", "a profile of the model, as 'profile' takes it: the time of a run"},
    {"compare", 0, "OTHER.onnx", "another model: what has changed in it, module by module"},
    {"classes", 'c', nullptr, "show the class of each module, where it is known"},
    kModuleMapFlag,
    {"all", 'a', nullptr, "show the modules of the module map that have no nodes, too"},
    kMinConfidenceFlag,
    kFilesFromFlag,
    kJobsFlag,
    kThreadsFlag,
    {"json", 0, nullptr, "print the modules as JSON"},
    kJsonLinesFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier tree bert.onnx", "draws the modules with their nodes, parameters and sizes"},
    {"onnx-hier tree bert.onnx --depth 2", "the upper two levels only"},
    {"onnx-hier tree bert.onnx --module '**.layer.1.attention' --nodes", "a module with its nodes"},
    {"onnx-hier tree bert.onnx --depth 2 --sort bytes", "the largest modules first"},
    {"onnx-hier tree bert.onnx --profile profile.json --sort time", "where the time goes"},
    {"onnx-hier tree before.onnx --compare after.onnx", "which modules changed"},
    {"onnx-hier tree bert.onnx --classes --module-map modules.json", "with the modules' classes"},
    {"onnx-hier tree bert.onnx --all --module-map modules.json",
     "with those that left no node: folded, or never called"},
    {"onnx-hier tree bert.onnx --json", "the same for machines"},
    {"onnx-hier tree hub/*.onnx --json-lines", "a line of JSON for each of many models"},
};

// `name`: of the model.
absl::Status WriteTreeForPeople(const std::string& name, const Annotation& annotation,
                                const TreeTextOptions& options, ByteSink& sink) {
  const absl::Status status =
      sink.Append(absl::StrCat(SafeForTerminal(name), " (", annotation.dialect, ")\n"));
  return status.ok() ? WriteTreeText(annotation, options, sink) : status;
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (std::string wrong = CheckInputs(flags, {"profile", "compare"}); !wrong.empty()) return wrong;
  if (flags.Has("json") && flags.Has("json-lines")) {
    return "--json and --json-lines exclude each other";
  }
  if (flags.Has("json") && IsForSeveral(flags)) return "several models need --json-lines";
  for (const char* json : {"json", "json-lines"}) {
    if (!flags.Has(json)) continue;
    if (flags.Has("depth")) {
      return absl::StrCat("--", json, " prints all modules, each with its \"level\"");
    }
    if (flags.Has("module") || flags.Has("nodes")) {
      return absl::StrCat("--", json, " prints all modules, and no nodes: 'tag' and 'select' do");
    }
    if (flags.Has("sort") || flags.Has("profile") || flags.Has("compare")) {
      return absl::StrCat("--", json,
                          " prints modules as they are in the model: 'profile' has times, 'diff' "
                          "changes");
    }
  }
  const std::string order = flags.Value("sort");
  if (flags.Has("sort") && !TreeOrderNamed(order)) {
    return absl::StrCat("--sort takes model, nodes, parameters, bytes or time, not '", order, "'");
  }
  if (order == "time" && !flags.Has("profile")) return "--sort time goes with --profile";
  if (flags.Has("all") && !flags.Has("module-map")) {
    return "--all shows the modules of a module map: it goes with --module-map";
  }
  return CheckStreams(flags, {"profile", "compare", "files-from"});
}

// What --profile and --compare bring.
class Additions {
 public:
  // `options` refers to this then.
  absl::Status Read(const Model& model, const Hierarchy& hierarchy, const ParsedFlags& flags,
                    TreeTextOptions& options) {
    if (flags.Has("profile")) {
      const std::string path = flags.Value("profile");
      absl::StatusOr<PlacedProfile> profile = OpenProfile(path, path, {}, model, hierarchy, flags);
      if (!profile.ok()) return profile.status();
      times_ = std::move(profile->times);
      options.times = &times_;
    }
    if (!flags.Has("compare")) return absl::OkStatus();
    absl::StatusOr<OtherModel> other = CompareWithOther(model, hierarchy, flags.Value("compare"));
    if (!other.ok()) return other.status();
    other_ = *std::move(other);
    options.comparison = &comparison_;
    return absl::OkStatus();
  }

 private:
  ModuleTimes times_;
  OtherModel other_;
  const TreeComparison comparison_ = {other_.diff, other_.annotation.paths};
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
    const Weights weights = flags_.Has("compare") ? Weights::kCopied : Weights::kZeros;
    const absl::StatusOr<Model> model = OpenFlatModel(path, weights, annotate_.threads);
    if (!model.ok()) return model.status();
    Annotation annotation = Annotate(*model, annotate_);
    if (flags_.Has("all")) annotation.modules = std::exchange(annotation.network, {});
    const Hierarchy hierarchy(model->graph(), annotation);
    absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, flags_.Values("module"));
    if (!modules.ok()) {
      return absl::Status(modules.status().code(),
                          absl::StrCat(InputName(path), ": ", modules.status().message()));
    }
    options.modules = WithoutInner(hierarchy, *modules);
    if (flags_.Has("nodes")) options.with_nodes = &hierarchy;
    Additions additions;
    if (absl::Status status = additions.Read(*model, hierarchy, flags_, options); !status.ok()) {
      return status;
    }
    const std::string name = NameInReports(path, flags_);
    if (path != "-") options.file = path;
    const std::string warning = ModuleMapWarning(flags_, annotate_, annotation);
    if (!warning.empty()) warnings.push_back(warning);
    return flags_.Has("json") || flags_.Has("json-lines")
               ? WriteTreeJson(model->graph(), annotation, FileName(model->path()), sink)
               : WriteTreeForPeople(name, annotation, options, sink);
  }

  const ParsedFlags& flags_;
  const AnnotateOptions& annotate_;
  const TreeTextOptions& options_;
};

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) return UsageError("tree", wrong);
  TreeTextOptions options;
  if (flags.Has("depth")) {
    const absl::StatusOr<uint32_t> depth = ParseCount(flags, "depth", 0);
    if (!depth.ok()) return UsageError("tree", depth.status().message());
    options.depth = *depth;
  }
  options.classes = flags.Has("classes");
  options.order = TreeOrderNamed(flags.Value("sort")).value_or(TreeOrder::kModel);
  const absl::StatusOr<std::vector<std::string>> inputs = ReadInputs(flags);
  if (!inputs.ok()) return Fail(inputs.status().message());
  const absl::StatusOr<uint32_t> at_a_time = ReadJobs(flags, *inputs);
  if (!at_a_time.ok()) return UsageError("tree", at_a_time.status().message());
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags, *at_a_time);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const Drawing drawing(flags, *annotate, options);
  return ModelBatch(flags, inputs->size(), *at_a_time).Run([&](size_t index) {
    return drawing.Do((*inputs)[index]);
  });
}

}  // namespace

Command TreeCommand() {
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
          Run};
}

}  // namespace onnx_hier::cli
