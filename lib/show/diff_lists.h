// SPDX-License-Identifier: Apache-2.0

// What a comparison says of lists and of modules that only one of two models has, in lines: members
// in a row are one, and so are the same ones of lists in alike modules.
//
//   /encoder/layer.1  inserted: 12 modules, 104 nodes, 8,544 parameters
//   /encoder/layer.[1-10]  are layer.[2-11] now, the same
#ifndef ONNX_HIER_LIB_SHOW_DIFF_LISTS_H_
#define ONNX_HIER_LIB_SHOW_DIFF_LISTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// "/layer.*/norm*": of members of lists, what they have in common.
std::string WithoutNumbers(absl::string_view tag);

// With a line end each; fit to be shown.
std::string ListLines(const DiffReport& report);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_DIFF_LISTS_H_
