// SPDX-License-Identifier: Apache-2.0

// Module paths that exporters store in a node's metadata_props.
//
//   pkg.torch.onnx.name_scopes      "['', 'blocks.0', 'blocks.0.lin', 'linear']"   torch >= 2.5
//   pkg.torch.onnx.class_hierarchy  "['M', 'Block', 'torch.nn...Linear', 'aten.linear.default']"
//   pkg.onnxscript.*                the same without the operator at the end; each name stands for
//                                   itself: "['', 'model', 'layers.0', 'mlp']"
//   namespace                       ": M/blocks.0: Block/blocks.0.lin: torch...Linear/linear: aten"
//
// torch's scopes are cumulative: each is a whole qualified name. A list with nothing but the
// operator says nothing (not even "root"). Sources: torch/onnx/_internal/exporter/_core.py,
// docs/source/onnx_export.md of PyTorch; onnxscript/_internal/builder.py of onnxscript.
#ifndef ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_
#define ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// A module around a node, outermost first in a list of them.
struct MetadataModule {
  std::string qualified_name;  // "" is the root
  std::string class_name;      // "" if the metadata has none

  friend bool operator==(const MetadataModule&, const MetadataModule&) = default;
};

enum class MetadataStyle { kTorch, kOnnxScript, kNamespace };

struct MetadataScope {
  MetadataStyle style = MetadataStyle::kTorch;
  std::vector<MetadataModule> modules;  // the last one owns the node
};

// The key under which a node's modules stand.
absl::string_view MetadataKey(MetadataStyle style);

// None if the metadata says nothing about modules, or not in a form that is understood.
std::optional<MetadataScope> ReadMetadataScope(absl::Span<const StringPair> metadata);

// Where a node's modules are written.
struct MetadataTexts {
  MetadataStyle style = MetadataStyle::kTorch;
  absl::string_view names;
  absl::string_view classes;  // "" where there are none
};

// The same of many nodes, one after the other: what says the same modules as the one before, as
// most do, is not read again.
class MetadataReader {
 public:
  // What it gives stays until the next call; what it was given must stay as long.
  const std::optional<MetadataScope>& Read(absl::Span<const StringPair> metadata);
  // Whether the last call gave what the one before it had given.
  bool is_same() const { return is_same_; }

 private:
  struct Said {
    MetadataTexts all;
    MetadataTexts begin;  // before the operator at the end

    // Whether `texts` name the same modules, as far as can be told without reading them.
    bool IsSame(const MetadataTexts& texts) const;
  };

  std::optional<Said> said_;  // by the last call that read it
  std::optional<MetadataScope> scope_;
  bool is_same_ = false;
};

// In which styles any node of the graph has one.
struct MetadataStyles {
  bool torch = false;  // or as a namespace
  bool onnxscript = false;
};
MetadataStyles FindStyles(const Graph& graph);

// Whether any node of the graph has one.
bool HasScopesInMetadata(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_
