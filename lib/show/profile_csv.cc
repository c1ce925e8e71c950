// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "lib/show/tree_order.h"

namespace onnx_hier {
namespace {

// A title that needs no quotes.
std::string Word(absl::string_view title) {
  std::string word(title);
  for (char& c : word) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  }
  return word;
}

// What a line has of a profile: of a module, or of what is not placed.
struct Line {
  Figure amounts;
  Figure calls;
};

Line LineOf(const TimedProfile& profile, ModuleId id) {
  return {profile.placed.amounts.figure(id), profile.placed.calls.figure(id)};
}

Line UnplacedLine(const TimedProfile& profile) {
  return {profile.placed.amounts.unplaced(), profile.placed.calls.unplaced()};
}

void AppendLine(const ProfileReport& report, absl::string_view name, const Line& line,
                uint64_t parameters, absl::Span<const WordAmount> words, absl::string_view others,
                const Line* other, std::string* out) {
  const double whole = report.main.placed.amounts.whole().real();
  const double share = line.amounts.total.real() / (whole == 0 ? 1 : whole);
  absl::StrAppend(out, CsvField(name), ",", PlainNumber(line.amounts.total), ",",
                  PlainNumber(line.amounts.own), ",", absl::StrFormat("%.6f", share), ",",
                  PlainNumber(line.calls.total), ",", PlainNumber(line.calls.own), ",", parameters,
                  ",", CsvField(WordsField(words)), others);
  if (other != nullptr) {
    absl::StrAppend(out, ",", PlainNumber(other->amounts.total), ",",
                    PlainNumber(other->amounts.own));
  }
  absl::StrAppend(out, "\n");
}

}  // namespace

absl::Status WriteProfileCsv(const ProfileReport& report, ByteSink& sink) {
  const Annotation& annotation = report.hierarchy.annotation();
  const Measure& measure = report.main.placed.amounts.measure();
  const bool is_words = measure.unit == MeasureUnit::kWords;
  const std::string unit = measure.unit == MeasureUnit::kNanoseconds ? "ns" : Word(measure.id);
  OutgoingText out(sink);
  const bool is_table = report.main.profile.kind == ProfileKind::kTable;
  absl::StrAppend(out.text(), "module,total_", unit, ",own_", unit, ",share,",
                  is_table ? "rows,own_rows" : "calls,own_calls", ",parameters,own_", unit,
                  is_words ? "_words" : "_by_operator",
                  absl::StrJoin(report.columns, "",
                                [](std::string* text, const Column* column) {
                                  absl::StrAppend(text, ",", Word(column->measure().id));
                                }),
                  report.other ? absl::StrCat(",after_total_", unit, ",after_own_", unit) : "",
                  "\n");
  for (ModuleId id : ModulesShown(annotation.modules, report.rows())) {
    const Module& module = annotation.modules.module(id);
    const Line other = report.other ? LineOf(*report.other, id) : Line();
    std::string others;
    for (const Column* column : report.columns) {
      const Measure& of = column->measure();
      const Figure& figure = column->figure(id);
      absl::StrAppend(&others, ",",
                      of.unit == MeasureUnit::kWords ? CsvField(WordsField(column->WordsOf(id)))
                      : IsSaid(of, figure.known)     ? PlainNumber(figure.total, of.unit)
                                                     : "");
    }
    AppendLine(report, annotation.Tag(id), LineOf(report.main, id), module.total_parameters,
               report.main.placed.amounts.OwnWords(id), others, report.other ? &other : nullptr,
               out.text());
    out.Pass();
  }
  const Line unplaced = UnplacedLine(report.main);
  const Line after = report.other ? UnplacedLine(*report.other) : Line();
  if (!unplaced.calls.own.is_zero() || !after.calls.own.is_zero()) {
    const absl::Span<const WordAmount> words = report.main.placed.amounts.UnplacedWords();
    AppendLine(report, kNotPlaced, unplaced, 0, is_words ? words : absl::Span<const WordAmount>(),
               std::string(report.columns.size(), ','), report.other ? &after : nullptr,
               out.text());
  }
  return out.Finish();
}

}  // namespace onnx_hier
