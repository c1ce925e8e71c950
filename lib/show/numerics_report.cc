// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/numerics_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/show/amount_figures.h"
#include "lib/show/chosen_modules.h"
#include "lib/show/column_json.h"
#include "lib/show/text_table.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/list_form.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kPlanForm = "plan";
// What a suggestion is to gain where no bound is given, in dB.
constexpr double kUsualGain = 10;
constexpr absl::string_view kMetricNames[] = {"sqnr", "cosine", "max", "relative"};

// A run of a module, or of those inside of it where they lost most.
struct Row {
  ModuleId module;
  uint32_t call = 0;
  const ComparedValue* value = nullptr;
  bool is_shared = false;
};

std::vector<Row> RowsOf(const NumericsReport& report) {
  const Annotation& annotation = report.hierarchy.annotation();
  const ModuleTree& tree = annotation.modules;
  const ChosenModules chosen(report.hierarchy, report.modules);
  absl::flat_hash_map<std::pair<ModuleId, uint32_t>, size_t> known;
  std::vector<Row> rows;
  for (const ModuleLoss& loss : report.numerics.losses) {
    if (!chosen.Has(loss.module)) continue;
    ModuleId module = loss.module;
    while (tree.module(module).parent.valid() &&
           annotation.paths.depth(tree.module(module).path) > report.depth) {
      module = tree.module(module).parent;
    }
    // What is inside may run more often.
    const uint32_t call = module == loss.module ? loss.call : 0;
    if (!known.try_emplace({module, call}, rows.size()).second) continue;
    rows.push_back({module, call, &report.numerics.values[loss.compared], loss.is_shared});
  }
  if (report.in_order) {
    absl::c_stable_sort(rows, [](const Row& a, const Row& b) {
      return std::pair(a.module, a.call) < std::pair(b.module, b.call);
    });
  }
  return rows;
}

std::string Number(double number) { return absl::StrFormat("%.3g", number); }

std::string ShareText(double share) {
  return std::isfinite(share) ? absl::StrCat(Number(100 * share), " %") : "all";
}

std::string ErrorText(const ValueError& error, ErrorMetric metric) {
  if (error.broken > 0) return "broken";
  switch (metric) {
    case ErrorMetric::kSqnr:
      return error.noise == 0 ? "equal" : absl::StrFormat("%.1f dB", error.sqnr());
    case ErrorMetric::kCosine:
      return absl::StrFormat("%.6f", error.cosine());
    case ErrorMetric::kMax:
      return Number(error.most);
    case ErrorMetric::kRelative:
      break;
  }
  return ShareText(error.relative());
}

std::string TagOfRow(const NumericsReport& report, const Row& row) {
  const Annotation& annotation = report.hierarchy.annotation();
  std::string tag = annotation.Tag(row.module);
  const bool has_calls = annotation.modules.module(row.module).calls > 1;
  return has_calls ? absl::StrCat(tag, " #", row.call) : tag;
}

// What the module, and what is inside of it, has of the worst output's error.
double OutputShare(const NumericsReport& report, ModuleId module) {
  const ModuleId end = report.hierarchy.modules().subtree_end(module);
  double all = 0;
  for (const auto& [one, share] : report.numerics.shares) {
    if (!(one < module) && one < end) all += share;
  }
  return all;
}

std::string OutputShareText(const NumericsReport& report, const Row& row) {
  const double share = OutputShare(report, row.module);
  return share == 0 ? "-" : absl::StrFormat("%.1f %%", 100 * share);
}

// What else is to be said of a row.
std::string Note(const NumericsReport& report, const Row& row) {
  std::vector<std::string> notes;
  const ValueError& error = row.value->error;
  if (error.broken > 0) notes.push_back(absl::StrCat(WithThousands(error.broken), " not finite"));
  if (error.beyond_half > 0) {
    notes.push_back(absl::StrCat("beyond float16: ", Number(error.largest)));
  }
  if (row.is_shared) {
    std::vector<std::string> others;
    for (const ComparedValue::Maker& maker : row.value->makers) {
      if (maker.module == row.module) continue;
      if (others.size() == 2) {
        others.emplace_back("...");
        break;
      }
      others.push_back(report.hierarchy.annotation().Tag(maker.module));
    }
    if (!others.empty()) notes.push_back(absl::StrCat("with ", absl::StrJoin(others, ", ")));
  }
  return absl::StrJoin(notes, "; ");
}

