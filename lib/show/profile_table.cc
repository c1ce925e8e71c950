// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "lib/show/row_figures.h"
#include "lib/show/text_table.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

class ProfileTable {
 public:
  ProfileTable(const ProfileReport& report, TableFormat format)
      : report_(report),
        format_(format),
        annotation_(report.hierarchy.annotation()),
        column_(report.main.placed.amounts),
        figures_(column_),
        options_(report.rows()),
        rows_(annotation_, options_, format == TableFormat::kMarkdown),
        table_({}) {
    for (const Column* column : report.columns) other_figures_.emplace_back(*column);
    rows_.ForEach(
        [&](const TreeRow& row, const std::string& /*label*/) { folds_ |= row.alike() > 1; });
    std::vector<Align> aligns;
    for (const Title& title : Titles()) aligns.push_back(title.align);
    table_ = TextTable(aligns, format);
  }

  absl::Status Write(ByteSink& sink) {
    std::vector<std::string> titles;
    for (const Title& title : Titles()) titles.push_back(title.text);
    table_.Widen(titles);
    rows_.ForEach([&](const TreeRow& row, const std::string& label) {
      table_.Widen(CellsOf(row, LabelOf(row, label)));
    });
    if (has_unplaced()) table_.Widen(UnplacedCells());
    OutgoingText out(sink);
    AppendText(SafeForTerminal(absl::StrCat(report_.model_file, ", ", report_.main.file, " (",
                                            ProfileKindName(report_.main.profile.kind), ")")),
               out);
    AppendText(ProfileSummary(report_.main), out);
    if (format_ == TableFormat::kMarkdown) *out.text() += "\n";
    table_.AppendHead(titles, out.text());
    MarkdownRoom room;
    rows_.ForEach([&](const TreeRow& row, const std::string& label) {
      std::string text;
      table_.Append(CellsOf(row, LabelOf(row, label)), &text);
      if (format_ == TableFormat::kText || room.Takes(text)) *out.text() += text;
      out.Pass();
    });
    if (has_unplaced()) table_.Append(UnplacedCells(), out.text());
    if (format_ == TableFormat::kMarkdown) absl::StrAppend(out.text(), room.LeftOut(), "\n");
    AppendNotes(out);
    return out.Finish();
  }

 private:
  struct Title {
    std::string text;
    Align align = Align::kRight;
  };

  bool is_words() const { return column_.measure().unit == MeasureUnit::kWords; }
  bool has_share() const { return column_.measure().adds == Adds::kSum && !is_words(); }
  bool has_unplaced() const {
    return is_words() ? column_.unplaced().known > 0 : !column_.unplaced().total.is_zero();
  }

  void AppendText(absl::string_view lines, OutgoingText& out) const {
    *out.text() += NoteLines(lines, format_);
  }

  std::string Text(absl::string_view text) const {
    return format_ == TableFormat::kText ? std::string(text) : MarkdownText(text);
  }

  std::string LabelOf(const TreeRow& row, const std::string& label) const {
    return format_ == TableFormat::kText ? label : MarkdownLabel(row);
  }

  std::vector<Title> Titles() const {
    const std::string unit = Text(figures_.unit());
    std::vector<Title> titles = {{"module", Align::kLeft}};
    if (is_words()) {
      titles.insert(titles.end(),
                    {{unit, Align::kLeft}, {absl::StrCat("own ", unit), Align::kLeft}, {"rows"}});
      return titles;
    }
    titles.insert(titles.end(), {{absl::StrCat("total ", unit)}, {absl::StrCat("own ", unit)}});
    if (has_share()) titles.push_back({"share"});
    if (folds_) titles.insert(titles.end(), {{"mean"}, {"least"}, {"most"}});
    const bool is_time = column_.measure().unit == MeasureUnit::kNanoseconds;
    titles.insert(
        titles.end(),
        {{report_.main.profile.kind == ProfileKind::kTable ? "rows" : "calls"}, {"parameters"}});
    for (size_t i = 0; i < other_figures_.size(); ++i) titles.push_back(OtherTitle(i));
    titles.push_back({absl::StrCat("own ", is_time ? "time" : unit, " by operator"), Align::kLeft});
    return titles;
  }

  std::vector<std::string> CellsOf(const TreeRow& row, const std::string& label) const {
    const RowFigures figures = FiguresOfRow(column_, row);
    const Figure calls = FigureOf(report_.main.placed.calls, row.modules);
    if (is_words()) {
      const std::vector<WordAmount> all = WordsOf(column_, row.modules, Inside::kIncluded);
      return {label, Text(WordsText(all, kMostWords)), Text(WordsText(figures.words, kMostWords)),
              WithThousands(calls.total.whole())};
    }
    uint64_t parameters = 0;
    for (ModuleId id : row.modules) {
      parameters += annotation_.modules.module(id).total_parameters;
    }
    const bool has_outliers = folds_ && !OutliersOf(column_, row, figures).empty();
    const Figure& sum = figures.sum;
    std::vector<std::string> cells = {absl::StrCat(label, has_outliers ? " !" : ""),
                                      TextOf(sum.total, sum.known, sum.unknown),
                                      TextOf(sum.own, sum.own_known, 0)};
    if (has_share()) cells.push_back(Percent(sum.total, column_.whole()));
    if (folds_ && row.alike() > 1 && row.members == 0) {
      const bool is_sum = column_.measure().adds == Adds::kSum;
      const Amount mean = is_sum ? sum.total / row.modules.size() : sum.total;
      cells.insert(cells.end(), {figures_.Text(mean), figures_.Text(figures.least),
                                 figures_.Text(figures.most)});
    } else if (folds_) {
      cells.insert(cells.end(), 3, "");
    }
    cells.insert(cells.end(), {WithThousands(calls.total.whole()), WithThousands(parameters)});
    for (size_t i = 0; i < other_figures_.size(); ++i) cells.push_back(OtherCell(i, row));
    cells.push_back(Text(SharesText(figures.words)));
    return cells;
  }

