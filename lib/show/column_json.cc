// SPDX-License-Identifier: Apache-2.0
#include "lib/show/column_json.h"

#include "lib/show/amount_figures.h"

namespace onnx_hier {
namespace {

void AppendWords(absl::string_view key, absl::Span<const WordAmount> words, JsonText& json) {
  json.Key(key).BeginObject();
  for (const WordAmount& part : words) {
    json.Key(part.word);
    AppendAmount(part.amount, MeasureUnit::kCount, json);
  }
  json.EndObject();
}

void AppendAmountOrNull(const Measure& measure, Amount amount, uint64_t known, JsonText& json) {
  if (measure.adds != Adds::kSum && known == 0) {
    json.Null();
  } else {
    AppendAmount(amount, measure.unit, json);
  }
}

}  // namespace

void AppendAmount(Amount amount, MeasureUnit unit, JsonText& json) {
  json.Raw(PlainNumber(amount, unit));
}

void AppendMeasures(absl::Span<const Column* const> columns, JsonText& json) {
  json.BeginArray();
  for (const Column* column : columns) {
    const Measure& measure = column->measure();
    json.NewLine();
    json.BeginObject();
    json.Key("id").String(measure.id);
    json.Key("title").String(measure.title);
    json.Key("unit").String(UnitName(measure.unit));
    json.Key("adds").String(AddsName(measure.adds));
    json.Key("total");
    AppendAmount(column->whole(), measure.unit, json);
    json.Key("not_placed");
    AppendAmount(column->unplaced().total, measure.unit, json);
    json.EndObject();
  }
  json.EndArray();
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
      AppendWords("own_words", column->OwnWords(module), json);
      AppendWords("words", column->WordsOf(module), json);
    }
    json.EndObject();
  }
  json.EndObject();
  return text_;
}

}  // namespace onnx_hier
