// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/check.h"
#include "onnx_hier/exports.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/columns.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/mistaken_files.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    OneOf({"format", 0, "F", "model-explorer (default), graphml, or dot (for Graphviz)"},
          "model-explorer graphml dot"),
    {"output", 'o', "FILE", "write here ('-': standard output, the default)"},
    {"module", 0, "PATTERN", "only these modules; may be given several times", /*repeatable=*/true},
    {"depth", 'd', "N",
     "of graphml and dot: show N levels of modules below the root, or below these (of dot, as many "
     "as Graphviz draws in seconds)"},
    OneOf({"node-data", 0, "KIND",
           "for Model Explorer, instead of the graph: what to colour its nodes by: confidence, "
           "time, the "
           "column of a table that --profile brings, or findings (of 'check')"},
          "confidence time findings"),
    kColumnsFlag,
    kProfileFlag,
};
constexpr Flag kOtherFlags[] = {
    kOriginalFlag,
    kModuleMapFlag,
    kRulesFlag,
    kMinConfidenceFlag,
    {"no-sync", 0, nullptr, "do not wait until the output is on the disk"},
    {"force", 'f', nullptr, "replace an existing output"},
    kQuietFlag,
    kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kCostFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier export bert.onnx -o bert.json", "all nodes by module, for Model Explorer"},
    {"onnx-hier export bert.onnx --node-data confidence -o confidence.json",
     "how sure each module is, as colours for the same"},
    {"onnx-hier export bert.onnx --node-data time --profile profile.json -o time.json",
     "where the time goes, likewise"},
    {"onnx-hier export bert.onnx --format dot --depth 3 | dot -Tsvg -o bert.svg",
     "a picture of the modules and what goes from one to the other"},
    {"onnx-hier export bert.onnx --module bert.encoder.layer.1 -o layer1.json",
     "one module of a large model"},
};

constexpr absl::string_view kFindings = "findings";
constexpr absl::string_view kConfidence = "confidence";

ExportFormat FormatOf(const ParsedFlags& flags) {
  return ExportFormatNamed(flags.Value("format")).value_or(ExportFormat::kModelExplorer);
}

const char* EndingOf(const ParsedFlags& flags) {
  switch (FormatOf(flags)) {
    case ExportFormat::kGraphml:
      return ".graphml";
    case ExportFormat::kDot:
      return ".dot";
    case ExportFormat::kModelExplorer:
      break;
  }
  return ".json";
}

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  const std::string format = flags.Value("format");
  if (flags.Has("format") && !ExportFormatNamed(format)) {
    return absl::StrCat("--format takes model-explorer, graphml or dot, not '", format, "'");
  }
  const bool draws_nodes = FormatOf(flags) == ExportFormat::kModelExplorer;
  if (flags.Has("depth") && draws_nodes) return "--depth goes with --format graphml or dot";
  const std::string data = flags.Value("node-data");
  const bool has_data = flags.Has("node-data");
  const bool is_of_file = has_data && data != kFindings && data != kConfidence;
  if (is_of_file && !flags.Has("profile")) {
    return data == "time"
               ? std::string("--node-data time and --profile go together")
               : absl::StrCat("--node-data takes confidence, time or findings, not '", data, "'");
  }
  if (has_data && flags.Has("module")) {
    return "--node-data is of all nodes, and fits what --module exports";
  }
  if (has_data && !draws_nodes) return "--node-data is for Model Explorer alone";
  if (has_data && !is_of_file && flags.Has("profile")) {
    return "--node-data time and --profile go together";
  }
  if (std::string wrong = Columns::WrongFlags(flags); !wrong.empty()) return wrong;
  if (std::string wrong = WrongCostFlags(flags, AsksForCost(flags)); !wrong.empty()) return wrong;
  const std::string output = flags.Value("output");
  const std::string wrong = WrongEnding("output", output, EndingOf(flags));
  // The input itself is told of as that.
  if (!wrong.empty() && output != flags.arguments()[0]) {
    return absl::StrCat(wrong, ", or choose another --format");
  }
  return CheckStreams(flags, {"profile", "original"});
}

