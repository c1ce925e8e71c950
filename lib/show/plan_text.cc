// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/show/amount_figures.h"
#include "lib/show/text_table.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/module_plan.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

std::vector<PlannedSum> SumsOfPlan(const Hierarchy& hierarchy, const ModulePlan& plan,
                                   const PlannedModules& planned, const Column* more) {
  std::vector<PlannedSum> sums;
  const auto sum_of = [&sums](absl::string_view word) -> PlannedSum& {
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [&](const PlannedSum& sum) { return sum.word == word; });
    return found == sums.end() ? sums.emplace_back(PlannedSum{word, 0, 0, {}}) : *found;
  };
  for (const PlanLine& line : plan) sum_of(line.word);
  for (ModuleId id : hierarchy.modules().ids()) {
    const Module& module = hierarchy.modules().module(id);
    if (planned.lines[id] == nullptr && module.nodes == 0 && module.parameters == 0) continue;
    PlannedSum& sum = sum_of(planned.WordOf(id));
    sum.nodes += module.nodes;
    sum.parameters += module.parameters;
    if (more != nullptr) sum.more += more->figure(id).own;
  }
  return sums;
}

std::string PlanText(const Hierarchy& hierarchy, const ModulePlan& plan,
                     const PlannedModules& planned, absl::string_view what, const Column* more) {
  std::vector<std::vector<std::string>> rows = {{std::string(what), "nodes", "parameters"}};
  std::vector<Align> columns = {Align::kLeft, Align::kRight, Align::kRight};
  std::optional<AmountFigures> figures;
  if (more != nullptr) {
    figures.emplace(*more);
    rows[0].push_back(more->measure().title);
    columns.push_back(Align::kRight);
  }
  for (const PlannedSum& sum : SumsOfPlan(hierarchy, plan, planned, more)) {
    std::vector<std::string> row = {sum.word.empty() ? "not planned" : std::string(sum.word),
                                    WithThousands(sum.nodes), WithThousands(sum.parameters)};
    if (figures.has_value()) row.push_back(figures->Whole(sum.more));
    rows.push_back(std::move(row));
  }
  TextTable table(columns);
  for (const std::vector<std::string>& row : rows) table.Widen(row);
  std::string text;
  for (const std::vector<std::string>& row : rows) table.Append(row, &text);
  if (planned.mixed.empty()) return text;
  constexpr size_t kShown = 8;
  absl::StrAppend(&text, Counted(planned.mixed.size(), "module"), " with nodes of several ", what,
                  "s, in it and in modules inside:\n");
  for (size_t i = 0; i < std::min(planned.mixed.size(), kShown); ++i) {
    const PathId path = hierarchy.modules().module(planned.mixed[i]).path;
    absl::StrAppend(&text, "  ", SafeForTerminal(hierarchy.annotation().paths.Tag(path)), "\n");
  }
  if (planned.mixed.size() > kShown) {
    absl::StrAppend(&text, "  and ", planned.mixed.size() - kShown, " more\n");
  }
  return text;
}

std::string PlanJson(const Hierarchy& hierarchy, const ModulePlan& plan,
                     const PlannedModules& planned, const Column* macs, absl::string_view file) {
  std::string text;
  JsonText json(&text);
  const auto list_lines = [&json](absl::string_view key,
                                  const std::vector<const PlanLine*>& lines) {
    json.Key(key).BeginArray();
    for (const PlanLine* line : lines) {
      json.BeginObject();
      json.Key("line").Unsigned(line->number);
      json.Key("pattern").String(line->pattern);
      json.EndObject();
    }
    json.EndArray();
  };
  json.BeginDocument("onnx-hier/plan", 1);
  json.Key("file").String(file);
  json.Key("precisions").BeginArray();
  for (const PlannedSum& sum : SumsOfPlan(hierarchy, plan, planned, macs)) {
    json.NewLine();
    json.BeginObject();
    json.Key("precision").StringOrNull(sum.word);
    json.Key("nodes").Unsigned(sum.nodes);
    json.Key("parameters").Unsigned(sum.parameters);
    if (macs != nullptr) json.Key("macs").Unsigned(sum.more.whole());
    json.EndObject();
  }
  json.NewLine();
  json.EndArray();
  json.Key("mixed").BeginArray();
  for (ModuleId module : planned.mixed) json.String(hierarchy.annotation().Tag(module));
  json.EndArray();
  list_lines("unmet", planned.unmet);
  list_lines("covered", planned.covered);
  json.Key("torn").Unsigned(planned.torn);
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
