// SPDX-License-Identifier: Apache-2.0
#include "lib/show/text_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

void TextTable::Widen(absl::Span<const std::string> cells) {
  for (size_t i = 0; i < std::min(cells.size(), widths_.size()); ++i) {
    widths_[i] = std::max(widths_[i], CharacterCount(cells[i]));
  }
}

void TextTable::Append(absl::Span<const std::string> cells, std::string* text) const {
  std::string line;
  for (size_t i = 0; i < std::min(cells.size(), widths_.size()); ++i) {
    const std::string padding(widths_[i] - CharacterCount(cells[i]), ' ');
    const bool left = columns_[i] == Align::kLeft;
    absl::StrAppend(&line, i == 0 ? "" : "  ", left ? "" : padding, cells[i], left ? padding : "");
  }
  line.resize(line.find_last_not_of(' ') + 1);
  absl::StrAppend(text, line, "\n");
}

}  // namespace onnx_hier
