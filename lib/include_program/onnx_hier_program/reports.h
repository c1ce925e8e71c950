// SPDX-License-Identifier: Apache-2.0

// What the command line tool prints, for people and for machines. Names from files are made fit to
// be shown (text.h); JSON is as the schemas say.
#ifndef ONNX_HIER_PROGRAM_REPORTS_H_
#define ONNX_HIER_PROGRAM_REPORTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/check.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/profile.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/module_plan.h"

namespace onnx_hier {

// --- tree

// The hierarchy as a picture for people.
//
//   /                          257  4,385,920  17.5 MB
//   ├─ embeddings               24  3,972,864  15.9 MB
//   └─ encoder                 211    396,544   1.6 MB
//      └─ layer.[0-1] x2       104    198,272  793.1 kB
//
// Neighbouring members of a list that are built alike, and modules with others in them whose names
// differ by a number, are drawn once; their figures are those of one. Members of a list that are
// not all alike are drawn below a line of the list, which no module stands for. The lines are made
// as they are written; of names that are too wide for a terminal, the end is left out, and of
// branches too many for one, the outer ones.

// What became of each module in another model.
struct TreeComparison {
  const ModelDiff& diff;     // A: the model that is drawn
  const ModulePaths& other;  // of the paths that only B has
};

struct TreeTextOptions {
  uint32_t depth = 0xFFFFFFFFu;   // levels of modules below the root, or below each of `modules`
  bool classes = false;           // a column with the class of each module
  std::vector<ModuleId> modules;  // draw these, each with what is inside; none: all there are
  // Draw each module's own nodes too, and every module for itself; null: no nodes.
  const Hierarchy* with_nodes = nullptr;
  bool lists = true;                   // a line for each list whose members are not all alike
  std::vector<const Column*> columns;  // in this order
  // In the module around them, those with most of it come first; null: as in the model.
  const Column* sort_by = nullptr;
  // Figures leave out what lines of their own have: each node counts in one line.
  bool own = false;
  const TreeComparison* comparison = nullptr;  // a column with what another model has; null: none
  std::string file;  // the model's, for a command that says more; "": it has none
};

absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink);
// The same lines as a table of GitHub's Markdown, with whole paths; lines without figures are left
// out. `title` stands above it.
absl::Status WriteTreeMarkdown(const Annotation& annotation, const TreeTextOptions& options,
                               absl::string_view title, ByteSink& sink);
// A line for each module, for spreadsheets (RFC 4180).
absl::Status WriteTreeCsv(const Annotation& annotation, const TreeTextOptions& options,
                          ByteSink& sink);

// schemas/tree.schema.json. `file` is the model's file name without its folder. Of the options,
// `depth`, `modules`, `sort_by` and `columns` count.
absl::Status WriteTreeJson(const Graph& graph, const Annotation& annotation,
                           const TreeTextOptions& options, absl::string_view file, ByteSink& sink);

// A column of all modules, in the tree's order, as JSON: {"id": "loss", "title", "unit", "adds",
// "total", "not_placed", "own": [...], "totals": [...], "unknown": [...]}; of words also "words",
// an object for each module.
std::string ColumnJson(const Column& column, const ModuleTree& modules);

// --- explain: why nodes have their tags

//   node 12 Add '/encoder/Add_1'
//     module      /encoder/layer.0
//     because     built like node 45, which is in /encoder/layer.1
//     method      repetition, 98 % sure
//     in favour   80 %        repetition  all nodes that look like it put it there  (node 45)
//     witnesses   order       /encoder/layer.0  (node 11)
//     candidates  0.981 /encoder/layer.0
std::string ExplainText(const Graph& graph, const Explanations& explanations);
// schemas/explain.schema.json. `file` is the model's file name without its folder.
std::string ExplainJson(const Graph& graph, const Explanations& explanations,
                        absl::string_view file);

// --- select: plans

struct PlannedSum {
  absl::string_view word;  // "": the plan says nothing
  uint64_t nodes = 0;
  uint64_t parameters = 0;
  Amount more;  // of a column besides
};

// What is planned for each word, in the order of the lines; `more`: a column besides, or null.
std::vector<PlannedSum> SumsOfPlan(const Hierarchy& hierarchy, const ModulePlan& plan,
                                   const PlannedModules& planned, const Column* more);

// What the plan comes to, as a table of `what` its words are, "precision" or "device"; `more`: a
// column besides, or null.
//
//   precision  nodes  parameters       MACs
//   fp32          23       4,420     17,408
//   int8         277      22,464    141,312
std::string PlanText(const Hierarchy& hierarchy, const ModulePlan& plan,
                     const PlannedModules& planned, absl::string_view what, const Column* more);