const ValueError* InputError(const NumericsReport& report, const ComparedValue& value) {
  return value.worst_input.has_value() ? &report.numerics.values[*value.worst_input].error
                                       : nullptr;
}

std::string SummaryOf(const NumericsReport& report) {
  const Numerics& numerics = report.numerics;
  const Graph& graph = report.hierarchy.graph();
  const size_t unpaired = numerics.missing.size() + numerics.misfits.size();
  std::string text = absl::StrCat(
      report.other, " against ", report.original, ": ", WithThousands(numerics.values.size()),
      " of ", WithThousands(numerics.values.size() + unpaired), " values compared (",
      WithThousands(numerics.by_name), " by name, ", WithThousands(numerics.by_place),
      " by place), ", Counted(numerics.samples, "run"));
  if (!numerics.misfits.empty()) {
    absl::StrAppend(&text, "; ", numerics.misfits.size(), " of other shapes");
  }
  absl::StrAppend(&text, "\noutputs: ",
                  ErrorText(numerics.values[numerics.worst_output].error, ErrorMetric::kSqnr));
  if (numerics.first_broken != Numerics::kNone) {
    const ComparedValue& first = numerics.values[numerics.first_broken];
    absl::StrAppend(&text, "; not finite first in ",
                    report.hierarchy.annotation().Tag(first.makers.front().module), ": ",
                    graph.value(first.value).name);
  }
  return text;
}

std::vector<std::vector<std::string>> Cells(const NumericsReport& report,
                                            absl::Span<const Row> rows, bool as_code) {
  std::vector<std::vector<std::string>> cells = {
      {"module", "in", "out", "lost here", "of outputs"}};
  for (const Column* column : report.columns) cells[0].push_back(column->measure().title);
  cells[0].emplace_back("");
  for (const Row& row : rows) {
    const ValueError* const in = InputError(report, *row.value);
    const std::string tag = TagOfRow(report, row);
    std::vector<std::string> line = {as_code ? MarkdownCode(tag) : SafeForTerminal(tag),
                                     in == nullptr ? "exact" : ErrorText(*in, report.metric),
                                     ErrorText(row.value->error, report.metric),
                                     ShareText(row.value->lost), OutputShareText(report, row)};
    for (const Column* column : report.columns) {
      const Figure& figure = column->figure(row.module);
      line.push_back(IsSaid(column->measure(), figure.known)
                         ? AmountFigures(*column).Text(figure.total, figure.unknown)
                         : "-");
    }
    const std::string note = Note(report, row);
    line.push_back(as_code ? MarkdownText(note) : SafeForTerminal(note));
    cells.push_back(std::move(line));
  }
  return cells;
}

TextTable TableFor(const NumericsReport& report, TableFormat format) {
  std::vector<Align> columns(5 + report.columns.size(), Align::kRight);
  columns[0] = Align::kLeft;
  columns.push_back(Align::kLeft);
  return TextTable(std::move(columns), format);
}

// Rows that say something, as many as there may be; how many were left out.
std::vector<Row> ShownRows(const NumericsReport& report, size_t* left_out) {
  std::vector<Row> rows = RowsOf(report);
  if (!report.in_order) {
    std::erase_if(rows, [](const Row& row) { return row.value->lost == 0; });
  }
  const size_t shown = std::min(rows.size(), report.most_rows);
  *left_out = rows.size() - shown;
  rows.resize(shown);
  return rows;
}

std::vector<Row> FirstRows(const NumericsReport& report) {
  std::vector<Row> rows = RowsOf(report);
  if (rows.size() > report.most_rows) rows.resize(report.most_rows);
  return rows;
}

std::string KeptText(const NumericsReport& report) {
  std::vector<std::string> tags;
  tags.reserve(report.kept.size());
  for (ModuleId module : report.kept) {
    tags.push_back(SafeForTerminal(report.hierarchy.annotation().Tag(module)));
  }
  return absl::StrJoin(tags, ", ");
}

