// SPDX-License-Identifier: Apache-2.0

// Lines of cells in columns that are as wide as they need to be.
//
//   TextTable table({Align::kLeft, Align::kRight});
//   table.Widen(cells);                  // for all lines, before the first one is written
//   table.Append(cells, out.text());
#ifndef ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_
#define ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {

enum class Align : bool { kLeft, kRight };

class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns)
      : columns_(std::move(columns)), widths_(columns_.size(), 0) {}

  // Cells that a line lacks are empty.
  void Widen(absl::Span<const std::string> cells);
  void Append(absl::Span<const std::string> cells, std::string* text) const;

 private:
  std::vector<Align> columns_;
  std::vector<size_t> widths_;  // in characters
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TEXT_TABLE_H_