  Title OtherTitle(size_t i) const {
    const Measure& measure = report_.columns[i]->measure();
    const absl::string_view unit = other_figures_[i].unit();
    return {Text(measure.unit == MeasureUnit::kNanoseconds
                     ? absl::StrCat(SafeForTerminal(measure.title), " ", unit)
                     : std::string(unit)),
            measure.unit == MeasureUnit::kWords ? Align::kLeft : Align::kRight};
  }

  std::string OtherCell(size_t i, const TreeRow& row) const {
    const Column& other = *report_.columns[i];
    if (other.measure().unit == MeasureUnit::kWords) {
      return Text(WordsText(WordsOf(other, row.modules, Inside::kIncluded), kMostWords));
    }
    const Figure figure = FigureOf(other, row.modules);
    return IsSaid(other.measure(), figure.known)
               ? other_figures_[i].Text(figure.total, figure.unknown)
               : "";
  }

  // Of what is no sum, nothing where there is nothing.
  std::string TextOf(Amount amount, uint64_t known, uint64_t unknown) const {
    return IsSaid(column_.measure(), known) ? figures_.Text(amount, unknown) : "";
  }

  std::vector<std::string> UnplacedCells() const {
    const Figure& unplaced = column_.unplaced();
    const std::string calls = WithThousands(report_.main.placed.calls.unplaced().total.whole());
    if (is_words()) {
      const std::string words = Text(WordsText(column_.UnplacedWords(), kMostWords));
      return {std::string(kNotPlaced), words, words, calls};
    }
    std::vector<std::string> cells = {std::string(kNotPlaced), figures_.Text(unplaced.total),
                                      figures_.Text(unplaced.total)};
    if (has_share()) cells.push_back(Percent(unplaced.total, column_.whole()));
    if (folds_) cells.insert(cells.end(), 3, "");
    cells.push_back(calls);
    cells.insert(cells.end(), 2 + other_figures_.size(), "");
    return cells;
  }

  void AppendNotes(OutgoingText& out) {
    if (folds_) {
      AppendText(is_words() ? "xN: N modules built alike, and what is in them: all together."
                            : "xN: N modules built alike, and what is in them: figures of all "
                              "together, and of one the mean, the least and the most.",
                 out);
    }
    rows_.ForEach([&](const TreeRow& row, const std::string& /*label*/) {
      const RowFigures figures = FiguresOfRow(column_, row);
      for (ModuleId id : OutliersOf(column_, row, figures)) AppendOutlier(id, figures.median, out);
    });
    if (outliers_ > kShown) {
      AppendText(absl::StrCat("! and ", outliers_ - kShown, " more (--format json has all)"), out);
    }
    AppendUnplaced(out);
  }

  void AppendOutlier(ModuleId id, Amount median, OutgoingText& out) {
    if (++outliers_ > kShown) return;
    const bool is_time = column_.measure().unit == MeasureUnit::kNanoseconds;
    AppendText(absl::StrCat("! ", SafeForTerminal(annotation_.Tag(id)), ": ",
                            figures_.Whole(column_.figure(id).total), ", where its like ",
                            is_time ? "take " : "have ", figures_.Text(median), " (median)"),
               out);
  }

  // The largest ones by name.
  void AppendUnplaced(OutgoingText& out) const {
    std::vector<const Kernel*> kernels;
    const std::vector<KernelPlace>& places = report_.main.placed.places;
    for (size_t i = 0; i < places.size(); ++i) {
      const Kernel& kernel = report_.main.profile.kernels[i];
      const bool is_there = kernel.calls > 0 || kernel.unknown > 0;
      if (!places[i].module.valid() && is_there) kernels.push_back(&kernel);
    }
    const size_t shown = std::min<size_t>(kShown, kernels.size());
    std::partial_sort(kernels.begin(), kernels.begin() + static_cast<ptrdiff_t>(shown),
                      kernels.end(), [](const Kernel* a, const Kernel* b) {
                        return a->amount == b->amount ? a < b : b->amount < a->amount;
                      });
    for (size_t i = 0; i < shown; ++i) {
      const std::string name = kernels[i]->name.empty() ? "(others)" : kernels[i]->name;
      const std::string what =
          is_words() ? SafeForTerminal(kernels[i]->word) : figures_.Whole(kernels[i]->amount);
      AppendText(absl::StrCat("not placed: ", what, "  ", SafeForTerminal(name, kWidestName)), out);
    }
    if (kernels.size() > shown) {
      const bool is_table = report_.main.profile.kind == ProfileKind::kTable;
      AppendText(absl::StrCat("not placed: ", kernels.size() - shown, " more ",
                              is_table ? "rows" : "kernels", " (--format json has all)"),
                 out);
    }
  }

  static constexpr size_t kShown = 5;
  static constexpr size_t kMostWords = 6;
  const ProfileReport& report_;
  const TableFormat format_;
  const Annotation& annotation_;
  const Column& column_;
  const AmountFigures figures_;
  std::vector<AmountFigures> other_figures_;  // of the report's columns
  const TreeTextOptions options_;
  const TreeRows rows_;
  bool folds_ = false;
  TextTable table_;
  size_t outliers_ = 0;
};

}  // namespace

absl::Status WriteProfileTable(const ProfileReport& report, TableFormat format, ByteSink& sink) {
  return ProfileTable(report, format).Write(sink);
}

}  // namespace onnx_hier
