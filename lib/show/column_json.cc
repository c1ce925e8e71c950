// SPDX-License-Identifier: Apache-2.0
#include "lib/show/column_json.h"

#include "lib/show/amount_figures.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {
namespace {

void AppendWords(absl::Span<const WordAmount> words, JsonText& json) {
  json.BeginObject();
  for (const WordAmount& part : words) {
    json.Key(part.word);
    AppendAmount(part.amount, MeasureUnit::kCount, json);
  }
  json.EndObject();
}

void AppendAmountOrNull(const Measure& measure, Amount amount, uint64_t known, JsonText& json) {
  if (IsSaid(measure, known)) {
    AppendAmount(amount, measure.unit, json);
  } else {
    json.Null();
  }
}

// What the column is, in an object.
void AppendMeasure(const Column& column, JsonText& json) {
  const Measure& measure = column.measure();
  json.Key("id").String(measure.id);
  json.Key("title").String(measure.title);
  json.Key("unit").String(UnitName(measure.unit));
  json.Key("adds").String(AddsName(measure.adds));
  json.Key("total");
  AppendAmount(column.whole(), measure.unit, json);
  json.Key("not_placed");
  AppendAmount(column.unplaced().total, measure.unit, json);
}

}  // namespace

void AppendAmount(Amount amount, MeasureUnit unit, JsonText& json) {
  json.Raw(PlainNumber(amount, unit));
}

void AppendMeasures(absl::Span<const Column* const> columns, JsonText& json) {
  json.BeginArray();
  for (const Column* column : columns) {
    json.NewLine();
    json.BeginObject();
    AppendMeasure(*column, json);
    json.EndObject();
  }
  json.EndArray();
}

std::string ColumnJson(const Column& column, const ModuleTree& modules) {
  const Measure& measure = column.measure();
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  AppendMeasure(column, json);
  const auto list = [&](absl::string_view key, const auto& append) {
    json.Key(key).BeginArray();
    for (ModuleId id : modules.ids()) append(column.figure(id));
    json.EndArray();
  };
  list("own", [&](const Figure& f) { AppendAmountOrNull(measure, f.own, f.own_known, json); });
  list("totals", [&](const Figure& f) { AppendAmountOrNull(measure, f.total, f.known, json); });
  list("unknown", [&](const Figure& f) { json.Unsigned(f.unknown); });
  if (measure.unit == MeasureUnit::kWords) {
    json.Key("words").BeginArray();
    for (ModuleId id : modules.ids()) AppendWords(column.WordsOf(id), json);
    json.EndArray();
  }
  json.EndObject();
  return text;
}

absl::string_view MeasureFields::Of(ModuleId module) {
  text_.clear();
  if (columns_.empty()) return text_;
  text_ = ",\"measures\":";
  JsonText json(&text_);
  json.BeginObject();
  for (const Column* column : columns_) {
    const Measure& measure = column->measure();
    const Figure& figure = column->figure(module);
    json.Key(measure.id).BeginObject();
    json.Key("own");
    AppendAmountOrNull(measure, figure.own, figure.own_known, json);
    json.Key("total");
    AppendAmountOrNull(measure, figure.total, figure.known, json);
    if (figure.unknown > 0) json.Key("unknown").Unsigned(figure.unknown);
    if (measure.unit == MeasureUnit::kWords) {
      json.Key("own_words");
      AppendWords(column->OwnWords(module), json);
      json.Key("words");
      AppendWords(column->WordsOf(module), json);
    }
    json.EndObject();
  }
  json.EndObject();
  return text_;
}

}  // namespace onnx_hier
