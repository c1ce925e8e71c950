#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/patterns.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"depth", 'd', "N", "show N levels of modules below the root"},
    {"module", 0, "PATTERN", "draw these modules only; may be given several times",
     /*repeatable=*/true},
    {"nodes", 0, nullptr, "show the nodes of each module, too"},
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

int Run(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return UsageError("tree", "name one model");
  if (flags.Has("json") && (flags.Has("module") || flags.Has("nodes"))) {
    return UsageError("tree", "--json prints all modules, and no nodes: 'tag' and 'select' do");
  }
  TreeTextOptions options;
  if (flags.Has("depth")) {
    const absl::StatusOr<uint32_t> depth = ParseCount(flags, "depth", 0);
    if (!depth.ok()) return UsageError("tree", depth.status().message());
    options.depth = *depth;
  }
  options.classes = flags.Has("classes");
  const absl::StatusOr<AnnotateOptions> annotate = ReadAnnotateOptions(flags);
  if (!annotate.ok()) return Fail(annotate.status().message());
  const std::string& path = flags.arguments()[0];
  const absl::StatusOr<Model> model = OpenFlatModel(path, Weights::kZeros);
  if (!model.ok()) return Fail(model.status().message());
  const Annotation annotation = Annotate(*model, *annotate);
  const Hierarchy hierarchy(model->graph(), annotation);
  absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, flags.Values("module"));
  if (!modules.ok()) return Fail(absl::StrCat(InputName(path), ": ", modules.status().message()));
  options.modules = WithoutInner(hierarchy, *modules);
  if (flags.Has("nodes")) options.with_nodes = &hierarchy;
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
          "are built alike are drawn once. '-' is standard input.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
