// SPDX-License-Identifier: Apache-2.0

// Names that tagging gave to nodes that had none, "MatMul_12", or one that others have, too,
// "/layer/Add_12": what they look like, and how the doc_string of a node says that its name is one.
//
//   {"hierarchy_path":"/",...,"name":null}       there was no name; with "name":"" an empty one
//   {"hierarchy_path":"/",...,"name":"shared"}   the same name without the number behind it
//
// Those of nodes that had none say nothing of where a node is.
#ifndef ONNX_HIER_LIB_NAMES_GIVEN_NAME_H_
#define ONNX_HIER_LIB_NAMES_GIVEN_NAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// What a node had for a name before this tool named it.
enum class NameBefore : uint8_t {
  kSame,    // the one that it has: this tool gave it none
  kNone,    // no such field
  kEmpty,   // a field with an empty text
  kShared,  // this one without the number behind it
};
constexpr size_t kNamesBefore = 4;

// As it stands in a doc_string, between two other keys or at the end; "" for kSame.
constexpr absl::string_view MarkOf(NameBefore before) {
  switch (before) {
    case NameBefore::kSame:
      break;
    case NameBefore::kNone:
      return R"(,"name":null)";
    case NameBefore::kEmpty:
      return R"(,"name":"")";
    case NameBefore::kShared:
      return R"(,"name":"shared")";
  }
  return "";
}

std::string GivenName(absl::string_view op_type, uint64_t number);
// Of a name that others have, too.
std::string UniqueName(absl::string_view name, uint64_t number);
// What a node that was given a name had for one, if it still has that; none: it has not. `before`
// is not kSame.
std::optional<absl::string_view> NameBeforeGiven(NameBefore before, absl::string_view name,
                                                 absl::string_view op_type);

// Whether a node of that operator may have got this name from us. Exporters write such names too.
bool LooksGiven(absl::string_view name, absl::string_view op_type);

// Whether the doc_string says that the node's name was given, and it still is such a name.
bool IsGiven(absl::string_view name, absl::string_view op_type, absl::string_view doc_string);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_GIVEN_NAME_H_