absl::StatusOr<NodeData> FindingsOf(const Model& model, const ModuleMap& map) {
  ReadTagsResult read = ReadTags(model.graph());
  if (read.tags.CountTagged() == 0 && model.graph().node_count() > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(InputName(model.path()), ": has no tags to check; tag it first"));
  }
  const std::vector<Finding> found = FindContamination(model.graph(), map, read.tags);
  return FindingData(read.tags, found);
}

// A picture that never gets ready helps nobody.
void LeaveOutDeepModules(const Hierarchy& hierarchy, const ParsedFlags& flags,
                         ExportOptions& options) {
  const std::optional<uint32_t> depth = DrawableDepth(hierarchy, options.modules);
  if (!depth) return;
  options.depth = *depth;
  if (flags.Has("quiet")) return;
  Warn(absl::StrCat("only the upper ", *depth, *depth == 1 ? " level" : " levels",
                    " of modules, which Graphviz draws in seconds; --depth asks for more"));
}

absl::StatusOr<NodeData> DataOf(const Model& model, const Hierarchy& hierarchy,
                                const Columns& columns, const ModuleMap& map,
                                const ParsedFlags& flags) {
  const std::string kind = flags.Value("node-data");
  if (kind == kFindings) return FindingsOf(model, map);
  if (const OpenedProfile* const profile = columns.profile()) {
    const Column& column = profile->placed.amounts;
    if (column.measure().id == kind) return ColumnData(column);
    return absl::NotFoundError(absl::StrCat("--node-data ", kind, ": ", flags.Value("profile"),
                                            " has ", column.measure().id));
  }
  const absl::StatusOr<Column> column = MeasureModules(hierarchy, kind);
  if (!column.ok()) return column.status();
  return ColumnData(*column);
}

class ExportHierarchy final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    absl::Status status = ReadCount(flags(), "depth", 0, options_.depth);
    return status.ok() ? columns_.Setup(flags()) : status;
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenFlat(Weights::kZeros);
    if (status.ok()) status = Place();
    if (status.ok()) status = columns_.Read(model(), hierarchy(), flags(), {});
    if (!status.ok()) return status;
    if (flags().Has("node-data")) return ExportData();
    options_.columns = columns_.BesidesUsual();
    absl::StatusOr<std::vector<ModuleId>> modules = Modules(flags().Values("module"));
    if (!modules.ok()) return modules.status();
    options_.modules = *std::move(modules);
    if (FormatOf(flags()) == ExportFormat::kDot && !flags().Has("depth")) {
      LeaveOutDeepModules(hierarchy(), flags(), options_);
    }
    return WriteOut(ExportOf(model(), hierarchy(), FormatOf(flags()), options_));
  }

 private:
  absl::StatusOr<int> ExportData() const {
    const absl::StatusOr<NodeData> data =
        DataOf(model(), hierarchy(), columns_, options().module_map, flags());
    if (!data.ok()) return data.status();
    if (!data->left_out.empty()) Warn(absl::StrCat(InputName(path()), ": ", data->left_out));
    return WriteOut(NodeDataOf(model(), *data));
  }

  absl::StatusOr<int> WriteOut(const Document& document) const {
    const std::string output = flags().Has("output") ? flags().Value("output") : "-";
    absl::Status status = WriteDocument(model(), document, output, flags());
    if (!status.ok()) return status;
    return kDone;
  }

  Columns columns_;
  ExportOptions options_;
};

}  // namespace

CommandEntry ExportCommand() {
  return {"export",
          "IN.onnx",
          "write the hierarchy for programs that draw graphs",
          "Writes the model with its modules for Model Explorer: all nodes and edges, grouped by\n"
          "module. Or the modules alone, and how many values go from one to the other, as GraphML\n"
          "or for Graphviz. PATTERN is one of modules, as 'onnx-hier select' takes it. '-' is "
          "standard\n"
          "input.",
          kFlags,
          kExamples,
          Make<ExportHierarchy>};
}

}  // namespace onnx_hier::cli