// A plan of precisions as JSON (schemas/plan.schema.json), of the model in `file`.
std::string PlanJson(const Hierarchy& hierarchy, const ModulePlan& plan,
                     const PlannedModules& planned, const Column* macs, absl::string_view file);

// --- check

// What a user's rules say must hold (onnx_hier/user_rules.h), and does not.
struct BrokenRule {
  size_t line = 0;     // in the file of rules
  std::string rule;    // as it was written
  std::string module;  // the tag of the module in which it does not hold; "": it is about none
  std::string what;    // for people: "has 135.2 MB"
};

struct CheckReport {
  std::string file;  // the model's file name
  const Graph& graph;
  const Tags& tags;
  size_t malformed = 0;  // nodes whose doc_string holds tags that cannot be read
  // What was asked for.
  std::optional<std::vector<Finding>> contamination;
  std::optional<Coverage> coverage;
  std::optional<std::vector<BrokenRule>> broken_rules;

  size_t CountFound() const;
};

// schemas/check_report.schema.json, with a line for each finding.
absl::Status WriteCheckReportJson(const CheckReport& report, ByteSink& sink);
// Findings by layer pair, then the nodes of each.
absl::Status WriteCheckReportText(const CheckReport& report, ByteSink& sink);
// Tables of GitHub's Markdown, the nodes folded.
absl::Status WriteCheckReportMarkdown(const CheckReport& report, ByteSink& sink);
// "m.onnx: 17: cross_layer: /layer.1/fc: expected /layer.0/fc (name, 0.99): /layer.0/fc/Gemm"
absl::Status WriteCheckReportLines(const CheckReport& report, ByteSink& sink);

// --- extract

// What became of one part of a model.
struct PartResult {
  struct PartValue {
    std::string name;
    std::string type;    // "float32"
    std::string module;  // that makes it; "" for an input of the model
  };

  std::string input;
  std::string output;             // "" for none
  std::string probe;              // likewise
  std::optional<uint64_t> bytes;  // of the output's file; none: it is not written yet
  std::string data;               // name of the output's own data file; "": it has none
  uint64_t data_bytes = 0;
  std::string probe_data;  // the same of the probe
  uint64_t probe_data_bytes = 0;
  std::vector<std::string> modules;
  std::vector<std::string> node_ids;  // that were asked for  // as they were meant
  std::optional<uint32_t> call;       // the run that was taken; none: all there are
  std::string reach;                  // "modules", "up_to" or "from"
  uint64_t nodes = 0;                 // of the main graph; of these:
  uint64_t copied = 0;                // constants and shape arithmetic of other modules
  uint64_t between = 0;               // what lies between the modules
  uint64_t parameters = 0;            // tensors
  uint64_t parameter_bytes = 0;
  std::vector<PartValue> inputs;
  std::vector<PartValue> outputs;
  std::vector<std::string> reentrant;  // ids of nodes through which values leave and come back
  std::vector<std::string> warnings;
};

//   layer3.onnx: 109 nodes (4 copied), 16 parameters (34.2 kB), 2 inputs, 1 output
//     in   /encoder/layer.2/Add_output_0  float32  from /encoder/layer.2
//     out  /encoder/layer.3/Add_output_0  float32
//   probe.onnx: the whole model, which also gives out what the part reads and makes
std::string PartResultText(const PartResult& result);
// schemas/extract_result.schema.json
std::string PartResultJson(const PartResult& result);

// --- split

// What became of a model that was cut into parts.
struct SplitResult {
  std::string input;
  std::vector<PartResult> parts;    // in the order in which they run; outputs are file names
  std::vector<std::string> shared;  // parameters that several parts have
  uint64_t shared_bytes = 0;        // that this costs
  std::vector<std::string> warnings;
};

//   00  bert_00_head.onnx     21 nodes   5,376 parameters ...
std::string SplitResultText(const SplitResult& result);
// schemas/split.schema.json; also the manifest that is written beside the parts.
std::string SplitResultJson(const SplitResult& result);

// --- fold

// What became of a model whose modules were made functions.
struct FoldResult {
  struct Function {
    std::string name;
    std::string module;  // of its first call
    uint64_t calls = 0;
    uint64_t nodes = 0;
  };
  struct Left {
    std::string module;
    uint32_t call = 0;
    std::string why;
  };

  std::string input;
  std::string output;
  std::vector<Function> functions;  // inner ones first
  std::vector<Left> left;           // runs of modules that were not folded, the first ones
  uint64_t left_count = 0;          // of all
  uint64_t calls = 0;
  uint64_t nodes_before = 0;      // in the main graph
  uint64_t nodes_after = 0;       // likewise
  uint64_t function_nodes = 0;    // in functions
  uint64_t table_bytes = 0;       // of what unfolding needs besides
  int64_t raised_ir_version = 0;  // 0: it was high enough
  std::vector<std::string> warnings;
};

