// SPDX-License-Identifier: Apache-2.0

// Names in a page, said by what they are made of: modules that are built alike have the same.
//
//   @  the path of the module               ~  the same with dots: "encoder.fc"
//   %  the node's operator                  #  its number in the graph
//   &  its name (in the name of its output)
//
// A backslash stands before any of these six signs that is none of them.
//
//   NamePattern("/encoder/fc/Add_1", {scope, "Add", 7})   // "@/%_1"
//   NamePattern("Add_7", {scope, "Add", 7})               // "%_#"
//   NamePattern("encoder.fc.weight", {scope})             // "~.weight"
#ifndef ONNX_HIER_LIB_SHOW_PAGE_NAMES_H_
#define ONNX_HIER_LIB_SHOW_PAGE_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// A module, as names begin with it.
struct NameScope {
  // Of a tag; both are "" for the root.
  explicit NameScope(absl::string_view tag);

  std::string path;
  std::string dotted;
};

struct NameParts {
  const NameScope& scope;
  absl::string_view op_type = "";
  uint32_t number = 0;
  absl::string_view name = "";
};

// The text is made fit to be shown; one that is longer than kLongestShownName is cut.
std::string NamePattern(absl::string_view text, const NameParts& parts);

// A text that is no name, made fit to be shown likewise.
std::string ShownText(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PAGE_NAMES_H_
