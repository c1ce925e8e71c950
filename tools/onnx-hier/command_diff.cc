// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier_program/reports.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"depth", 'd', "N", "compare N levels of modules below the root, with all inside them"},
    {"structure", 0, nullptr,
     "compare operators, wiring and shapes only; weights are read where modules have new names"},
    {"weights", 0, nullptr, "compare what parameters hold only"},
    {"stat", 0, nullptr, "a line for each list of layers, and each module without one"},
    {"json", 0, nullptr, "print the differences as JSON"},
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier diff opset14.onnx opset17.onnx", "which modules a newer export changed"},
    {"onnx-hier diff before.onnx after.onnx --weights", "which modules were trained"},
    {"onnx-hier diff before.onnx after.onnx --stat", "how much changed in which list of layers"},
    {"onnx-hier diff before.onnx after.onnx --depth 2", "the upper two levels only"},
    {"onnx-hier diff a.onnx b.onnx -q || echo changed", "the exit code alone"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 2) return "name two models";
  if (flags.Has("structure") && flags.Has("weights")) {
    return "--structure and --weights exclude each other: without them both are compared";
  }
  if (flags.arguments()[0] == "-" && flags.arguments()[1] == "-") {
    return "only one of the two can be standard input";
  }
  if (flags.Has("stat") && flags.Has("json")) {
    return "--stat and --json exclude each other: JSON has 'units'";
  }
  if (flags.Has("quiet") && flags.Has("json")) return "--quiet and --json exclude each other";
  return "";
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = WrongFlags(flags); !wrong.empty()) {
    return UsageError("diff", wrong);
  }
  DiffOptions options;
  if (flags.Has("depth")) {
    const absl::StatusOr<uint32_t> depth = ParseCount(flags, "depth", 0);
    if (!depth.ok()) return UsageError("diff", depth.status().message());
    options.depth = *depth;
  }
  options.structure = !flags.Has("weights");
  options.weights = !flags.Has("structure");
  const absl::StatusOr<Model> a = OpenFlatModel(flags.arguments()[0], Weights::kCopied);
  if (!a.ok()) return Fail(a.status().message());
  const absl::StatusOr<Model> b = OpenFlatModel(flags.arguments()[1], Weights::kCopied);
  if (!b.ok()) return Fail(b.status().message());
  const Annotation annotation_a = Annotate(*a);
  const Annotation annotation_b = Annotate(*b);
  const Hierarchy modules_a(a->graph(), annotation_a);
  const Hierarchy modules_b(b->graph(), annotation_b);
  const absl::StatusOr<ModelDiff> diff = Compare(*a, modules_a, *b, modules_b, options);
  if (!diff.ok()) return Fail(diff.status().message());
  const int code = diff->IsEmpty() ? kDone : kFound;
  if (flags.Has("quiet")) return code;
  const DiffReport report = {flags.arguments()[0], flags.arguments()[1], annotation_a, annotation_b,
                             *diff};
  const int printed = PrintOrFail(flags.Has("json")   ? DiffReportJson(report)
                                  : flags.Has("stat") ? DiffStatText(report)
                                                      : DiffReportText(report));
  return printed == kDone ? code : printed;
}

}  // namespace

Command DiffCommand() {
  return {"diff",
          "A.onnx B.onnx",
          "say which modules changed from one model to another",
          "Compares two models module by module: the operators of each, how they are wired and\n"
          "with which attributes, the types and shapes of parameters, and what these hold. Names\n"
          "of nodes and values play no part. Members of lists are recognised by what they are, so\n"
          "that an inserted layer is told as one; a module with another name by its nodes. What\n"
          "changed alike in many modules is told once ('*' for their numbers). Exit code 0: no\n"
          "difference, 1: some, 2: trouble. '-' is standard input.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