std::string TableText(const NumericsReport& report, TableFormat format) {
  const bool is_markdown = format == TableFormat::kMarkdown;
  size_t left_out = 0;
  const std::vector<Row> rows = ShownRows(report, &left_out);
  std::string text = NoteLines(SummaryOf(report), format);
  if (rows.empty()) return absl::StrCat(text, is_markdown ? "\n" : "", "nothing was lost\n");
  const std::vector<std::vector<std::string>> cells = Cells(report, rows, is_markdown);
  absl::StrAppend(&text, WholeTable(TableFor(report, format), cells, left_out, format));
  if (report.list_form.empty()) return text;
  absl::StrAppend(&text, "\nto keep (", report.list_form,
                  "): ", report.kept.empty() ? "nothing" : KeptText(report), "\n");
  const absl::string_view end =
      absl::EndsWith(report.list, "\n") || report.list.empty() ? "" : "\n";
  const absl::string_view fence = is_markdown ? "```\n" : "";
  return absl::StrCat(text, fence, report.list, end, fence);
}

void AppendNumber(absl::string_view key, double number, JsonText& json) {
  json.Key(key);
  if (std::isfinite(number)) {
    json.Real(number);
  } else {
    json.Null();
  }
}

void AppendError(absl::string_view key, const ValueError& error, JsonText& json) {
  json.Key(key).BeginObject();
  AppendNumber("relative", error.relative(), json);
  AppendNumber("sqnr", error.sqnr(), json);
  AppendNumber("cosine", error.cosine(), json);
  AppendNumber("max", error.most, json);
  json.EndObject();
}

void AppendValues(absl::string_view key, const Graph& graph, absl::Span<const ValueId> values,
                  JsonText& json) {
  json.Key(key).BeginArray();
  for (ValueId value : values) json.String(graph.value(value).name);
  json.EndArray();
}

void AppendRow(const NumericsReport& report, const Row& row, JsonText& json) {
  const Annotation& annotation = report.hierarchy.annotation();
  const ComparedValue& value = *row.value;
  json.NewLine();
  json.BeginObject();
  json.Key("path").String(annotation.Tag(row.module));
  json.Key("call").Unsigned(row.call);
  json.Key("value").String(report.hierarchy.graph().value(value.value).name);
  json.Key("counterpart").String(report.other_graph.value(report.pairs.of[value.value]).name);
  AppendNumber("lost", value.lost, json);
  AppendNumber("worst_lost", value.worst_lost, json);
  json.Key("of_outputs").Real(OutputShare(report, row.module));
  json.Key("isolated").Bool(value.is_isolated);
  const ValueError* const in = InputError(report, value);
  if (in == nullptr) {
    json.Key("in").Null();
  } else {
    AppendError("in", *in, json);
  }
  AppendError("out", value.error, json);
  json.Key("not_finite").Unsigned(value.error.broken);
  AppendNumber("largest", value.error.largest, json);
  json.Key("beyond_float16").Unsigned(value.error.beyond_half);
  json.Key("subnormal_float16").Unsigned(value.error.subnormal);
  json.Key("with").BeginArray();
  for (const ComparedValue::Maker& maker : value.makers) {
    if (maker.module != row.module) json.String(annotation.Tag(maker.module));
  }
  json.EndArray();
  for (const Column* column : report.columns) {
    json.Key(column->measure().id);
    const Figure& figure = column->figure(row.module);
    if (IsSaid(column->measure(), figure.known)) {
      AppendAmount(figure.total, column->measure().unit, json);
    } else {
      json.Null();
    }
  }
  json.EndObject();
}

}  // namespace

std::optional<ErrorMetric> ErrorMetricNamed(absl::string_view name) {
  const auto found = absl::c_find(kMetricNames, name);
  if (found == std::end(kMetricNames)) return std::nullopt;
  return static_cast<ErrorMetric>(found - std::begin(kMetricNames));
}

std::string WrongSuggestion(absl::string_view form, absl::string_view precision) {
  if (form == kPlanForm) return "";
  const ListForm* const known = ListFormNamed(form);
  if (known == nullptr) {
    return absl::StrCat("takes plan, or a format of 'select', not '", form, "'");
  }
  return precision.empty() ? "" : std::string(CheckPrecision(*known, precision).message());
}

