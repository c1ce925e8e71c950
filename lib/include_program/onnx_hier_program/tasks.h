// SPDX-License-Identifier: Apache-2.0

// What a request means, and what is told of what was done: the same for the command line, the C API
// and whatever stands on that.
#ifndef ONNX_HIER_PROGRAM_TASKS_H_
#define ONNX_HIER_PROGRAM_TASKS_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/profile.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier/write.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// --- modules that are meant

// "; nearest: /encoder/layer.0, ...": the modules that are most like a pattern which means none.
std::string NearestModules(const Hierarchy& hierarchy, absl::string_view pattern);
// "no module is meant by 'encodr.layer.0'; nearest: ..."
std::string NoSuchModule(const Hierarchy& hierarchy, absl::string_view pattern);

// The modules that the patterns mean together, in the tree's order, each once. kNotFound: one of
// them means none. kInvalidArgument: one cannot be read, or takes away.
absl::StatusOr<std::vector<ModuleId>> FindModules(const Hierarchy& hierarchy,
                                                  absl::Span<const std::string> patterns);

// Of modules in the tree's order, those that are in none of the others.
std::vector<ModuleId> WithoutInner(const Hierarchy& hierarchy, absl::Span<const ModuleId> modules);

// The modules and those inside them, down to so many levels below each; in the tree's order.
std::vector<ModuleId> ModulesDownTo(const Hierarchy& hierarchy, absl::Span<const ModuleId> modules,
                                    uint32_t depth);

// Where a model may be cut.
struct Places {
  std::vector<ModuleId> modules;  // in the tree's order
  std::vector<NodeId> nodes;
  std::vector<ValueId> values;
};

// What words mean: patterns of modules, else ids or names of nodes, else names of values. Errors as
// of FindModules.
absl::StatusOr<Places> FindPlaces(const Hierarchy& hierarchy, absl::Span<const std::string> words);

// The part of a model that such words mean. A value stands for the node that makes it, but with
// kUpTo for the part's output, and with kFrom for its input. kInvalidArgument: with these, they are
// of different kinds.
absl::StatusOr<PartRequest> PartMeant(const Hierarchy& hierarchy, Reach reach,
                                      absl::Span<const std::string> words);
// Between values by their names, or lists of names ("a,b"). kNotFound: there is no such value.
absl::StatusOr<PartRequest> PartBetween(const Hierarchy& hierarchy,
                                        absl::Span<const std::string> inputs,
                                        absl::Span<const std::string> outputs);

// --- profiles and tables that are meant for a model

// A profile or table, and what it comes to in the modules.
struct OpenedProfile {
  std::string file;  // as reports and errors call it
  Profile profile;
  PlacedProfile placed;

  // It must outlive the result.
  TimedProfile timed() const { return {file, profile, placed}; }
};

// Of a hierarchy of one graph alone, without kernels of nodes elsewhere. kInvalidArgument names
// `file`: nothing of it can be placed, as it is of another model, or of one
// that was optimised beyond recognition. `model`: as the error calls it.
absl::StatusOr<OpenedProfile> OpenedProfileOf(std::string file, Profile profile,
                                              const Hierarchy& hierarchy, absl::string_view model);
// kInvalidArgument: they are of different units, or of words.
absl::Status CheckComparable(const OpenedProfile& a, const OpenedProfile& b);

// --- what must hold

// What a model that was before is compared with, and how they differ.
struct ComparedOriginal {
  const Hierarchy& hierarchy;  // of the one that was before, by the same rules
  const ModelDiff& diff;       // from that to the one that is checked
};

// The user's requirements that do not hold, in the order of their lines. `original` may be null.
// kInvalidArgument names the line: it asks for an original, or for a measure that there is not.
absl::StatusOr<std::vector<BrokenRule>> CheckRequirements(const Model& model,
                                                          const Hierarchy& hierarchy,
                                                          const UserRules& rules,
                                                          const CostOptions& costs,
                                                          const ComparedOriginal* original);

// --- what a run costs

// "x=1x3x224x224", "seq=128", "2000:50" ("": no device). The error says what each takes.
absl::StatusOr<CostOptions> ReadCostOptions(absl::Span<const std::string> shapes,
                                            absl::Span<const std::string> dims,
                                            absl::string_view device);
// Measured, and its columns added, if any of these columns is of that; else null. It must outlive
// `columns`. `timed`: a profile, by which what was achieved is known; null: there is none.
absl::StatusOr<std::unique_ptr<Costs>> AddCosts(const Model& model, const Hierarchy& hierarchy,
                                                const CostOptions& options,
                                                absl::Span<const std::string> ids,
                                                const TimedProfile* timed, ColumnSet& columns);

// --- columns of a report

struct ColumnsAsked {
  std::vector<std::string> ids;  // shown, in this order
  std::string sort;              // the column by which rows are sorted; "": as in the model
  CostOptions cost;
  std::optional<OpenedProfile> profile;
};

