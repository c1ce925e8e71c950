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

// A name between backticks, which ends no cell and no line: "`/a\\|b`".
std::string MarkdownCode(absl::string_view name);
// Text that is neither HTML nor a mark of Markdown.
std::string MarkdownText(absl::string_view text);
// As RFC 4180 has it, and no formula to a spreadsheet.
std::string CsvField(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_
