// SPDX-License-Identifier: Apache-2.0

// schemas/diff.schema.json
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/show/column_json.h"
#include "lib/show/diff_words.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {
namespace {

std::string TagOrNone(const ModulePaths& paths, PathId path) {
  return path.valid() ? paths.Tag(path) : "";
}

void AppendCounts(absl::string_view key, const std::vector<KindCount>& counts, JsonText& json) {
  json.Key(key).BeginObject();
  for (const KindCount& count : counts) json.Key(count.kind).Unsigned(count.count);
  json.EndObject();
}

void AppendDifference(const WeightDifference& difference, JsonText& json) {
  json.Key("difference").BeginObject();
  json.Key("compared").Unsigned(difference.compared);
  json.Key("largest").Real(difference.largest);
  json.Key("relative").Real(difference.relative);
  json.Key("not_finite").Unsigned(difference.not_finite);
  json.EndObject();
}

void AppendAttribute(const AttributeDiff& diff, JsonText& json) {
  json.BeginObject();
  json.Key("operator").String(diff.op);
  json.Key("name").String(diff.name);
  json.Key("a").StringOrNull(diff.a);
  json.Key("b").StringOrNull(diff.b);
  json.Key("nodes").Unsigned(diff.nodes);
  json.EndObject();
}

void AppendPair(absl::string_view key, const ColumnPair& columns, const std::optional<Amount>& a,
                const std::optional<Amount>& b, JsonText& json) {
  const auto put = [&](absl::string_view model, const std::optional<Amount>& amount) {
    json.Key(model);
    if (!amount) return json.Null();
    AppendAmount(*amount, columns.a->measure().unit, json);
  };
  json.Key(key).BeginObject();
  put("a", a);
  put("b", b);
  json.EndObject();
}

void AppendModule(const DiffReport& report, const ModuleDiff& diff, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("a").StringOrNull(TagOrNone(report.a.paths, diff.a));
  json.Key("b").StringOrNull(TagOrNone(report.b.paths, diff.b));
  json.Key("changes").BeginArray();
  if (!diff.b.valid()) json.String("only_in_a");
  if (!diff.a.valid()) json.String("only_in_b");
  if (diff.moved) json.String("moved");
  if (diff.operators) json.String("operators");
  if (diff.wiring) json.String("wiring");
  if (diff.parameters) json.String("parameters");
  if (diff.weights) json.String("weights");
  json.EndArray();
  AppendCounts("operators_removed", diff.operators_removed, json);
  AppendCounts("operators_added", diff.operators_added, json);
  AppendCounts("parameters_removed", diff.parameters_removed, json);
  AppendCounts("parameters_added", diff.parameters_added, json);
  json.Key("attributes").BeginArray();
  for (const AttributeDiff& attribute : diff.attributes) AppendAttribute(attribute, json);
  json.EndArray();
  if (diff.difference) AppendDifference(*diff.difference, json);
  if (!report.columns.empty()) {
    json.Key("measures").BeginObject();
    for (const ColumnPair& columns : report.columns) {
      const AmountPair amounts = AmountsOf(report, diff, columns);
      AppendPair(columns.a->measure().id, columns, amounts.a, amounts.b, json);
    }
    json.EndObject();
  }
  json.EndObject();
}

void AppendFigures(absl::string_view key, const ModuleFigures& figures, JsonText& json) {
  json.Key(key).BeginObject();
  json.Key("modules").Unsigned(figures.modules);
  json.Key("nodes").Unsigned(figures.nodes);
  json.Key("parameters").Unsigned(figures.parameters);
  json.Key("parameter_bytes").Unsigned(figures.bytes);
  json.EndObject();
}

void AppendOnly(const DiffReport& report, const OnlyInOne& only, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("a").StringOrNull(TagOrNone(report.a.paths, only.a));
  json.Key("b").StringOrNull(TagOrNone(report.b.paths, only.b));
  json.Key("list_member").Bool(only.is_member);
  json.Key("copy_of").StringOrNull(TagOrNone(report.a.paths, only.copy_of));
  AppendFigures("total", only.figures, json);
  json.EndObject();
}

void AppendRenumbered(const DiffReport& report, const Renumbered& member, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("a").String(TagOrNone(report.a.paths, member.a));
  json.Key("b").String(TagOrNone(report.b.paths, member.b));
  json.Key("moved").Bool(member.moved);
  json.Key("same").Bool(member.same);
  json.EndObject();
}

void AppendUnit(const UnitDiff& unit, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("name").String(unit.name);
  json.Key("members_removed").Unsigned(unit.members_removed);
  json.Key("members_added").Unsigned(unit.members_added);
  json.Key("changed").Unsigned(unit.changed);
  AppendFigures("a", unit.a, json);
  AppendFigures("b", unit.b, json);
  json.EndObject();
}

void AppendPort(const PortDiff& port, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("name").String(port.name);
  json.Key("a").StringOrNull(port.a);
  json.Key("b").StringOrNull(port.b);
  json.EndObject();
}

// Each on a line of its own.
template <class Items, class AppendItem>
void AppendList(absl::string_view key, const Items& items, JsonText& json, AppendItem append) {
  json.NewLine();
  json.Key(key).BeginArray();
  for (const auto& item : items) append(item);
  json.EndArray();
}

}  // namespace

std::string DiffReportJson(const DiffReport& report) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/diff", 1);
  json.Key("a").String(report.file_a);
  json.Key("b").String(report.file_b);
  json.Key("root_a").String(report.a.paths.Tag(report.diff.root_a));
  json.Key("root_b").String(report.b.paths.Tag(report.diff.root_b));
  json.Key("same").Unsigned(report.diff.same);
  json.Key("unread").Unsigned(report.diff.unread);
  json.Key("warnings").BeginArray();
  for (const std::string& warning : report.diff.warnings) json.String(warning);
  json.EndArray();
  AppendFigures("total_a", report.diff.a, json);
  AppendFigures("total_b", report.diff.b, json);
  if (!report.columns.empty()) {
    json.Key("measures").BeginObject();
    for (const ColumnPair& columns : report.columns) {
      AppendPair(columns.a->measure().id, columns, columns.a->whole(), columns.b->whole(), json);
    }
    json.EndObject();
  }
  AppendList("changed", report.diff.changed, json,
             [&](const ModuleDiff& module) { AppendModule(report, module, json); });
  AppendList("only_in_one", report.diff.only, json,
             [&](const OnlyInOne& only) { AppendOnly(report, only, json); });
  AppendList("renumbered", report.diff.renumbered, json,
             [&](const Renumbered& member) { AppendRenumbered(report, member, json); });
  AppendList("units", report.diff.units, json,
             [&](const UnitDiff& unit) { AppendUnit(unit, json); });
  AppendList("inputs", report.diff.inputs, json,
             [&](const PortDiff& input) { AppendPort(input, json); });
  AppendList("outputs", report.diff.outputs, json,
             [&](const PortDiff& output) { AppendPort(output, json); });
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
