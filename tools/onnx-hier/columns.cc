// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/columns.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// As in the model.
constexpr absl::string_view kInModel = "model";
constexpr absl::string_view kTime = "time";
constexpr absl::string_view kAchieved = "achieved";

std::string KnownColumns() {
  std::vector<Measure> measures = KnownMeasures();
  absl::c_move(CostMeasures(), std::back_inserter(measures));
  return absl::StrJoin(measures, ", ", [](std::string* out, const Measure& measure) {
    absl::StrAppend(out, measure.id);
  });
}

// A table's column is known only once it is read.
std::string WrongColumn(const ParsedFlags& flags, absl::string_view flag, absl::string_view id,
                        bool has_profile) {
  if (id == "bound" && !flags.Has("device")) {
    return absl::StrCat("--", flag, " bound goes with --device");
  }
  if (has_profile) return "";
  if (id == kTime || id == kAchieved) {
    return absl::StrCat("--", flag, " ", id, " goes with --profile");
  }
  if (IsKnownMeasure(id) || IsCostMeasure(id)) return "";
  return absl::StrCat("--", flag, " takes ", flag == "sort" ? "model, " : "", KnownColumns(),
                      " or time, not '", id, "'");
}

}  // namespace

std::vector<std::string> ColumnsNamed(const ParsedFlags& flags) {
  if (!flags.Has("columns")) return {};
  return absl::StrSplit(flags.Value("columns"), ',');
}

bool AsksForCost(const ParsedFlags& flags) {
  return absl::c_any_of(ColumnsNamed(flags), IsCostMeasure) || IsCostMeasure(flags.Value("sort"));
}

std::string WrongCostFlags(const ParsedFlags& flags, bool asks_for_cost) {
  for (const Flag& flag : kCostFlags) {
    if (flags.Has(flag.name) && !asks_for_cost) {
      return absl::StrCat("--", flag.name, " goes with a column of what a run costs, such as macs");
    }
  }
  return "";
}

std::string Columns::WrongIds(const ParsedFlags& flags, bool has_profile) {
  if (flags.Has("columns")) {
    for (const std::string& id : ColumnsNamed(flags)) {
      if (std::string wrong = WrongColumn(flags, "columns", id, has_profile); !wrong.empty())
        return wrong;
    }
  }
  if (flags.Has("sort") && flags.Value("sort") != kInModel) {
    if (std::string wrong = WrongColumn(flags, "sort", flags.Value("sort"), has_profile);
        !wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string Columns::WrongFlags(const ParsedFlags& flags) {
  if (std::string wrong = WrongIds(flags, flags.Has("profile")); !wrong.empty()) return wrong;
  if (flags.Has("profile")) return WrongTableFlags(flags);
  for (const char* flag : {"layer-info", "warm-up", "sum-runs"}) {
    if (flags.Has(flag)) return absl::StrCat("--", flag, " goes with --profile");
  }
  for (const Flag& flag : kTableFlags) {
    if (flags.Has(flag.name)) return absl::StrCat("--", flag.name, " goes with --profile");
  }
  return "";
}

absl::Status Columns::Setup(const ParsedFlags& flags) {
  absl::StatusOr<ProfileOptions> options = ReadProfileOptions(flags);
  if (!options.ok()) return options.status();
  options_ = *std::move(options);
  absl::StatusOr<CostOptions> cost_options = ReadCostFlags(flags);
  if (!cost_options.ok()) return cost_options.status();
  cost_options_ = *std::move(cost_options);
  return absl::OkStatus();
}

absl::Status Columns::Read(const Model& model, const Hierarchy& hierarchy, const ParsedFlags& flags,
                           const std::vector<std::string>& ids) {
  ColumnsAsked asked = {.ids = flags.Has("columns") ? ColumnsNamed(flags) : ids,
                        .cost = cost_options_};
  if (flags.Value("sort") != kInModel) asked.sort = flags.Value("sort");
  if (flags.Has("profile")) {
    const std::string path = flags.Value("profile");
    absl::StatusOr<OpenedProfile> profile =
        OpenProfile(path, ShownFileName(path), options_, model, hierarchy, flags);
    if (!profile.ok()) return profile.status();
    asked.profile = *std::move(profile);
  }
  columns_ = std::make_unique<AskedColumns>(model, hierarchy);
  return CostError(columns_->Fill(std::move(asked)));
}

absl::StatusOr<OpenedProfile> Columns::ReadOther(const Model& model, const Hierarchy& hierarchy,
                                                 const ParsedFlags& flags) const {
  if (profile() == nullptr) return absl::FailedPreconditionError("there is no first profile");
  return OpenOtherProfile(*profile(), "compare-profile", options_, model, hierarchy, flags);
}

}  // namespace onnx_hier::cli
