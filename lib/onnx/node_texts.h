// SPDX-License-Identifier: Apache-2.0

// The names and notes in a node's message, wherever they stand in it: the node with other texts is
// the same node elsewhere.
//
//   std::string renamed;
//   RewriteTexts(node_proto, NodePart::kBare, [&](TextRole role, absl::string_view text) {
//     return role == TextRole::kValue ? names[text] : text;
//   }, &renamed);
//
// Operators, attributes and all else stay as they are, byte for byte.
#ifndef ONNX_HIER_LIB_ONNX_NODE_TEXTS_H_
#define ONNX_HIER_LIB_ONNX_NODE_TEXTS_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/node_notes.h"

namespace onnx_hier {

enum class TextRole : uint8_t {
  kName,   // of the node itself
  kValue,  // of what it reads and makes, in the graphs inside of it, too; "" for one left out
  kNote,   // doc_strings, metadata, names of inner nodes, of graphs and of attributes' tensors
};

// A view that is good until the next call.
using TextMaker = absl::FunctionRef<absl::string_view(TextRole, absl::string_view)>;

// Asks for each text in one part of a NodeProto, in the order of the file, and appends that part
// with the answers. False: its message has an outer form that cannot be followed (a group, graphs
// nested too deep).
bool RewriteTexts(absl::string_view node, NodePart part, TextMaker text, std::string* out);

// Whether a node that gets the texts that it has is the same bytes.
bool ComesBack(absl::string_view node);

// Calls `visit` with each text that RewriteTexts() would ask for.
void VisitTexts(absl::string_view node, NodePart part,
                absl::FunctionRef<void(TextRole, absl::string_view)> visit);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_NODE_TEXTS_H_
