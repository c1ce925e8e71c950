// SPDX-License-Identifier: Apache-2.0
#include "lib/show/text_table.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

void TextTable::Widen(absl::Span<const std::string> cells) {
  for (size_t i = 0; i < std::min(cells.size(), widths_.size()); ++i) {
    widths_[i] = std::max(widths_[i], CharacterCount(cells[i]));
  }
}

void TextTable::AppendHead(absl::Span<const std::string> titles, std::string* text) const {
  Append(titles, text);
  if (format_ == TableFormat::kText) return;
  for (size_t i = 0; i < titles.size(); ++i) {
    absl::StrAppend(text, "|", columns_[i] == Align::kLeft ? " --- " : " ---: ");
  }
  absl::StrAppend(text, "|\n");
}

void TextTable::Append(absl::Span<const std::string> cells, std::string* text) const {
  if (format_ == TableFormat::kMarkdown) {
    for (const std::string& cell : cells)
      absl::StrAppend(text, "| ", cell, cell.empty() ? "" : " ");
    absl::StrAppend(text, "|\n");
    return;
  }
  std::string line;
  for (size_t i = 0; i < std::min(cells.size(), widths_.size()); ++i) {
    const std::string padding(widths_[i] - CharacterCount(cells[i]), ' ');
    const bool left = columns_[i] == Align::kLeft;
    absl::StrAppend(&line, i == 0 ? "" : "  ", left ? "" : padding, cells[i], left ? padding : "");
  }
  line.resize(line.find_last_not_of(' ') + 1);
  absl::StrAppend(text, line, "\n");
}

std::string MarkdownCode(absl::string_view name) {
  return absl::StrCat("`", absl::StrReplaceAll(SafeForTerminal(name), {{"`", "'"}, {"|", "\\|"}}),
                      "`");
}

std::string MarkdownText(absl::string_view text) {
  std::string escaped;
  for (char c : SafeForTerminal(text)) {
    if (absl::StrContains("\\`*_[]<>|#~&", absl::string_view(&c, 1))) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

std::string WholeTable(TextTable table, absl::Span<const std::vector<std::string>> lines,
                       size_t left_out, TableFormat format) {
  std::string text;
  if (lines.size() > 1) {
    for (const std::vector<std::string>& line : lines) table.Widen(line);
    text = "\n";
    table.AppendHead(lines[0], &text);
    for (const std::vector<std::string>& line : lines.subspan(1)) table.Append(line, &text);
  }
  if (left_out > 0) {
    absl::StrAppend(&text, format == TableFormat::kMarkdown ? "\n" : "", "and ",
                    Counted(left_out, "more row"), "\n");
  }
  return text;
}

std::string NoteLines(absl::string_view text, TableFormat format) {
  std::string lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (format == TableFormat::kText) {
      absl::StrAppend(&lines, SafeForTerminal(line), "\n");
    } else {
      absl::StrAppend(&lines, "- ", MarkdownText(line), "\n");
    }
  }
  return lines;
}

std::string MarkdownDetails(absl::string_view title, absl::string_view contents) {
  return absl::StrCat("\n<details><summary>", title, "</summary>\n\n", contents, "\n</details>\n");
}

std::string MarkdownRoom::LeftOut() const {
  if (dropped_ == 0) return "";
  return absl::StrCat("\n", Counted(dropped_, "more row is", "more rows are"), " left out.\n");
}

// Whoever looks at a table in a terminal is no reader of its own kind, and a spreadsheet takes what
// begins like a formula for one, but behind an apostrophe.
std::string CsvField(absl::string_view text) {
  std::string field = SafeForTerminal(text);
  if (!field.empty() && absl::StrContains("=+-@", absl::string_view(field).substr(0, 1))) {
    field.insert(0, 1, '\'');
  }
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

}  // namespace onnx_hier
