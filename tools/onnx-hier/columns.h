// SPDX-License-Identifier: Apache-2.0

// Columns on the command line: which figures of modules are shown, and by which they are sorted.
// They mean the same for every command that has them.
#ifndef ONNX_HIER_TOOLS_COLUMNS_H_
#define ONNX_HIER_TOOLS_COLUMNS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/flags.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/profile_files.h"

namespace onnx_hier::cli {

inline constexpr char kColumnChoices[] =
    "nodes parameters bytes operators methods confidence unsure macs operations read written alive "
    "intensity time";
inline constexpr Flag kColumnsFlag =
    OneOf({"columns", 0, "A,B,...",
           "what to show of each module: nodes, parameters, bytes, operators, methods, confidence, "
           "unsure, or of 'cost' macs, operations, read, written, alive, intensity, bound, "
           "achieved (default: nodes,parameters,bytes, and what --profile brings)"},
          kColumnChoices);
inline constexpr Flag kSortFlag =
    OneOf({"sort", 0, "COLUMN",
           "the largest modules first, by a column, or by time; default: as in the model"},
          kColumnChoices);
inline constexpr Flag kProfileFlag = {
    "profile", 0, "PROFILE",
    "a profile of the model, as 'profile' takes it: the time of a run; or a table"};

// Of --columns.
std::vector<std::string> ColumnsNamed(const ParsedFlags& flags);
// Whether --columns or --sort names what a run costs.
bool AsksForCost(const ParsedFlags& flags);
// What is wrong about kCostFlags where nothing asks for that; "": nothing.
std::string WrongCostFlags(const ParsedFlags& flags, bool asks_for_cost);

class Columns {
 public:
  // What is wrong about the flags above, but for what --profile brings; "": nothing.
  static std::string WrongIds(const ParsedFlags& flags, bool has_profile);
  // Of all of them.
  static std::string WrongFlags(const ParsedFlags& flags);

  // What the flags say of how --profile is read. An error is one of usage.
  absl::Status Setup(const ParsedFlags& flags);

  // Fills columns from the model and --profile. `ids`: shown where --columns says nothing. The
  // error names the file.
  absl::Status Read(const Model& model, const Hierarchy& hierarchy, const ParsedFlags& flags,
                    const std::vector<std::string>& ids);

  // See AskedColumns.
  const std::vector<const Column*>& shown() const { return columns_->shown(); }
  std::vector<const Column*> BesidesUsual() const { return columns_->BesidesUsual(); }
  const Column* sort_by() const { return columns_->sort_by(); }
  const OpenedProfile* profile() const { return columns_->profile(); }
  const Costs* costs() const { return columns_->costs(); }
  // The one that --compare-profile names, where there is a profile.
  absl::StatusOr<OpenedProfile> ReadOther(const Model& model, const Hierarchy& hierarchy,
                                          const ParsedFlags& flags) const;

 private:
  ProfileOptions options_;
  CostOptions cost_options_;
  std::unique_ptr<AskedColumns> columns_;
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_COLUMNS_H_
