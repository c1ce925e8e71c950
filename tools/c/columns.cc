// SPDX-License-Identifier: Apache-2.0
#include "tools/c/columns.h"

#include <utility>

#include "onnx_hier/cost.h"
#include "tools/c/calls.h"

namespace onnx_hier::c {

absl::StatusOr<OpenedProfile> ReadProfileAt(const Annotated& annotated, const Hierarchy& hierarchy,
                                            const std::string& path, Options& options) {
  ProfileOptions read;
  read.most_names = MostNamesOf(annotated.graph());
  read.table.key = options.Text("key");
  read.table.value = options.Text("value");
  read.table.adds =
      static_cast<TableAdds>(options.Word("adds", {"any", "sum", "mean", "most", "count"}));
  if (!options.status().ok()) return options.status();
  absl::StatusOr<Profile> profile = ReadProfile(path, read);
  if (!profile.ok()) return About(FileName(path), profile.status());
  return OpenedProfileOf(FileName(path), *std::move(profile), hierarchy,
                         FileName(annotated.held->name));
}

absl::Status FillColumns(const Annotated& annotated, const Hierarchy& hierarchy, Options& options,
                         std::vector<std::string> usual, AskedColumns& columns) {
  ColumnsAsked asked = {.ids = options.Texts("columns"), .sort = options.Text("sort")};
  if (asked.ids.empty()) asked.ids = std::move(usual);
  const std::string path = options.Path("profile");
  const absl::StatusOr<CostOptions> cost =
      ReadCostOptions(options.Texts("shape"), options.Texts("dim"), options.Text("device"));
  if (!options.status().ok()) return options.status();
  if (!cost.ok()) return cost.status();
  asked.cost = *cost;
  if (!path.empty()) {
    absl::StatusOr<OpenedProfile> profile = ReadProfileAt(annotated, hierarchy, path, options);
    if (!profile.ok()) return profile.status();
    asked.profile = *std::move(profile);
  }
  return columns.Fill(std::move(asked));
}

}  // namespace onnx_hier::c