//   bert_folded.onnx: 1,236 nodes -> 12, and 105 in 4 functions
std::string FoldResultText(const FoldResult& result);
// schemas/fold_result.schema.json
std::string FoldResultJson(const FoldResult& result);

// --- diff

// What each of two models has of a measure: of modules that changed it is told.
struct ColumnPair {
  const Column* a;
  const Column* b;
};

struct DiffReport {
  std::string file_a;  // as they were given
  std::string file_b;
  const Annotation& a;
  const Annotation& b;
  const ModelDiff& diff;
  std::vector<ColumnPair> columns = {};  // of numbers
  uint32_t depth = 0xFFFFFFFFu;          // as the models were compared
};

//   20 modules the same, 36 changed
//   /features.*.*/norm1 x6  operators
//       - Add x2, Constant x2, Div, Mul, Pow, ReduceMean x2, Sqrt, Sub
//       + LayerNormalization
std::string DiffReportText(const DiffReport& report);
//   /encoder/layer: +1 layer, 12 modules, +104 nodes, +8,544 parameters, +34.2 kB
std::string DiffStatText(const DiffReport& report);
// The parts of the model that changed as a table of GitHub's Markdown, all modules folded.
std::string DiffReportMarkdown(const DiffReport& report);
// schemas/diff.schema.json
std::string DiffReportJson(const DiffReport& report);

// --- profile

// Time per module, as the command line tool prints it, and in formats of programs that draw it.

// A profile with what it comes to. All must outlive who holds it.
struct TimedProfile {
  std::string file;
  const Profile& profile;
  const PlacedProfile& placed;
};

struct ProfileReport {
  static constexpr uint32_t kAll = 0xFFFFFFFFu;

  std::string model_file;
  const Hierarchy& hierarchy;
  TimedProfile main;
  std::optional<TimedProfile> other;  // that it is compared with
  uint32_t depth = kAll;              // levels of modules below the root, or each of `modules`
  std::vector<ModuleId> modules;      // only these, with what is inside; none: all there are
  const Column* sort_by = nullptr;    // as in a tree
  std::vector<const Column*> columns = {};  // beside the profile's, where there is room

  TreeTextOptions rows() const { return {.depth = depth, .modules = modules, .sort_by = sort_by}; }
};

enum class ProfileFormat {
  kTable,       // for people
  kMarkdown,    // the same, for a pull request
  kCsv,         // a line for each module
  kJson,        // schemas/profile.schema.json
  kFolded,      // "/;encoder;layer.0;MatMul 5000", as flamegraph.pl takes it, in nanoseconds
  kSpeedscope,  // www.speedscope.app/file-format-schema.json
  kTrace,       // Chrome's trace events of the last run: a track of modules above one of kernels
};
// By its name on the command line ("table", ...); none: there is no such format.
std::optional<ProfileFormat> ProfileFormatNamed(absl::string_view name);
// Whether it has room for other columns, and for a comparison.
bool HasColumns(ProfileFormat format);

absl::Status WriteProfile(const ProfileReport& report, ProfileFormat format, ByteSink& sink);

// --- page

// One HTML page about a model: its modules as a picture and as a table, the nodes of each, and on
// demand the time of a profile and what another model has in their place.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   absl::Status status = WritePage(model, {.hierarchy = hierarchy}, sink);
//
// The page is one file that asks nobody for anything, and says so to the browser (a content
// security policy of hashes). Texts of the model are data to it: they are made fit to be shown
// (text.h), and never become HTML. The same input makes the same bytes.

class Model;

// What became of the page's model in another one.
struct PageComparison {
  std::string file;         // of the other model
  const Annotation& other;  // likewise
  const ModelDiff& diff;    // A: the page's model, B: the other one
};

// All that is referred to must outlive this.
struct PageReport {
  const Hierarchy& hierarchy;
  std::vector<const Column*> columns = {};                 // besides nodes, parameters and bytes
  std::optional<TimedProfile> times = std::nullopt;        // what one of the columns is from
  std::optional<TimedProfile> other_times = std::nullopt;  // of another run; in the same unit
  std::optional<PageComparison> comparison = std::nullopt;
  // What may be asked about doubtful nodes: a list as JSON (review.h); "": nothing.
  std::string questions = {};
  // Texts of nodes and parameters that the page may hold. The modules behind those with which they
  // are used up are shown without, and the page says so.
  size_t most_node_bytes = size_t{32} << 20;
  // What the page calls the model; "": as its file is called.
  std::string file = {};
};

// `model` is the one of the hierarchy. Its weights are not read. Errors of reading it again for the
// types of values: kDataLoss, kAborted.
absl::Status WritePage(const Model& model, const PageReport& report, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_REPORTS_H_
