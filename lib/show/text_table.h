// SPDX-License-Identifier: Apache-2.0

// Lines of cells, in columns that are as wide as they need to be, or as GitHub's Markdown.
//
//   TextTable table({Align::kLeft, Align::kRight}, TableFormat::kText);
//   table.Widen(cells);                  // for all lines, before the first one is written
//   table.AppendHead(titles, out.text());
//   table.Append(cells, out.text());
#ifndef ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_
#define ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

enum class Align : bool { kLeft, kRight };
enum class TableFormat : bool { kText, kMarkdown };

class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns, TableFormat format = TableFormat::kText)
      : columns_(std::move(columns)), widths_(columns_.size(), 0), format_(format) {}

  // Cells that a line lacks are empty.
  void Widen(absl::Span<const std::string> cells);
  // The titles.
  void AppendHead(absl::Span<const std::string> titles, std::string* text) const;
  void Append(absl::Span<const std::string> cells, std::string* text) const;

 private:
  std::vector<Align> columns_;
  std::vector<size_t> widths_;  // in characters
  TableFormat format_;
};

// All lines of a table behind its titles, the first one, as wide as they need; "" of titles alone.
// `left_out`: rows that are not shown, which the last line tells.
std::string WholeTable(TextTable table, absl::Span<const std::vector<std::string>> lines,
                       size_t left_out, TableFormat format);

// A name between backticks, which ends no cell and no line: "`/a\\|b`".
std::string MarkdownCode(absl::string_view name);
// Text that is neither HTML nor a mark of Markdown.
std::string MarkdownText(absl::string_view text);
// Each line of a text, fit to be shown; in Markdown an item of a list.
std::string NoteLines(absl::string_view text, TableFormat format);
// What is folded until a reader opens it.
std::string MarkdownDetails(absl::string_view title, absl::string_view contents);

// Comments of pull requests take 65,536 characters: rows are left out from some 60 kB on.
class MarkdownRoom {
 public:
  // Whether the row has room; one that has none is counted.
  bool Takes(absl::string_view row) {
    if (dropped_ == 0 && row.size() <= left_) {
      left_ -= row.size();
      return true;
    }
    ++dropped_;
    return false;
  }
  // "\n12 more rows are left out.\n"; of none, "".
  std::string LeftOut() const;

 private:
  size_t left_ = 58'000;
  size_t dropped_ = 0;
};

// As RFC 4180 has it, and no formula to a spreadsheet.
std::string CsvField(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_
