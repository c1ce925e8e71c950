#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
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
    kMinConfidenceFlag,
    {"json", 0, nullptr, "print the modules as JSON"},
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
    {"onnx-hier tree bert.onnx --json", "the same for machines"},
};

absl::Status WriteTreeForPeople(const Model& model, const Annotation& annotation,
                                const TreeTextOptions& options, ByteSink& sink) {
  const std::string name = model.path().empty() ? "standard input" : FileName(model.path());
  const absl::Status status =
      sink.Append(absl::StrCat(SafeForTerminal(name), " (", annotation.dialect, ")\n"));
  return status.ok() ? WriteTreeText(annotation, options, sink) : status;
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  if (flags.Has("json") && (flags.Has("module") || flags.Has("nodes"))) {
    return "--json prints all modules, and no nodes: 'tag' and 'select' do";
  }
  if (flags.Has("json") && (flags.Has("sort") || flags.Has("profile") || flags.Has("compare"))) {
    return "--json prints modules as they are in the model: 'profile' has times, 'diff' changes";
  }
  const std::string order = flags.Value("sort");
  if (flags.Has("sort") && !TreeOrderNamed(order)) {
    return absl::StrCat("--sort takes model, nodes, parameters, bytes or time, not '", order, "'");
  }
  if (order == "time" && !flags.Has("profile")) return "--sort time goes with --profile";
  return CheckStreams(flags, {"profile", "compare"});
}

// What --profile and --compare bring.
class Additions {
 public:
  // `options` refers to this then.
  absl::Status Read(const Model& model, const Hierarchy& hierarchy, const ParsedFlags& flags,
                    TreeTextOptions& options) {
    if (flags.Has("profile")) {
      const std::string path = flags.Value("profile");
      absl::StatusOr<PlacedProfile> profile =
          OpenProfile(path, path, {.cancel = CatchInterrupts()}, model, hierarchy, flags);
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
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const std::string& path = flags.arguments()[0];
  const absl::StatusOr<Model> model =
      OpenFlatModel(path, flags.Has("compare") ? Weights::kCopied : Weights::kZeros);
  if (!model.ok()) return Fail(model.status().message());
  const Annotation annotation = Annotate(*model, *annotate);
  const Hierarchy hierarchy(model->graph(), annotation);
  absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, flags.Values("module"));
  if (!modules.ok()) return Fail(absl::StrCat(InputName(path), ": ", modules.status().message()));
  options.modules = WithoutInner(hierarchy, *modules);
  if (flags.Has("nodes")) options.with_nodes = &hierarchy;
  Additions additions;
  const absl::Status status = additions.Read(*model, hierarchy, flags, options);
  if (!status.ok()) return Fail(status.message());
  const std::string warning = ModuleMapWarning(flags, *annotate, annotation);
  if (!warning.empty()) Warn(warning);
  return PrintOrFail([&](ByteSink& sink) {
    return flags.Has("json")
               ? WriteTreeJson(model->graph(), annotation, FileName(model->path()), sink)
               : WriteTreeForPeople(*model, annotation, options, sink);
  });
}

}  // namespace

Command TreeCommand() {
  return {"tree",
          "IN.onnx",
          "draw the model's module hierarchy",
          "Shows the modules of an ONNX model as a tree, with the number of their nodes and\n"
          "parameters and the size of these, everything inside included. Members of a list that\n"
          "are built alike are drawn once; of a list whose members are not, one line has the sum.\n"
          "'-' is standard input.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
