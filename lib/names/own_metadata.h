// SPDX-License-Identifier: Apache-2.0

// The entries that tagging writes into the metadata_props of nodes, where it is asked to, for
// viewers that make nothing of doc_strings:
//
//   namespace             "encoder/layer.0", by which Model Explorer draws nodes together
//   onnx_hier.path        "/encoder/layer.0"
//   onnx_hier.method      "node_name"
//   onnx_hier.confidence  "0.98"
//   onnx_hier.namespace   what `namespace` was before, if there was one
//   onnx_hier.forms       "explorer torch": for whom they are, if not just for Model Explorer
//
// For others than Model Explorer other entries stand in `namespace`'s place (kFormKeys). To whoever
// reads an exporter's metadata they are not there.
#ifndef ONNX_HIER_LIB_NAMES_OWN_METADATA_H_
#define ONNX_HIER_LIB_NAMES_OWN_METADATA_H_

#include <algorithm>
#include <iterator>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

constexpr absl::string_view kNamespaceKey = "namespace";
constexpr absl::string_view kOwnPathKey = "onnx_hier.path";
constexpr absl::string_view kOwnMethodKey = "onnx_hier.method";
constexpr absl::string_view kOwnConfidenceKey = "onnx_hier.confidence";
constexpr absl::string_view kOwnFormsKey = "onnx_hier.forms";
// onnxruntime's label of the node, and beside one that this program gave it for a device, which.
constexpr absl::string_view kLayerKey = "layer_ann";
constexpr absl::string_view kDeviceKey = "onnx_hier.device";

// An entry as one reader looks for it, and where what was there before is kept.
struct FormKey {
  absl::string_view form;  // as in TagForms::metadata
  absl::string_view key;
  absl::string_view before;
};
constexpr FormKey kFormKeys[] = {
    {"explorer", kNamespaceKey, "onnx_hier.namespace"},
    {"torch", "pkg.torch.onnx.name_scopes", "onnx_hier.name_scopes"},
    {"torch", "pkg.torch.onnx.class_hierarchy", "onnx_hier.class_hierarchy"},
    {"winml", "winml.hierarchy.tag", "onnx_hier.winml_tag"},
    {"winml", "winml.hierarchy.depth", "onnx_hier.winml_depth"},
    {"ort", kLayerKey, "onnx_hier.layer_ann"},
};

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

// Of a node that has such entries: for whom, with spaces between them.
inline absl::string_view OwnForms(absl::Span<const StringPair> metadata) {
  const StringPair* const forms = FindMetadata(metadata, kOwnFormsKey);
  return forms == nullptr ? kFormKeys[0].form : forms->value;
}

inline bool HasForm(absl::string_view forms, absl::string_view form) {
  const auto words = absl::StrSplit(forms, ' ');
  return std::find(words.begin(), words.end(), form) != words.end();
}

// The one that the entry of this key is; null: somebody else wrote it.
inline const FormKey* FindFormKey(absl::Span<const StringPair> metadata, absl::string_view key) {
  const auto* const own = std::find_if(std::begin(kFormKeys), std::end(kFormKeys),
                                       [key](const FormKey& one) { return one.key == key; });
  const bool is_own = own != std::end(kFormKeys) && HasOwnMetadata(metadata) &&
                      HasForm(OwnForms(metadata), own->form);
  return is_own ? own : nullptr;
}

// What an exporter wrote under this key; "" where it wrote nothing.
inline absl::string_view ExportersMetadata(absl::Span<const StringPair> metadata,
                                           absl::string_view key) {
  const FormKey* const own = FindFormKey(metadata, key);
  const StringPair* found = FindMetadata(metadata, own == nullptr ? key : own->before);
  return found == nullptr ? absl::string_view() : found->value;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_OWN_METADATA_H_
