// SPDX-License-Identifier: Apache-2.0

// The text that tagging writes into a doc_string, read without a JSON parser: a model that was
// tagged before has one for each node, and parsing them would cost more than all the rest.
//
//   const std::optional<OwnText> own = ReadOwnText(node.doc_string);
//   own->tags[0];     // "/encoder/layer.0"
//   own->confidence;  // 0.98
//
// Only what DocStringWriter spells is known here, key by key and in its order. Whatever differs, be
// it by a space or by an escape in a module's name, is left to the parser, which reads these texts
// alike.
#ifndef ONNX_HIER_LIB_TAGS_OWN_TEXT_H_
#define ONNX_HIER_LIB_TAGS_OWN_TEXT_H_

#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "lib/names/given_name.h"

namespace onnx_hier {

struct OwnText {
  absl::InlinedVector<absl::string_view, 4> tags;
  absl::string_view path;
  absl::string_view method;
  double confidence = 0;
  NameBefore name = NameBefore::kSame;
  bool has_original = false;  // a doc_string stood there before
  bool is_base64 = false;     // how `original` is written
  std::string original;
};

std::optional<OwnText> ReadOwnText(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_OWN_TEXT_H_
