// SPDX-License-Identifier: Apache-2.0

// Python's repr() of a list of strings, as exporters store it: "['', 'encoder', 'don\'t']".
#ifndef ONNX_HIER_LIB_NAMES_PYTHON_LIST_H_
#define ONNX_HIER_LIB_NAMES_PYTHON_LIST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// The strings in the list, in the place of those that `items` had; false if the text is anything
// else: then `items` may hold anything. Understands both kinds of quotes and the escapes that
// repr() writes (\\ \' \" \n \r \t \xhh \uhhhh \Uhhhhhhhh).
bool ParsePythonList(absl::string_view text, std::vector<std::string>* items);

// Of a list whose last item needs no care, "['', 'a', 'linear']", what is before that; else all.
absl::string_view WithoutPlainLast(absl::string_view list);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_PYTHON_LIST_H_