// Columns, filled from a model, from a profile or table, and from what a run costs.
class AskedColumns {
 public:
  // Both must outlive this.
  AskedColumns(const Model& model, const Hierarchy& hierarchy)
      : model_(model), columns_(hierarchy), hierarchy_(hierarchy) {}
  ~AskedColumns();

  // Once. Errors as of AddCosts(); kInvalidArgument: there is no such column.
  absl::Status Fill(ColumnsAsked asked);

  // Of the ids; the profile's is the last one, where these do not name it.
  const std::vector<const Column*>& shown() const { return shown_; }
  // Of these, what reports do not have of every model.
  std::vector<const Column*> BesidesUsual() const;
  // Of these, those of the model.
  std::vector<const Column*> BesidesProfile() const;
  // Null: as in the model.
  const Column* sort_by() const { return sort_by_; }
  // Null: there is none.
  const OpenedProfile* profile() const { return profile_ ? &*profile_ : nullptr; }
  // What a run costs; null: no column is of that.
  const Costs* costs() const { return costs_.get(); }

 private:
  const Model& model_;
  std::optional<OpenedProfile> profile_;
  std::unique_ptr<Costs> costs_;
  ColumnSet columns_;
  const Hierarchy& hierarchy_;
  std::vector<const Column*> shown_;
  const Column* sort_by_ = nullptr;
};

// What nodes have of a column, as whole numbers that keep what tells them apart: what parts of a
// model are balanced by.
std::vector<std::pair<NodeId, uint64_t>> WholeAmounts(const Column& column);

// --- files that were given no name

// "a/in.onnx" -> "a/in"; other endings stay.
std::string Stem(const std::string& path);
// "a/in.onnx" -> "in.onnx"
std::string FileName(const std::string& path);
// "a/in.onnx", "_tagged" -> "a/in_tagged.onnx", or "DIR/in_tagged.onnx" when a folder is given.
std::string ModelBeside(const std::string& input, absl::string_view suffix,
                        const std::string& folder);
// Of several files, the third: "02"; as wide as the last one needs, two digits at least.
std::string FileNumber(size_t index, size_t count);
// "out.onnx" -> "out_hierarchy.json"
std::string SidecarOf(const std::string& model);

// --- tags that a check is to look at, from wherever they are

struct CheckedTags {
  Tags tags;
  std::vector<NodeId> malformed;     // nodes whose tags cannot be read
  std::vector<std::string> sidecar;  // what is wrong with the sidecar that they are from
};

// Those of `sidecar`, a text, or else those that the nodes carry. kInvalidArgument: the text holds
// no tags, or those of another model (CheckMatches).
absl::StatusOr<CheckedTags> TagsToCheck(const Graph& graph,
                                        const std::optional<std::string>& sidecar);
// Of a folded model, as tags of the flat one: those that it had before it was folded first.
absl::StatusOr<CheckedTags> TagsOfFolded(const Model& folded, const UnfoldedModel& unfolded,
                                         const std::optional<std::string>& sidecar,
                                         const AnnotateOptions& options);

// --- parts of a model, and modules that became functions

std::string TagOf(const Hierarchy& hierarchy, ModuleId module);

// All but the files; of warnings, those about the part itself.
PartResult DescribePart(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                        const Part& part);
// Of a split of the model in the file `input` ("-" for a stream): its parts with the names of their
// files, "bert_03_layer.2.onnx".
SplitResult DescribeSplit(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                          const SplitRequest& request, const SplitPlan& plan,
                          const std::string& input);

// What became of the part and its probe, or of parts in their order, with a warning of data files
// that are not where these look for them.
void NoteWritten(absl::Span<const Written> written, PartResult& result);
void NoteWritten(absl::Span<const Written> written, SplitResult& result);

// What follows the model's name in that of an extracted part: "_bert.encoder.layer.3", of what
// shells and file systems take in good part.
std::string FileNamePart(const Hierarchy& hierarchy, const PartRequest& request);

// Bodies of branches and loops that nodes of the main graph hold, with nodes of their own.
std::vector<BlockId> GraphsInside(const Graph& graph);
// Of these graphs, the one at a path ("1045/then_branch") or that is the only one which an
// attribute of that name holds ("then_branch"). kInvalidArgument: there is none, or there are
// several.
absl::StatusOr<BlockId> GraphNamed(const Graph& graph, absl::Span<const BlockId> graphs,
                                   absl::string_view name);

// What an annotation says of one of these graphs, or one inside of them, and those inside it: nodes
// elsewhere have no module, and modules that hold neither a node there nor a parameter that is read
// there are not listed.
absl::StatusOr<Annotation> AnnotationIn(const Graph& graph, const Annotation& annotation,
                                        absl::string_view name);

// Of what runs several times, or in several graphs, one run is meant: the first one, with a
// warning, if the request does not say which. `in`: the graph, as of GraphNamed(); "": any.
absl::Status ChooseCall(const Hierarchy& hierarchy, const Cutter& cutter, absl::string_view in,
                        PartRequest& request, std::vector<std::string>& warnings);

// All but the files and warnings.
FoldResult DescribeFolding(const Hierarchy& hierarchy, const Folding& folding);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_TASKS_H_
