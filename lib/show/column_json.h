// SPDX-License-Identifier: Apache-2.0

// Columns in JSON documents:
//
//   "measures": [{"id": "time", "title": "time", "unit": "ns", "adds": "sum",
//                 "total": 1200, "not_placed": 0}]
//   of a module: "measures": {"time": {"own": 100, "total": 1000, "unknown": 2}}: of two, nothing
//   is known of words:    {"own": 2, "total": 14, "words": {"MatMul": 6, ...}, "own_words": {...}}
#ifndef ONNX_HIER_LIB_SHOW_COLUMN_JSON_H_
#define ONNX_HIER_LIB_SHOW_COLUMN_JSON_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {

// All digits; of a ratio four decimals.
void AppendAmount(Amount amount, MeasureUnit unit, JsonText& json);

// The array of a document.
void AppendMeasures(absl::Span<const Column* const> columns, JsonText& json);

// What a module's object has of columns: `,"measures":{...}`, or nothing where there are none.
class MeasureFields {
 public:
  explicit MeasureFields(absl::Span<const Column* const> columns) : columns_(columns) {}

  absl::string_view Of(ModuleId module);

 private:
  absl::Span<const Column* const> columns_;
  std::string text_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_COLUMN_JSON_H_