absl::Status AddSuggestion(absl::string_view form, absl::string_view precision,
                           std::optional<double> least_sqnr, NumericsReport& report) {
  const std::string wrong = WrongSuggestion(form, precision);
  if (!wrong.empty()) return absl::InvalidArgumentError(absl::StrCat("suggest: ", wrong));
  const Hierarchy& hierarchy = report.hierarchy;
  const Numerics& numerics = report.numerics;
  const double now = numerics.values[numerics.worst_output].error.sqnr();
  report.list_form = std::string(form);
  report.kept = ModulesToKeep(numerics, least_sqnr.value_or(now + kUsualGain));
  if (form == kPlanForm) {
    for (ModuleId module : report.kept) {
      absl::StrAppend(&report.list, hierarchy.annotation().Tag(module), " = ",
                      precision.empty() ? "fp32" : precision, "\n");
    }
    return absl::OkStatus();
  }
  const ListForm& known = *ListFormNamed(form);
  std::vector<NodeId> nodes;
  for (ModuleId module : report.kept) {
    const absl::Span<const NodeId> own = hierarchy.OwnNodes(module);
    nodes.insert(nodes.end(), own.begin(), own.end());
  }
  absl::c_sort(nodes);
  const absl::string_view called = precision.empty() ? known.precision : precision;
  const ListedNames listed =
      NamesFor(hierarchy.graph(), nodes, known, [&](NodeId) { return called; });
  StringSink sink;
  absl::Status status = WriteNameList(listed, known, sink);
  report.list = std::string(sink.text());
  return status;
}

std::string NumericsText(const NumericsReport& report) {
  return TableText(report, TableFormat::kText);
}

std::string NumericsMarkdown(const NumericsReport& report) {
  return TableText(report, TableFormat::kMarkdown);
}

std::string NumericsCsv(const NumericsReport& report) {
  std::string text =
      "module,call,value,lost,worst_lost,of_outputs,in_sqnr,out_sqnr,out_cosine,out_max,not_finite,"
      "largest";
  for (const Column* column : report.columns) absl::StrAppend(&text, ",", column->measure().id);
  text += "\n";
  for (const Row& row : FirstRows(report)) {
    const ValueError& error = row.value->error;
    const ValueError* const in = InputError(report, *row.value);
    absl::StrAppend(&text, CsvField(report.hierarchy.annotation().Tag(row.module)), ",", row.call,
                    ",", CsvField(report.hierarchy.graph().value(row.value->value).name));
    for (const double number :
         {row.value->lost, row.value->worst_lost, OutputShare(report, row.module),
          in == nullptr ? HUGE_VAL : in->sqnr(), error.sqnr(), error.cosine(), error.most}) {
      absl::StrAppend(&text, ",", std::isfinite(number) ? absl::StrCat(number) : "");
    }
    absl::StrAppend(&text, ",", error.broken, ",", error.largest);
    for (const Column* column : report.columns) {
      const Figure& figure = column->figure(row.module);
      absl::StrAppend(&text, ",",
                      IsSaid(column->measure(), figure.known)
                          ? PlainNumber(figure.total, column->measure().unit)
                          : "");
    }
    text += "\n";
  }
  return text;
}

std::string NumericsJson(const NumericsReport& report) {
  const Numerics& numerics = report.numerics;
  const Graph& graph = report.hierarchy.graph();
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/numerics", 1);
  json.Key("original").String(report.original);
  json.Key("other").String(report.other);
  json.Key("runs").Unsigned(numerics.samples);
  json.Key("by_name").Unsigned(numerics.by_name);
  json.Key("by_place").Unsigned(numerics.by_place);
  AppendValues("missing", graph, numerics.missing, json);
  AppendValues("misfits", graph, numerics.misfits, json);
  AppendNumber("outputs_sqnr", numerics.values[numerics.worst_output].error.sqnr(), json);
  json.Key("first_not_finite");
  if (numerics.first_broken == Numerics::kNone) {
    json.Null();
  } else {
    json.String(graph.value(numerics.values[numerics.first_broken].value).name);
  }
  json.Key("modules").BeginArray();
  for (const Row& row : FirstRows(report)) AppendRow(report, row, json);
  json.EndArray();
  if (!report.list_form.empty()) {
    json.Key("suggestion").BeginObject();
    json.Key("form").String(report.list_form);
    json.Key("modules").BeginArray();
    for (ModuleId module : report.kept) json.String(report.hierarchy.annotation().Tag(module));
    json.EndArray();
    json.Key("list").String(report.list);
    json.EndObject();
  }
  json.EndObject();
  return text + "\n";
}

}  // namespace onnx_hier
