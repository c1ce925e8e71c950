// SPDX-License-Identifier: Apache-2.0

// The entries that tagging writes into the metadata_props of nodes, where it is asked to, for
// viewers that make nothing of doc_strings:
//
//   namespace             "encoder/layer.0", by which Model Explorer draws nodes together
//   onnx_hier.path        "/encoder/layer.0"
//   onnx_hier.method      "node_name"
//   onnx_hier.confidence  "0.98"
//   onnx_hier.namespace   what `namespace` was before, if there was one
//
// To whoever reads an exporter's metadata they are not there.
#ifndef ONNX_HIER_LIB_NAMES_OWN_METADATA_H_
#define ONNX_HIER_LIB_NAMES_OWN_METADATA_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

constexpr absl::string_view kNamespaceKey = "namespace";
constexpr absl::string_view kOwnPathKey = "onnx_hier.path";
constexpr absl::string_view kOwnMethodKey = "onnx_hier.method";
constexpr absl::string_view kOwnConfidenceKey = "onnx_hier.confidence";
constexpr absl::string_view kNamespaceBeforeKey = "onnx_hier.namespace";

// The first entry with this key; null: there is none.
inline const StringPair* FindMetadata(absl::Span<const StringPair> metadata,
                                      absl::string_view key) {
  for (const StringPair& pair : metadata) {
    if (pair.key == key) return &pair;
  }
  return nullptr;
}

// Whether the entries are there; the path is always one of them.
inline bool HasOwnMetadata(absl::Span<const StringPair> metadata) {
  return FindMetadata(metadata, kOwnPathKey) != nullptr;
}

// What an exporter wrote under this key; "" where it wrote nothing.
inline absl::string_view ExportersMetadata(absl::Span<const StringPair> metadata,
                                           absl::string_view key) {
  const bool may_be_ours = key == kNamespaceKey && HasOwnMetadata(metadata);
  const StringPair* found = FindMetadata(metadata, may_be_ours ? kNamespaceBeforeKey : key);
  return found == nullptr ? absl::string_view() : found->value;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_OWN_METADATA_H_
