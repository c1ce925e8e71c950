// SPDX-License-Identifier: Apache-2.0

// The fields of a line of a table.
#ifndef ONNX_HIER_LIB_PROFILE_CSV_FIELDS_H_
#define ONNX_HIER_LIB_PROFILE_CSV_FIELDS_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// Calls `take` with the number of each field and what it says; false ends it. Between quotes
// separators are text, and a doubled quote is one (RFC 4180).
inline void ForEachField(absl::string_view line, char separator,
                         absl::FunctionRef<bool(size_t number, absl::string_view field)> take) {
  std::string field;
  size_t number = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (quoted || field.empty())) {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        field.push_back(line[++i]);
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == separator && !quoted) {
      if (!take(number++, field)) return;
      field.clear();
    } else {
      field.push_back(line[i]);
    }
  }
  take(number, field);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_CSV_FIELDS_H_
